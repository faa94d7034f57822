package host

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccdir/internal/disk/paths"
	"ccdir/internal/proc"
	"ccdir/wire"
)

// sh starts a shell script.
func sh(t testing.TB, script string) *running { return start(t, "sh", "-c", script) }

// tempFile returns a path for a script to write to, and a function that waits
// until it holds something that ends in a line feed.
func tempFile(t testing.TB) (string, func() string) {
	path := filepath.Join(t.TempDir(), "out")
	return path, func() string {
		for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if b, err := os.ReadFile(path); err == nil && bytes.HasSuffix(b, []byte("\n")) {
				return string(b)
			}
		}
		t.Fatalf("nothing was written to %s", path)
		return ""
	}
}

func TestExitCodes(t *testing.T) {
	for _, test := range []struct {
		script, signal string
		code           int
	}{
		{"exit 0", "", 0},
		{"exit 7", "", 7},
		{"kill -TERM $$", "TERM", 143},
		{"kill -KILL $$", "KILL", 137},
		{"kill -HUP $$", "HUP", 129},
	} {
		t.Run(test.script, func(t *testing.T) {
			r := sh(t, "read x; "+test.script)
			p := r.dial()
			p.view(80, 24)
			p.keys("Enter")
			p.until("exit", func() bool { return p.exit != nil })
			if p.exit.Code != test.code || p.exit.Signal != test.signal {
				t.Errorf("exit: %+v", p.exit.ExitRecord)
			}
			if err := r.wait(); err != nil {
				t.Fatal(err)
			}
			if f := r.final(); f.Code != test.code || f.Signal != test.signal {
				t.Errorf("final: %+v", f.ExitRecord)
			}
			p.saw(wire.EvidenceExit, "code", strconv.Itoa(test.code))
		})
	}
}

// TestKilledFromOutside: seen within 100 ms (once in some times: the machine may be
// busy), and the whole end follows.
func TestKilledFromOutside(t *testing.T) {
	const limit = 100 * time.Millisecond
	var took time.Duration
	for range 10 {
		r := start(t, "cat")
		p := r.dial()
		p.view(80, 24)
		at := time.Now()
		if err := syscall.Kill(r.ready.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		p.saw(wire.EvidenceExit, "code", "137", "signal", "KILL")
		took = time.Since(at)
		p.until("exit", func() bool { return p.exit != nil })
		if took <= limit {
			return
		}
	}
	t.Errorf("the exit was seen after %v", took)
}

// TestGrandchildHoldsTerminal: the end is bounded although the stream is not.
func TestGrandchildHoldsTerminal(t *testing.T) {
	pidFile, read := tempFile(t)
	r := sh(t, "setsid sh -c 'trap \"\" HUP; echo $$ > "+pidFile+"; exec sleep 60' & read x; echo last words; exit 3")
	pid, err := strconv.Atoi(strings.TrimSpace(read()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, syscall.SIGKILL)
	p := r.dial()
	p.view(80, 24)
	p.keys("Enter")
	at := time.Now()
	p.until("exit", func() bool { return p.exit != nil })
	if took := time.Since(at); took > drainLimit+farewell+10*time.Second {
		t.Errorf("the exit took %v", took)
	}
	if p.exit.Code != 3 || !strings.Contains(p.text(), "last words") {
		t.Errorf("exit %+v, screen %q", p.exit, p.text())
	}
}

func TestKill(t *testing.T) {
	t.Run("hup ignored", func(t *testing.T) {
		r := sh(t, `trap "" HUP; echo ready; while :; do sleep 0.05; done`)
		p := r.dial()
		p.view(80, 24)
		p.shows("ready")
		call[any](p, wire.MethodKill, wire.KillParams{Signal: "HUP", GraceMS: 100})
		p.until("exit", func() bool { return p.exit != nil })
		if p.exit.Signal != "KILL" {
			t.Errorf("exit: %+v", p.exit.ExitRecord)
		}
	})
	t.Run("keys", func(t *testing.T) {
		r := sh(t, `trap "exit 5" INT; echo ready; while :; do sleep 0.05; done`)
		p := r.dial()
		p.view(80, 24)
		p.shows("ready")
		call[any](p, wire.MethodKill, wire.KillParams{Keys: []string{"C-c"}, GraceMS: 10_000})
		p.until("exit", func() bool { return p.exit != nil })
		if p.exit.Code != 5 {
			t.Errorf("exit: %+v", p.exit.ExitRecord)
		}
	})
	t.Run("wrong", func(t *testing.T) {
		p := start(t, "cat").dial()
		for _, k := range []wire.KillParams{{Signal: "NONSENSE"}, {Keys: []string{"NoKey"}}} {
			if r := p.request(wire.MethodKill, k); r.Error == nil || r.Error.Code != wire.CodeInvalid {
				t.Errorf("%+v: %+v", k, r)
			}
		}
	})
	t.Run("input blocked", func(t *testing.T) {
		// The shell never reads, so the terminal's buffer fills and the writer
		// stands still: the kill must get through all the same.
		r := sh(t, `stty raw; echo ready; trap "" HUP INT; while :; do sleep 0.05; done`)
		p := r.dial()
		p.view(80, 24)
		p.shows("ready")
		p.send(&wire.Input{Type: wire.InputRaw, Text: make([]byte, 1<<20)})
		p.until("a blocked writer", func() bool { return len(p.evidence) > 1 })
		call[any](p, wire.MethodKill, wire.KillParams{Keys: []string{"C-c"}, Signal: "HUP", GraceMS: 50})
		p.until("exit", func() bool { return p.exit != nil })
	})
}

// TestContextEnds: a host that is asked to end takes its process along.
func TestContextEnds(t *testing.T) {
	r := start(t, "cat")
	r.cancel()
	if err := r.wait(); err != nil {
		t.Fatal(err)
	}
	if f := r.final(); f.Signal != "HUP" {
		t.Errorf("final: %+v", f.ExitRecord)
	}
}

// TestRing: every byte of numbered output is in the ring at its position, the
// newest 2 MiB of it.
func TestRing(t *testing.T) {
	const lines = 400_000
	r := sh(t, fmt.Sprintf("seq -f %%08.0f 1 %d; cat", lines))
	p := r.dial()
	p.view(80, 24)
	p.shows(fmt.Sprintf("%08d", lines))
	out := call[wire.OutputResult](p, wire.MethodOutput, wire.OutputParams{Format: "raw"})
	const perLine = 10 // digits, CR, LF
	if out.End != lines*perLine || int(out.End-out.Start) != len(out.Raw) || len(out.Raw) != defaultRing {
		t.Fatalf("ring from %d to %d, %d bytes", out.Start, out.End, len(out.Raw))
	}
	skip := (perLine - out.Start%perLine) % perLine
	n := int(out.Start+skip)/perLine + 1
	for b := out.Raw[skip:]; len(b) > 0; b = b[perLine:] {
		if want := fmt.Sprintf("%08d\r\n", n); string(b[:perLine]) != want {
			t.Fatalf("line %d is %q", n, b[:perLine])
		}
		n++
	}
	part := call[wire.OutputResult](p, wire.MethodOutput, wire.OutputParams{Format: "raw", From: out.End - 20})
	if string(part.Raw) != fmt.Sprintf("%08d\r\n%08d\r\n", lines-1, lines) {
		t.Errorf("the end of the ring: %q", part.Raw)
	}
	h := call[wire.HistoryResult](p, wire.MethodHistory, wire.HistoryParams{From: 0, Count: 5000})
	if h.Total-h.Oldest != 1000 || h.First != h.Oldest {
		t.Errorf("history: %d to %d, first %d", h.Oldest, h.Total, h.First)
	}
	text := call[wire.OutputResult](p, wire.MethodOutput, wire.OutputParams{Format: "text", Scrollback: true}).Text
	if got := strings.Count(text, "\n"); got != 1000+23 {
		t.Errorf("text with history has %d lines", got)
	}
	p.keys("C-d")
	if err := r.wait(); err != nil {
		t.Fatal(err)
	}
	saved, err := wire.ReadOutput(r.spec.Dir, wire.OutputParams{Format: "raw"})
	if err != nil || len(saved.Raw) != defaultRing || saved.End < lines*perLine {
		t.Errorf("saved ring: %d bytes to %d, %v", len(saved.Raw), saved.End, err)
	}
	again, err := wire.ReadOutput(r.spec.Dir, wire.OutputParams{Format: "text", Scrollback: true})
	if err != nil || !strings.HasPrefix(again.Text, text[:len(text)-1]) && !strings.Contains(again.Text, fmt.Sprintf("%08d\n", lines)) {
		t.Errorf("saved text: %d bytes, %v", len(again.Text), err)
	}
}

// TestFarewell: what stood on the alternate screen until the end is kept, what was
// left long before is not.
func TestFarewell(t *testing.T) {
	const draw, leave = `printf '\033[?1049h\033[Hthe answer\033[2;1His 42'; `, `printf '\033[?1049l'; `
	for _, c := range []struct{ name, script, want string }{
		{"left at the end", draw + leave + "echo come back", "the answer\nis 42\ncome back\n"},
		{"left before", draw + leave + "seq 1 2000 | tr '\\n' ' '; printf '\\033[2J\\033[3J\\033[Hdone'", "done\n"},
		{"not left", draw, "the answer\nis 42\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := sh(t, c.script)
			if err := r.wait(); err != nil {
				t.Fatal(err)
			}
			saved, err := wire.ReadOutput(r.spec.Dir, wire.OutputParams{Format: "text", Scrollback: true})
			if got := strings.TrimRight(saved.Text, "\n") + "\n"; err != nil || got != c.want {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
}

// TestTerminalReopened: a process that closes its terminal and opens it again
// is heard.
func TestTerminalReopened(t *testing.T) {
	r := sh(t, `tty=$(tty); echo first; exec <&- >&- 2>&-; sleep 0.1; exec <$tty >$tty 2>&1; echo second; cat`)
	p := r.dial()
	p.view(80, 24)
	p.shows("second")
	p.keys("x", "Enter")
	p.shows("x\nx")
}

func TestSocketAgain(t *testing.T) {
	rebind := make(chan struct{})
	spec := specFor(t, "cat")
	// A stale socket of a host that was killed is replaced.
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: spec.Socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	r := startSpec(t, spec, func(o *Options) { o.Rebind = rebind })
	if r.ready.Error != "" {
		t.Fatal(r.ready.Error)
	}
	a := r.dial()
	if err := os.RemoveAll(filepath.Dir(spec.Socket)); err != nil {
		t.Fatal(err)
	}
	rebind <- struct{}{}
	rebind <- struct{}{} // the first is done
	b := r.dial()
	b.view(80, 24)
	a.view(80, 24)
	b.keys("x")
	a.shows("x") // the older connection still works
	b.shows("x")

	// A live one is not taken over.
	other := specFor(t, "cat")
	other.Socket = spec.Socket
	if r2 := startSpec(t, other); !strings.Contains(r2.ready.Error, "in use") {
		t.Errorf("second host on the socket: %+v", r2.ready)
	}
	info, err := os.Lstat(spec.Socket)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("socket: %v, %v", info, err)
	}
}

func TestHostFile(t *testing.T) {
	r := start(t, "cat")
	var hf wire.HostFile
	readJSON(t, filepath.Join(r.spec.Dir, paths.HostFile), &hf)
	if hf.PID != os.Getpid() || !proc.Alive(hf.PID, hf.Start) || hf.ChildPID != r.ready.PID || !proc.Alive(hf.ChildPID, hf.ChildStart) {
		t.Errorf("host.json: %+v", hf)
	}
	if hf.Socket != r.spec.Socket || hf.Spec.Ticket != ticket || hf.Protocol != wire.ProtocolMax {
		t.Errorf("host.json: %+v", hf)
	}
}

// TestHostFileFirst: host.json names the host before the process can do anything, also
// while a daemon that looks for it moves the directory away and back.
func TestHostFileFirst(t *testing.T) {
	spec := specFor(t)
	spec.Argv = []string{"/bin/sh", "-c", `test -e "$D/host.json" && echo named;  i=0
		while test $i -lt 3; do mv "$D" "$D.gone"; mv "$D.gone" "$D"; i=$((i+1)); done; echo moved; cat`}
	spec.Env = append(spec.Env, "D="+spec.Dir)
	r := startSpec(t, spec)
	c := r.dial()
	c.view(80, 24)
	c.shows("named")
	c.shows("moved")
	var hf wire.HostFile
	readJSON(t, filepath.Join(spec.Dir, paths.HostFile), &hf)
	if r.ready.Error != "" || hf.ChildPID != r.ready.PID {
		t.Errorf("ready %+v, host.json %+v", r.ready, hf)
	}
}

// TestNoHostFile: a host whose process cannot be started leaves no host.json.
func TestNoHostFile(t *testing.T) {
	r := startSpec(t, specFor(t, "/no/such/program"))
	if _, err := os.Lstat(filepath.Join(r.spec.Dir, paths.HostFile)); r.ready.Error == "" || !os.IsNotExist(err) {
		t.Errorf("ready %+v, host.json: %v", r.ready, err)
	}
}

// TestProcessEnvironment: the process has a terminal of the right size as its
// controlling one, its own session, no other files, and no signal ignored.
func TestProcessEnvironment(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	out, read := tempFile(t)
	extra, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer extra.Close()
	r := sh(t, `{ stty size < /dev/tty; cut -d' ' -f6 /proc/$$/stat; grep SigIgn /proc/$$/status; } | tr '\n' ' ' > `+out+` 2>&1; echo >> `+out+`; cat`)
	got := strings.Fields(read())
	if len(got) != 5 || got[0] != "24" || got[1] != "80" {
		t.Fatalf("got %q", got)
	}
	if got[2] != strconv.Itoa(r.ready.PID) {
		t.Errorf("session %s of process %d", got[2], r.ready.PID)
	}
	// Signals 32 and 33 are the C library's own: GNU make leaves them ignored
	// in what it starts, these tests for example.
	const libc = 1<<31 | 1<<32
	if ignored, err := strconv.ParseUint(got[4], 16, 64); err != nil || ignored&^libc != 0 {
		t.Errorf("ignored signals: %s", got[4])
	}

	// Its goroutines must not be counted as the next host's.
	r.cancel()
	if err := r.wait(); err != nil {
		t.Fatal(err)
	}

	// Nothing of the host's own: the PTY's other side, its socket, the poller.
	ls := start(t, "ls", "-l", "/proc/self/fd")
	if err := ls.wait(); err != nil {
		t.Fatal(err)
	}
	files, err := wire.ReadOutput(ls.spec.Dir, wire.OutputParams{})
	if err != nil || !strings.Contains(files.Text, "/dev/pts/") {
		t.Fatalf("open files: %q, %v", files.Text, err)
	}
	for _, ours := range []string{"ptmx", "socket:", "anon_inode", "pidfd"} {
		if strings.Contains(files.Text, ours) {
			t.Errorf("the process has files of the host:\n%s", files.Text)
		}
	}
}

// TestStoppedGoesOn: a process that stops itself, as on Ctrl-Z, goes on, and its
// end is seen all the same.
func TestStoppedGoesOn(t *testing.T) {
	r := sh(t, `for i in 1 2 3; do kill -STOP $$; echo "after $i"; done; kill -TSTP 0; echo after all; exit 7`)
	p := r.dial()
	p.view(80, 24)
	p.until("the exit", func() bool { return p.exit != nil })
	if !strings.Contains(p.text(), "after 3") || !strings.Contains(p.text(), "after all") || p.exit.Code != 7 {
		t.Errorf("code %d, screen:\n%s", p.exit.Code, p.text())
	}
}

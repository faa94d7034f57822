package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/internal/proc"
	"ccdir/test/programs"
	"ccdir/wire"
)

// program is the program under test, built as it ships.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "shim")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "ccdir-shim")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// TestDependencies: what the program links beside the standard library. Each
// package costs start time in every hook call and memory in every session.
func TestDependencies(t *testing.T) {
	allowed := []string{
		"ccdir/cmd/ccdir-shim", "ccdir/cmd/ccdir-shim/shim", "ccdir/api", "ccdir/agents/demo", "ccdir/wire/directline", "ccdir/internal/disk/atomicfile", "ccdir/internal/cells", "ccdir/wire/ancestry", "ccdir/agents/oneshot", "ccdir/internal/tune/rawio",
		"ccdir/hooks/call", "ccdir/wire", "ccdir/mcpserver/bridge", "ccdir/internal/disk/paths", "ccdir/internal/proc", "ccdir/internal/tune/timeslice",
		"ccdir/sessions/host", "ccdir/sessions/host/child", "ccdir/sessions/host/failpoint", "ccdir/sessions/host/keyenc", "ccdir/internal/once", "ccdir/sessions/screen", "ccdir/sessions/screen/vt", "ccdir/sessions/screen/vt10x",
		"ccdir/agents/statusline", "ccdir/internal/disk/untrusted", // the verb statusline: reads settings that others write
		"ccdir/nodes/mux", "ccdir/nodes/link", // the verbs link and bridge: no other program is small enough to run on each node
		"ccdir/sandbox", "ccdir/sandbox/wall", "ccdir/sandbox/proxy", // a host puts its program behind them
		"github.com/creack/pty", "github.com/hinshun/vt10x", "golang.org/x/sys/unix",
	}
	// Of the standard library, what is slow to start or large.
	barred := []string{"net/http", "crypto/tls", "crypto/x509", "text/template", "html/template", "database/sql", "log/slog", "testing", "go/parser"}
	for _, goos := range []string{"linux", "darwin"} {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{if .Standard}}std {{end}}{{.ImportPath}}", ".")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if len(lines) < 50 {
			t.Fatalf("go list names only %d packages", len(lines))
		}
		for _, line := range lines {
			if std, ok := strings.CutPrefix(line, "std "); ok {
				if slices.Contains(barred, std) {
					t.Errorf("%s: the program links %s", goos, std)
				}
			} else if !slices.Contains(allowed, line) {
				t.Errorf("%s: the program links %s: leave it out, or add it to the list with a reason", goos, line)
			}
		}
	}
}

// TestInit: package initialisation, which every hook waits for, allocates little: about 57,000 bytes
// when this was written.
func TestInit(t *testing.T) {
	const limit = 100_000
	if sum, largest := programs.InitBytes(t, exec.Command(program)); sum > limit {
		t.Errorf("package initialisation allocates %d bytes, at most %d are allowed; most of it: %s", sum, limit, largest)
	}
}

func TestVerbs(t *testing.T) {
	for _, test := range []struct {
		args []string
		out  string
		code int
	}{
		{nil, "", 0},
		{[]string{"version"}, "ccdir-shim " + api.Version + "\n", 0},
		{[]string{"nonsense"}, "", 2},
		{[]string{"hook", claude.HookStop}, "", 0},
	} {
		cmd := exec.Command(program, test.args...)
		cmd.Env = []string{}
		cmd.Stdin = strings.NewReader("{}")
		out, _ := cmd.Output()
		if string(out) != test.out || cmd.ProcessState.ExitCode() != test.code {
			t.Errorf("%q: exit %d, output %q", test.args, cmd.ProcessState.ExitCode(), out)
		}
	}
}

func TestBadSpec(t *testing.T) {
	for _, in := range []string{"", "not json", `{"argv":["cat"]}`} {
		cmd := exec.Command(program, "host")
		cmd.Stdin = strings.NewReader(in)
		out, err := cmd.Output()
		var ready wire.HostReady
		if json.Unmarshal(out, &ready) != nil || ready.Error == "" || err == nil {
			t.Errorf("%q: %q, %v", in, out, err)
		}
	}
}

// hosted is a running host process.
type hosted struct {
	t     testing.TB
	cmd   *exec.Cmd
	spec  wire.HostSpec
	ready wire.HostReady
	out   *bufio.Reader
}

func startHost(t testing.TB, change func(*exec.Cmd, *wire.HostSpec), argv ...string) *hosted {
	t.Helper()
	run, err := os.MkdirTemp("/tmp", "shm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(run) })
	h := &hosted{t: t, cmd: exec.Command(program, "host")}
	h.spec = wire.HostSpec{
		Session: "abc12345", Dir: t.TempDir(), Socket: filepath.Join(run, "h.sock"), Ticket: "t", Argv: argv,
		Env: []string{"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8"}, CWD: "/", Cols: 100, Rows: 30, Scrollback: 10_000,
	}
	if change != nil {
		change(h.cmd, &h.spec)
	}
	in, err := json.Marshal(h.spec)
	if err != nil {
		t.Fatal(err)
	}
	h.cmd.Stdin = bytes.NewReader(in)
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if h.ready.PID > 0 {
			_ = syscall.Kill(h.ready.PID, syscall.SIGKILL)
		}
		_ = h.cmd.Wait()
	})
	h.out = bufio.NewReader(out)
	line, err := h.out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(line, &h.ready); err != nil || h.ready.Error != "" {
		t.Fatalf("%s: %v", line, err)
	}
	return h
}

func (h *hosted) dial() *wire.Conn {
	h.t.Helper()
	c, _, err := wire.Dial(context.Background(), h.spec.Socket, wire.Hello{Ticket: "t"})
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { c.Close() })
	return c
}

// eventually polls a condition outside of this process.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// TestHostProcess: a session of its own, no file of the parent's left open, HUP
// and the parent's pipes do it no harm, SIGUSR1 makes the socket again, TERM
// ends it together with its process.
func TestHostProcess(t *testing.T) {
	extra, err := os.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	defer extra.Close()
	h := startHost(t, func(c *exec.Cmd, _ *wire.HostSpec) { c.ExtraFiles = []*os.File{extra} }, "cat")
	if _, err := h.out.ReadByte(); err == nil {
		t.Error("the host holds its standard output open")
	}
	pid := h.cmd.Process.Pid
	if pid != h.ready.HostPID {
		t.Errorf("host pid %d, it says %d", pid, h.ready.HostPID)
	}
	if sid, err := getsid(pid); err != nil || sid != pid {
		t.Errorf("session %d of process %d, %v", sid, pid, err)
	}
	if runtime.GOOS == "linux" {
		for _, p := range []int{pid, h.ready.PID} {
			dir := fmt.Sprintf("/proc/%d/fd", p)
			files, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if to, _ := os.Readlink(filepath.Join(dir, f.Name())); to == "/dev/zero" {
					t.Errorf("process %d has the inherited file %s open", p, f.Name())
				}
			}
		}
	}
	for range 3 {
		if err := syscall.Kill(pid, syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(h.spec.Socket); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the socket", func() bool { // its file is there before it accepts
		c, _, err := wire.Dial(context.Background(), h.spec.Socket, wire.Hello{Ticket: "t"})
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	if proc.Alive(h.ready.PID, "") {
		t.Error("the process was left")
	}
	if _, err := os.Lstat(h.spec.Socket); err == nil {
		t.Error("the socket was left")
	}
}

// figures are what the system tells of a process.
type figures struct {
	rss      int // KiB
	switches int // of all threads, ever: every wake-up is one
}

func figuresOf(t testing.TB, pid int) (f figures) {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(tasks) == 0 {
		t.Fatalf("no tasks of %d: %v", pid, err)
	}
	for _, path := range tasks {
		b, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			fields := strings.Fields(line)
			switch fields[0] {
			case "VmRSS:":
				f.rss, _ = strconv.Atoi(fields[1])
			case "voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:":
				n, _ := strconv.Atoi(fields[1])
				f.switches += n
			}
		}
	}
	return f
}

// TestIdleCost: 10,000 lines of history within 12 MB, and no wake-up at rest,
// with a client attached.
func TestIdleCost(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	h := startHost(t, nil, "sh", "-c", `seq -f '%099.0f' 1 10100; exec cat`)
	c := h.dial()
	if err := c.Send(&wire.View{Visible: true, Cols: 100, Rows: 30}); err != nil {
		t.Fatal(err)
	}
	m := wire.NewMirror()
	for {
		msg, err := c.Receive()
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := msg.(*wire.Frame); ok {
			if err := m.Apply(f); err != nil {
				t.Fatal(err)
			}
			if f.Written >= 10_100*101 {
				if f.HistoryLen != 10_000 {
					t.Errorf("%d lines of history", f.HistoryLen)
				}
				break
			}
		}
	}
	// It comes to rest; then a second without any switch must come by.
	var before, after figures
	eventually(t, "a second without a wake-up", func() bool {
		before = figuresOf(t, h.cmd.Process.Pid)
		time.Sleep(time.Second)
		after = figuresOf(t, h.cmd.Process.Pid)
		return after.switches == before.switches
	})
	t.Logf("resident: %.1f MB", float64(after.rss)/1024)
	if after.rss > 12<<10 {
		t.Errorf("resident size is %.1f MB, at most 12 are allowed", float64(after.rss)/1024)
	}
}

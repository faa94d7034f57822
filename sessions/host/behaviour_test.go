package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccdir/internal/hostwire"
	"ccdir/internal/paths"
	"ccdir/internal/procinfo"
	"ccdir/sessions/screen"
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
			p.saw(hostwire.EvidenceExit, "code", strconv.Itoa(test.code))
		})
	}
}

// TestKilledFromOutside: seen within 100 ms.
func TestKilledFromOutside(t *testing.T) {
	r := start(t, "cat")
	p := r.dial()
	p.view(80, 24)
	at := time.Now()
	if err := syscall.Kill(r.ready.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.saw(hostwire.EvidenceExit, "code", "137", "signal", "KILL")
	p.until("exit", func() bool { return p.exit != nil })
	if took := time.Since(at); took > 100*time.Millisecond {
		t.Errorf("the exit was seen after %v", took)
	}
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
	if took := time.Since(at); took > drainLimit+farewell {
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
		call[any](p, hostwire.MethodKill, hostwire.KillParams{Signal: "HUP", GraceMS: 100})
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
		call[any](p, hostwire.MethodKill, hostwire.KillParams{Keys: []string{"C-c"}, GraceMS: 10_000})
		p.until("exit", func() bool { return p.exit != nil })
		if p.exit.Code != 5 {
			t.Errorf("exit: %+v", p.exit.ExitRecord)
		}
	})
	t.Run("wrong", func(t *testing.T) {
		p := start(t, "cat").dial()
		for _, k := range []hostwire.KillParams{{Signal: "NONSENSE"}, {Keys: []string{"NoKey"}}} {
			if r := p.request(hostwire.MethodKill, k); r.Error == nil || r.Error.Code != hostwire.CodeInvalid {
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
		p.send(&hostwire.Input{Type: hostwire.InputRaw, Text: make([]byte, 1<<20)})
		p.until("a blocked writer", func() bool { return len(p.evidence) > 1 })
		call[any](p, hostwire.MethodKill, hostwire.KillParams{Keys: []string{"C-c"}, Signal: "HUP", GraceMS: 50})
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

func TestTicketAndProtocol(t *testing.T) {
	r := start(t, "cat")
	for _, test := range []struct {
		hello hostwire.Hello
		code  string
	}{
		{hostwire.Hello{Ticket: "wrong"}, hostwire.CodeForbidden},
		{hostwire.Hello{}, hostwire.CodeForbidden},
		{hostwire.Hello{Ticket: ticket, ProtocolMin: 7, ProtocolMax: 9}, hostwire.CodeBadVersion},
	} {
		_, _, err := hostwire.Dial(context.Background(), r.spec.Socket, test.hello)
		var e *hostwire.Error
		if !errors.As(err, &e) || e.Code != test.code {
			t.Errorf("%+v: %v", test.hello, err)
		}
	}
	nc, err := net.Dial("unix", r.spec.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	c := hostwire.NewConn(nc)
	if err := c.Send(&hostwire.View{Visible: true}); err != nil {
		t.Fatal(err)
	}
	if m, err := c.Receive(); err != nil || m.Kind() != hostwire.KindError {
		t.Errorf("a connection without hello got %v, %v", m, err)
	}
}

func TestReadOnly(t *testing.T) {
	r := start(t, "cat")
	owner := r.dial()
	owner.view(80, 24)
	watcher := r.dial(func(h *hostwire.Hello) { h.ReadOnly = true })
	watcher.view(40, 10)
	watcher.keys("x")
	if a := watcher.request(hostwire.MethodKeys, hostwire.KeysParams{Keys: []string{"y"}}); a.Error == nil || a.Error.Code != hostwire.CodeForbidden {
		t.Errorf("keys: %+v", a)
	}
	owner.keys("z")
	watcher.shows("z")
	watcher.mu.Lock()
	defer watcher.mu.Unlock()
	if s := watcher.text(); s != "z" || watcher.status.OwnSize || watcher.status.Cols != 80 {
		t.Errorf("screen %q, status %+v", s, watcher.status)
	}
}

func TestSizeOwner(t *testing.T) {
	r := sh(t, `trap 'stty size' WINCH; stty size; while :; do sleep 0.02; done`)
	size := func(p *peer, cols, rows int) {
		t.Helper()
		p.until(fmt.Sprintf("size %dx%d", cols, rows), func() bool {
			c, r := p.mirror.Size()
			return c == cols && r == rows && p.status.Cols == cols && p.status.Rows == rows &&
				strings.Contains(p.text(), fmt.Sprintf("%d %d", rows, cols))
		})
	}
	a := r.dial()
	a.view(100, 30) // the first with an opinion owns
	size(a, 100, 30)
	b := r.dial()
	b.view(60, 20)
	call[any](b, hostwire.MethodPing, nil)
	a.mu.Lock()
	if !a.status.OwnSize {
		t.Error("the first client does not own the size")
	}
	a.mu.Unlock()
	b.keys("x") // a key makes the owner
	size(b, 60, 20)
	a.until("loss of the size", func() bool { return !a.status.OwnSize })
	b.view(50, 15) // and the owner's room counts
	size(b, 50, 15)

	st := call[hostwire.Status](b, hostwire.MethodResize, hostwire.ResizeParams{Cols: 70, Rows: 22})
	if !st.Pinned || st.Cols != 70 {
		t.Errorf("status after resize: %+v", st)
	}
	size(a, 70, 22)
	b.view(51, 15) // pinned: no effect
	b.keys("y")
	call[any](b, hostwire.MethodPing, nil)
	size(b, 70, 22)
	a.keys("z") // another owner ends the pin
	size(a, 100, 30)
	a.close() // the most recent other
	size(b, 51, 15)
	for _, bad := range []hostwire.ResizeParams{{}, {Cols: 0, Rows: 5}, {Cols: 1001, Rows: 5}, {Cols: -1, Rows: -1}} {
		if a := b.request(hostwire.MethodResize, bad); a.Error == nil || a.Error.Code != hostwire.CodeInvalid {
			t.Errorf("resize %+v: %+v", bad, a)
		}
	}
	b.close()
	c := r.dial()
	c.send(&hostwire.View{Visible: true})
	size(c, 51, 15) // nobody: the size stays
}

func TestTransactions(t *testing.T) {
	r := start(t, "cat")
	p := r.dial()
	p.view(80, 24)
	text := "two\nlines"
	tx := hostwire.Tx{ID: "one", Steps: []hostwire.TxStep{{Keys: []string{"a", "M-b"}}, {Paste: &text}, {EchoMS: 5000}, {Keys: []string{"Enter"}}, {Raw: []byte("raw\r")}, {EchoMS: 5000}}}
	if got := call[hostwire.TxResult](p, hostwire.MethodTx, tx); got.Outcome != hostwire.TxWritten || !got.EchoSeen || got.Repeat {
		t.Errorf("first: %+v", got)
	}
	p.shows("lines\nraw")
	before := call[hostwire.Stats](p, hostwire.MethodStats, nil).Read
	if got := call[hostwire.TxResult](p, hostwire.MethodTx, tx); got.Outcome != hostwire.TxWritten || !got.Repeat {
		t.Errorf("repeat: %+v", got)
	}
	if after := call[hostwire.Stats](p, hostwire.MethodStats, nil).Read; after != before {
		t.Errorf("the repeat wrote %d bytes", after-before)
	}
	p.saw(hostwire.EvidenceTx, "id", "one", "outcome", hostwire.TxWritten)
	for _, bad := range []hostwire.Tx{
		{ID: "", Steps: []hostwire.TxStep{{Keys: []string{"a"}}}},
		{ID: "x"},
		{ID: "x", Steps: []hostwire.TxStep{{}}},
		{ID: "x", Steps: []hostwire.TxStep{{Keys: []string{"a"}, Paste: &text}}},
		{ID: "x", Steps: []hostwire.TxStep{{Keys: []string{"Nokey"}}}},
	} {
		if a := p.request(hostwire.MethodTx, bad); a.Error == nil || a.Error.Code != hostwire.CodeInvalid {
			t.Errorf("%+v: %+v", bad, a)
		}
	}
	for i := range rememberedTxs {
		call[hostwire.TxResult](p, hostwire.MethodTx, hostwire.Tx{ID: strconv.Itoa(i), Steps: []hostwire.TxStep{{Keys: []string{"x"}}, {Keys: []string{"BSpace"}}}})
	}
	if got := call[hostwire.TxResult](p, hostwire.MethodTx, hostwire.Tx{ID: "0", Steps: []hostwire.TxStep{{Keys: []string{"x"}}}}); !got.Repeat {
		t.Errorf("the oldest remembered: %+v", got)
	}
	if got := call[hostwire.TxResult](p, hostwire.MethodTx, tx); got.Repeat {
		t.Errorf("one more than is remembered: %+v", got)
	}
}

// TestTxRunning: a repeat while the first is under way says so.
func TestTxRunning(t *testing.T) {
	r := start(t, "cat")
	p := r.dial()
	slow := hostwire.Tx{ID: "slow", Steps: []hostwire.TxStep{{EchoMS: 60_000}}}
	p.send(&hostwire.Request{ID: 500, Method: hostwire.MethodTx, Params: mustJSON(t, slow)})
	if got := call[hostwire.TxResult](p, hostwire.MethodTx, slow); got.Outcome != hostwire.TxRunning || !got.Repeat {
		t.Errorf("repeat: %+v", got)
	}
}

func TestPSPAndQueries(t *testing.T) {
	out, read := tempFile(t)
	r := sh(t, `stty raw -echo; printf '\033]7501;?\007\033[c'; dd bs=1 count=10 2>/dev/null | od -An -c | tr -d ' \n' > `+out+`; echo >> `+out+`; stty sane
printf '\033]7501;state=blocked:app=claude-code:kind=permission:msg=YXBwcm92ZSBCYXNoOiB0b3VjaCBub3Rlcy50eHQ=\007'
printf '\033]7501;state=working:id=bg:title=YmFja2dyb3VuZA\033\\'
printf '\033]0;my title\007\007\033]9;hey\033\\\033]7;file:///tmp\007\033]133;A\007'
cat`)
	p := r.dial()
	p.view(80, 24)
	got := read()
	if strings.TrimSpace(got) != `033]7501;?\a033` {
		t.Errorf("replies: %q", got)
	}
	p.saw(hostwire.EvidencePSP, "state", "blocked", "kind", "permission", "msg", "approve Bash: touch notes.txt", "app", "claude-code")
	p.saw(hostwire.EvidencePSP, "state", "working", "id", "bg", "title", "background")
	p.saw(hostwire.EvidenceTitle, "text", "my title")
	p.saw(hostwire.EvidenceBell)
	p.saw(hostwire.EvidenceNotify, "text", "hey")
	p.saw(hostwire.EvidenceCWD, "url", "file:///tmp")
	p.saw(hostwire.EvidencePrompt, "mark", "A")
	p.until("the title in the status", func() bool { return p.status.Title == "my title" })
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, e := range p.evidence {
		if e.Seq != uint64(i+1) {
			t.Fatalf("evidence %d has number %d", i, e.Seq)
		}
	}
}

func TestEvidenceLost(t *testing.T) {
	r := sh(t, fmt.Sprintf(`printf '\033]7501;state=working:id=early\007'; i=0; while [ $i -lt %d ]; do printf '\007'; i=$((i+1)); done; echo done; cat`, evidenceRing+10))
	a := r.dial()
	a.view(80, 24)
	a.shows("done")
	b := r.dial()
	b.until("all evidence", func() bool { return len(b.evidence) >= evidenceRing })
	b.mu.Lock()
	if len(b.lost) != 1 || len(b.lost[0].PSP) != 1 || b.lost[0].PSP[0].Fields["id"] != "early" {
		t.Errorf("lost: %+v", b.lost)
	} else if b.evidence[0].Seq != b.lost[0].To+1 {
		t.Errorf("evidence goes on at %d after %d was lost", b.evidence[0].Seq, b.lost[0].To)
	}
	last := b.evidence[len(b.evidence)-1].Seq
	b.mu.Unlock()
	c := r.dial(func(h *hostwire.Hello) { h.Evidence = &last })
	c.keys("Escape")
	c.saw(hostwire.EvidenceKeys, "keys", "Escape")
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lost) != 0 || c.evidence[0].Seq != last+1 {
		t.Errorf("reading on from %d: lost %v, first %d", last, c.lost, c.evidence[0].Seq)
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
	out := call[hostwire.OutputResult](p, hostwire.MethodOutput, hostwire.OutputParams{Format: "raw"})
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
	part := call[hostwire.OutputResult](p, hostwire.MethodOutput, hostwire.OutputParams{Format: "raw", From: out.End - 20})
	if string(part.Raw) != fmt.Sprintf("%08d\r\n%08d\r\n", lines-1, lines) {
		t.Errorf("the end of the ring: %q", part.Raw)
	}
	h := call[hostwire.HistoryResult](p, hostwire.MethodHistory, hostwire.HistoryParams{From: 0, Count: 5000})
	if h.Total-h.Oldest != 1000 || h.First != h.Oldest {
		t.Errorf("history: %d to %d, first %d", h.Oldest, h.Total, h.First)
	}
	text := call[hostwire.OutputResult](p, hostwire.MethodOutput, hostwire.OutputParams{Format: "text", Scrollback: true}).Text
	if got := strings.Count(text, "\n"); got != 1000+23 {
		t.Errorf("text with history has %d lines", got)
	}
	p.keys("C-d")
	if err := r.wait(); err != nil {
		t.Fatal(err)
	}
	saved, err := hostwire.ReadOutput(r.spec.Dir, hostwire.OutputParams{Format: "raw"})
	if err != nil || len(saved.Raw) != defaultRing || saved.End < lines*perLine {
		t.Errorf("saved ring: %d bytes to %d, %v", len(saved.Raw), saved.End, err)
	}
	again, err := hostwire.ReadOutput(r.spec.Dir, hostwire.OutputParams{Format: "text", Scrollback: true})
	if err != nil || !strings.HasPrefix(again.Text, text[:len(text)-1]) && !strings.Contains(again.Text, fmt.Sprintf("%08d\n", lines)) {
		t.Errorf("saved text: %d bytes, %v", len(again.Text), err)
	}
}

// TestManyClients: sixteen clients end up with the same screen.
func TestManyClients(t *testing.T) {
	r := start(t, "cat")
	peers := make([]*peer, 16)
	for i := range peers {
		peers[i] = r.dial()
		peers[i].view(80, 24)
	}
	for i, p := range peers {
		p.keys(string(rune('a' + i)))
	}
	for _, p := range peers {
		p.until("all characters on the screen", func() bool { return len(p.text()) == len(peers) })
	}
	call[any](peers[0], hostwire.MethodPing, nil)
	want := call[hostwire.OutputResult](peers[0], hostwire.MethodOutput, hostwire.OutputParams{Format: "text"}).Text
	for _, p := range peers {
		p.until("the final screen", func() bool { return p.text()+"\n" == want })
		p.close()
	}
}

// TestSlowClient: a client that does not read holds nobody up and gets whole,
// coarser frames afterwards.
func TestSlowClient(t *testing.T) {
	r := sh(t, "read x; yes 0123456789012345678901234567890123456789 | head -c 6000000; echo end of flood; cat")
	fast := r.dial()
	fast.view(200, 50)
	slow, _, err := hostwire.Dial(context.Background(), r.spec.Socket, hostwire.Hello{Ticket: ticket})
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	if err := slow.Send(&hostwire.View{Visible: true}); err != nil {
		t.Fatal(err)
	}
	fast.keys("Enter")
	fast.shows("end of flood")
	fast.mu.Lock()
	frames := fast.frames
	fast.mu.Unlock()
	t.Logf("%d frames for 6 MB", frames)
	m := hostwire.NewMirror()
	for {
		msg, err := slow.Receive()
		if err != nil {
			t.Fatal(err)
		}
		f, ok := msg.(*hostwire.Frame)
		if !ok {
			continue
		}
		if err := m.Apply(f); err != nil {
			t.Fatal(err)
		}
		var text []byte
		_, rows := m.Size()
		for y := range rows {
			text = m.Table().AppendText(text, m.Row(y).Cells)
		}
		if bytes.Contains(text, []byte("end of flood")) {
			return
		}
	}
}

// TestStuckClient: one that reads nothing is disconnected, the other does not
// notice.
func TestStuckClient(t *testing.T) {
	r := startSpec(t, specFor(t, "sh", "-c", "read x; yes 0123456789012345678901234567890123456789; cat"),
		func(o *Options) { o.WriteTimeout = 50 * time.Millisecond })
	other := r.dial()
	other.view(80, 24)
	nc, err := net.Dial("unix", r.spec.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	stuck := hostwire.NewConn(nc)
	for _, m := range []hostwire.Message{&hostwire.Hello{ProtocolMin: 1, ProtocolMax: 1, Ticket: ticket}, &hostwire.View{Visible: true}} {
		if err := stuck.Send(m); err != nil {
			t.Fatal(err)
		}
	}
	other.until("both clients", func() bool { return other.status.Clients == 2 })
	other.keys("Enter")
	other.until("the end of the stuck client", func() bool { return other.status.Clients == 1 })
	other.keys("C-c")
	other.until("exit", func() bool { return other.exit != nil })
}

// TestBlockedInput: a client whose input waits for a process that does not
// read is noticed when it leaves, and holds up no other.
func TestBlockedInput(t *testing.T) {
	r := sh(t, `stty raw -echo; echo ready; while :; do sleep 0.05; done`)
	p := r.dial()
	p.view(80, 24)
	p.shows("ready")
	typist := r.dial()
	p.until("both clients", func() bool { return p.status.Clients == 2 })
	large := &hostwire.Input{Type: hostwire.InputPaste, Text: make([]byte, 1<<20)}
	typist.send(large)
	typist.saw(hostwire.EvidenceKeys)
	for _, who := range []*peer{p, typist} {
		if a := who.request(hostwire.MethodOutput, hostwire.OutputParams{}); a.Error != nil {
			t.Errorf("output while input is blocked: %v", a.Error)
		}
	}
	sent := make(chan error, 1)
	go func() {
		_ = typist.conn.Send(large)     // is read, and waits
		sent <- typist.conn.Send(large) // is not
	}()
	select {
	case err := <-sent:
		t.Errorf("a third large input was taken: %v", err)
	case <-time.After(hangUpInterval):
		typist.close()
		<-sent
	}
	p.until("the typist's end", func() bool { return p.status.Clients == 1 })
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

// TestSynchronizedUpdate: no frame in the middle of one, but for 150 ms at most.
func TestSynchronizedUpdate(t *testing.T) {
	r := sh(t, `stty -echo; read x; printf '\033[?2026hhalf'; read x; printf ' whole\033[?2026l'; read x; printf '\033[?2026hlate'; cat`)
	p := r.dial()
	p.view(80, 24)
	p.keys("Enter")
	p.saw(hostwire.EvidenceKeys, "keys", "Enter")
	p.keys("Enter")
	p.shows("half whole")
	at := time.Now()
	p.keys("Enter")
	p.shows("late")
	if took := time.Since(at); took < syncLimit {
		t.Errorf("a frame came %v into a synchronized update", took)
	}
}

func TestEnginePanic(t *testing.T) {
	spec := specFor(t, "cat")
	r := startSpec(t, spec, func(o *Options) {
		o.Engine = func(name string, so screen.Options) screen.Engine { return &fragile{Engine: NewEngine(name, so)} }
	})
	p := r.dial()
	p.view(80, 24)
	p.typeLine("before")
	p.shows("before\nbefore")
	p.keys("C-g", "Enter") // echoed as ^G, printed as it is
	p.saw(hostwire.EvidenceEngine)
	p.until("an empty screen", func() bool { return !strings.Contains(p.text(), "before") })
	p.typeLine("after")
	p.shows("after\nafter")
}

// fragile panics when it is fed a bell.
type fragile struct{ screen.Engine }

func (f *fragile) Feed(p []byte) {
	if bytes.Contains(p, []byte("\a")) {
		panic("broken")
	}
	f.Engine.Feed(p)
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
	var hf hostwire.HostFile
	readJSON(t, filepath.Join(r.spec.Dir, paths.HostFile), &hf)
	if hf.PID != os.Getpid() || !procinfo.Alive(hf.PID, hf.Start) || hf.ChildPID != r.ready.PID || !procinfo.Alive(hf.ChildPID, hf.ChildStart) {
		t.Errorf("host.json: %+v", hf)
	}
	if hf.Socket != r.spec.Socket || hf.Spec.Ticket != ticket || hf.Protocol != hostwire.ProtocolMax {
		t.Errorf("host.json: %+v", hf)
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
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	r := sh(t, `{ stty size < /dev/tty; cut -d' ' -f6 /proc/$$/stat; grep SigIgn /proc/$$/status; } | tr '\n' ' ' > `+out+` 2>&1; echo >> `+out+`; cat`)
	got := strings.Fields(read())
	if len(got) != 5 || got[0] != "24" || got[1] != "80" {
		t.Fatalf("got %q", got)
	}
	if got[2] != strconv.Itoa(r.ready.PID) {
		t.Errorf("session %s of process %d", got[2], r.ready.PID)
	}
	if got[4] != "0000000000000000" {
		t.Errorf("ignored signals: %s", got[4])
	}

	// Nothing of the host's own: the PTY's other side, its socket, the poller.
	ls := start(t, "ls", "-l", "/proc/self/fd")
	if err := ls.wait(); err != nil {
		t.Fatal(err)
	}
	files, err := hostwire.ReadOutput(ls.spec.Dir, hostwire.OutputParams{})
	if err != nil || !strings.Contains(files.Text, "/dev/pts/") {
		t.Fatalf("open files: %q, %v", files.Text, err)
	}
	for _, ours := range []string{"ptmx", "socket:", "anon_inode", "pidfd"} {
		if strings.Contains(files.Text, ours) {
			t.Errorf("the process has files of the host:\n%s", files.Text)
		}
	}
}

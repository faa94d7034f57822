package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"ccdir/wire"
)

func TestTicketAndProtocol(t *testing.T) {
	r := start(t, "cat")
	for _, test := range []struct {
		hello wire.Hello
		code  string
	}{
		{wire.Hello{Ticket: "wrong"}, wire.CodeForbidden},
		{wire.Hello{}, wire.CodeForbidden},
		{wire.Hello{Ticket: ticket, ProtocolMin: 7, ProtocolMax: 9}, wire.CodeBadVersion},
	} {
		_, _, err := wire.Dial(context.Background(), r.spec.Socket, test.hello)
		var e *wire.Error
		if !errors.As(err, &e) || e.Code != test.code {
			t.Errorf("%+v: %v", test.hello, err)
		}
	}
	nc, err := net.Dial("unix", r.spec.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	c := wire.NewConn(nc)
	if err := c.Send(&wire.View{Visible: true}); err != nil {
		t.Fatal(err)
	}
	if m, err := c.Receive(); err != nil || m.Kind() != wire.KindError {
		t.Errorf("a connection without hello got %v, %v", m, err)
	}
}

func TestReadOnly(t *testing.T) {
	r := start(t, "cat")
	owner := r.dial()
	owner.view(80, 24)
	watcher := r.dial(func(h *wire.Hello) { h.ReadOnly = true })
	watcher.view(40, 10)
	watcher.keys("x")
	if a := watcher.request(wire.MethodKeys, wire.KeysParams{Keys: []string{"y"}}); a.Error == nil || a.Error.Code != wire.CodeForbidden {
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
	call[any](b, wire.MethodPing, nil)
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

	st := call[wire.Status](b, wire.MethodResize, wire.ResizeParams{Cols: 70, Rows: 22})
	if !st.Pinned || st.Cols != 70 {
		t.Errorf("status after resize: %+v", st)
	}
	size(a, 70, 22)
	b.view(51, 15) // pinned: no effect
	b.keys("y")
	call[any](b, wire.MethodPing, nil)
	size(b, 70, 22)
	a.keys("z") // another owner ends the pin
	size(a, 100, 30)
	a.close() // the most recent other
	size(b, 51, 15)
	for _, bad := range []wire.ResizeParams{{}, {Cols: 0, Rows: 5}, {Cols: 1001, Rows: 5}, {Cols: -1, Rows: -1}} {
		if a := b.request(wire.MethodResize, bad); a.Error == nil || a.Error.Code != wire.CodeInvalid {
			t.Errorf("resize %+v: %+v", bad, a)
		}
	}
	b.close()
	c := r.dial()
	c.send(&wire.View{Visible: true})
	size(c, 51, 15) // nobody: the size stays
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
	call[any](peers[0], wire.MethodPing, nil)
	want := call[wire.OutputResult](peers[0], wire.MethodOutput, wire.OutputParams{Format: "text"}).Text
	for _, p := range peers {
		p.until("the final screen", func() bool { return p.text()+"\n" == want })
		p.close()
	}
}

// TestClientChurn: what comes and goes leaves nothing behind.
func TestClientChurn(t *testing.T) {
	r := start(t, "cat")
	p := r.dial()
	p.view(80, 24)
	before := call[wire.Stats](p, wire.MethodStats, nil)
	for i := range 200 {
		c := r.dial()
		if i%2 == 0 {
			c.view(80+i%3, 24)
		}
		c.close()
	}
	p.until("the last one's end", func() bool { return p.status.Clients == 1 })
	// The goroutines of the other side, which are this test's, are gone too.
	var after wire.Stats
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if after = call[wire.Stats](p, wire.MethodStats, nil); after.Goroutines <= before.Goroutines {
			return
		}
	}
	t.Errorf("%d goroutines, before %d", after.Goroutines, before.Goroutines)
}

// TestSlowClient: a client that does not read holds nobody up and gets whole,
// coarser frames afterwards.
func TestSlowClient(t *testing.T) {
	r := startSpec(t, specFor(t, "sh", "-c", "read x; yes 0123456789012345678901234567890123456789 | head -c 1000000; echo end of flood; cat"),
		func(o *Options) { o.WriteTimeout = time.Hour }) // it is slow, not stuck, however long the flood takes
	fast := r.dial()
	fast.view(200, 50)
	slow, _, err := wire.Dial(context.Background(), r.spec.Socket, wire.Hello{Ticket: ticket})
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	if err := slow.Send(&wire.View{Visible: true}); err != nil {
		t.Fatal(err)
	}
	fast.keys("Enter")
	fast.shows("end of flood")
	fast.mu.Lock()
	frames := fast.frames
	fast.mu.Unlock()
	t.Logf("%d frames for 1 MB", frames)
	m := wire.NewMirror()
	for {
		msg, err := slow.Receive()
		if err != nil {
			t.Fatal(err)
		}
		f, ok := msg.(*wire.Frame)
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
		func(o *Options) { o.WriteTimeout = 300 * time.Millisecond })
	other := r.dial()
	other.view(80, 24)
	nc, err := net.Dial("unix", r.spec.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	stuck := wire.NewConn(nc)
	for _, m := range []wire.Message{&wire.Hello{ProtocolMin: 1, ProtocolMax: 1, Ticket: ticket}, &wire.View{Visible: true}} {
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
	large := &wire.Input{Type: wire.InputPaste, Text: bytes.Repeat([]byte("x"), 1<<20)}
	typist.send(large)
	typist.saw(wire.EvidenceKeys)
	for _, who := range []*peer{p, typist} {
		if a := who.request(wire.MethodOutput, wire.OutputParams{}); a.Error != nil {
			t.Errorf("output while input is blocked: %v", a.Error)
		}
	}
	sent := make(chan error, 1)
	go func() {
		var err error
		for i := 0; i < 16 && err == nil; i++ { // the next is read and waits, what else is read ahead is bounded
			err = typist.conn.Send(large)
		}
		sent <- err
	}()
	select {
	case err := <-sent:
		t.Fatalf("16 more large inputs were taken: %v", err)
	case <-time.After(hangUpInterval):
		typist.close()
		<-sent
	}
	p.until("the typist's end", func() bool { return p.status.Clients == 1 })
}

// TestSynchronizedUpdate: no frame in the middle of one, but for 150 ms at most.
func TestSynchronizedUpdate(t *testing.T) {
	r := sh(t, `stty -echo; read x; printf '\033[?2026hhalf'; read x; printf ' whole\033[?2026l'; read x; printf '\033[?2026hlate'; cat`)
	p := r.dial()
	p.view(80, 24)
	p.keys("Enter")
	p.saw(wire.EvidenceKeys, "keys", "Enter")
	p.keys("Enter")
	p.shows("half whole")
	at := time.Now()
	p.keys("Enter")
	p.shows("late")
	if took := time.Since(at); took < syncLimit {
		t.Errorf("a frame came %v into a synchronized update", took)
	}
}

// TestGreetingWithView: a client that sends its view with its greeting gets
// welcome and first picture in one write.
func TestGreetingWithView(t *testing.T) {
	r := start(t, "sh", "-c", "printf picture; exec cat")
	first := r.dial()
	first.view(80, 24)
	first.shows("picture")
	for range 10 {
		conn, w, err := wire.Dial(context.Background(), r.spec.Socket, wire.Hello{Ticket: ticket, Looks: true}, &wire.View{Visible: true, Cols: 80, Rows: 24})
		if err != nil {
			t.Fatal(err)
		}
		picture := false
		for !picture && conn.Ready() { // a status may be between them
			m, err := conn.Receive()
			if err != nil {
				t.Fatal(err)
			}
			_, picture = m.(*wire.Frame)
		}
		if !picture {
			t.Errorf("no picture came with the welcome %+v", w)
		}
		conn.Close()
	}
}

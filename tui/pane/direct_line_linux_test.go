package pane

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ccdir/wire"
	"ccdir/wire/directline"
	"ccdir/wire/directline/linetest"
)

// lineHost is a host's end of a direct line, whose terminal is a pipe.
type lineHost struct {
	*linetest.Pair
	terminal int
}

// newLineHost makes both ends of an open line.
func newLineHost(t *testing.T) *lineHost {
	t.Helper()
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(pipe[0]); unix.Close(pipe[1]) })
	h := &lineHost{linetest.New(t, linetest.FD(pipe[1]), nil), pipe[0]}
	h.Lines.Allow(true)
	return h
}

// read is what arrived straight.
func (h *lineHost) read(t *testing.T) string {
	t.Helper()
	buf := make([]byte, 4<<10)
	n, err := unix.Read(h.terminal, buf)
	if err != nil && !errors.Is(err, unix.EAGAIN) {
		t.Fatal(err)
	}
	return string(buf[:max(n, 0)])
}

// Text goes straight only after everything before it, and the rest by the host.
func TestTypesStraight(t *testing.T) {
	h := newLineHost(t)
	p := New(Config{ID: "aaaa1111"})
	p.UseLine(h.Line)
	types := func(text string) {
		if !p.TypeText(text) {
			p.SendSoon(&wire.Input{Type: wire.InputRaw, Text: []byte(text)})
		}
	}
	for _, text := range []string{"a", "ä", " "} {
		types(text)
	}
	if got := h.read(t); got != "aä " || len(p.input) != 0 {
		t.Errorf("%q went straight, %d inputs to the host", got, len(p.input))
	}
	// What is behind a key that the host has to be told waits for it.
	types("b")
	p.SendSoon(&wire.Input{Type: wire.InputKey, Text: []byte("Enter")})
	types("d")
	if got := h.read(t); got != "b" {
		t.Errorf("%q went straight", got)
	}
	if got := p.DiscardInput(); len(got) != 2 || string(got[0].Text) != "Enter" || string(got[1].Text) != "d" {
		t.Errorf("to the host went %v", got)
	}
	p.line.sent.Store(4) // as the writer counts
	h.End.Done(3)
	types("e")
	if got := p.DiscardInput(); h.read(t) != "" || len(got) != 1 {
		t.Error("something was overtaken")
	}
	p.line.sent.Store(5)
	h.End.Done(5)
	types("f")
	if got := h.read(t); got != "f" {
		t.Errorf("%q went straight when everything was written", got)
	}
}

// lineDialer gives connections to one host, and lines.
type lineDialer struct {
	hosts chan *wire.Conn
	asked chan string
	line  *directline.Line
}

func (d *lineDialer) DialHost(ctx context.Context, id string, _ bool, _ wire.View) (Conn, wire.Welcome, error) {
	a, b := net.Pipe()
	select {
	case d.hosts <- wire.NewConn(a):
	case <-ctx.Done():
		return nil, wire.Welcome{}, ctx.Err()
	}
	return wire.NewConn(b), wire.Welcome{Session: id}, nil
}

func (d *lineDialer) DialLine(_ context.Context, id, token string, _ directline.Terminal) (*directline.Line, error) {
	d.asked <- id + " " + token
	return d.line, nil
}

// The line is asked for when somebody types, once, and closed with its connection.
func TestOpensLine(t *testing.T) {
	h := newLineHost(t)
	d := &lineDialer{hosts: make(chan *wire.Conn), asked: make(chan string, 8), line: h.Line}
	told := make(chan State, 8)
	p := New(Config{ID: "aaaa1111", Dialer: d, Fast: FastPath{Line: true}, Report: func(s State) { told <- s }})
	p.Start(t.Context())
	defer p.Close()
	conn := within(t, d.hosts, "a connection")
	if within(t, told, "its report"); len(d.asked) != 0 {
		t.Error("a line was asked for before anybody typed")
	}
	if p.TypeText("a") {
		t.Error("text went straight without a line")
	}
	giveLine(t, conn, "the token")
	if got := within(t, d.asked, "the question"); got != "aaaa1111 the token" {
		t.Errorf("asked for %q", got)
	}
	eventually(t, "text goes straight", func() bool { return p.TypeText("b") })
	if got := h.read(t); got != "b" {
		t.Errorf("%q went straight", got)
	}
	_ = conn.Close()
	within(t, d.hosts, "another connection")
	if p.line.open.Load() != nil || h.Line.Write([]byte("c"), 0) != 0 {
		t.Error("the line is not closed")
	}
	if len(d.asked) != 0 {
		t.Error("the line was asked for again")
	}
}

// Without the fast path no line is asked for, and text goes to the host.
func TestNoFastPath(t *testing.T) {
	d := &lineDialer{hosts: make(chan *wire.Conn), asked: make(chan string, 8)}
	told := make(chan State, 8)
	p := New(Config{ID: "aaaa1111", Dialer: d, Report: func(s State) { told <- s }})
	p.Start(t.Context())
	defer p.Close()
	conn := within(t, d.hosts, "a connection")
	within(t, told, "its report")
	if p.TypeText("a") {
		t.Error("text went straight")
	}
	p.SendSoon(&wire.Input{Type: wire.InputKey, Text: []byte("a")})
	for {
		m, err := conn.Receive()
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := m.(*wire.Request); ok {
			t.Fatal("a line was asked for")
		}
		if in, ok := m.(*wire.Input); ok {
			if string(in.Text) != "a" {
				t.Errorf("%q went to the host", in.Text)
			}
			break
		}
	}
	if p.Lender() != nil {
		t.Error("the terminal may be lent")
	}
}

// giveLine answers the question for a line.
func giveLine(t *testing.T, conn *wire.Conn, token string) {
	t.Helper()
	for {
		m, err := conn.Receive()
		if err != nil {
			t.Fatal(err)
		}
		if r, ok := m.(*wire.Request); ok && r.Method == wire.MethodLine {
			result, err := json.Marshal(wire.LineResult{Token: token})
			if err != nil {
				t.Fatal(err)
			}
			if err := conn.Send(&wire.Response{ID: r.ID, Result: result}); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for until := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("not seen: %s", what)
		}
	}
}

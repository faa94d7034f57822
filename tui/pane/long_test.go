package pane

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"testing"
	"time"

	"ccdir/wire"
)

// patience bounds the wait for what must come.
const patience = 30 * time.Second

// longPaste is a paste of that many kilobytes.
func longPaste(kb int) *wire.Input {
	return &wire.Input{Type: wire.InputPaste, Text: bytes.Repeat([]byte("x"), kb<<10)}
}

// TestUnhanded: what ends with the connection is told from what the host is through with
// whatever happens here.
func TestUnhanded(t *testing.T) {
	key := &wire.Input{Type: wire.InputKey, Text: []byte("Enter")}
	p := New(Config{ID: "aaaa1111"})
	is := func(when string, long int, waits bool) {
		t.Helper()
		if n, w := p.Unhanded(); w != waits || w && n != long<<10 {
			t.Errorf("%s: waits %v, %d bytes of long text", when, w, n)
		}
	}
	out := func() {
		p.goesOut(<-p.input)
		p.line.waiting.Add(-1)
	}
	is("nothing typed", 0, false)
	p.connected(wire.Status{Connection: 7})
	p.Send(longPaste(8))
	is("not sent", 8, true)
	out()
	is("sent", 0, false)
	p.Send(longPaste(4))
	is("another one behind it", 4, true)
	out()
	is("sent behind it", 4, true)
	p.took(&wire.Status{Connection: 7, Taken: 8 << 10})
	is("the first is written", 0, false)
	p.Send(key)
	is("a key behind it", 0, true)
	out()
	is("sent behind a paste", 0, true)
	p.took(&wire.Status{Connection: 7, Taken: 12 << 10})
	is("all is written", 0, false)
	p.Send(key)
	p.End(true)
	is("the session has ended", 0, false)
}

// droppingHost is a client whose host drops text, but not over the pane's own connection,
// which this test does not read.
type droppingHost struct {
	drops chan wire.DropParams
}

func (c droppingHost) DialHost(_ context.Context, id string, readOnly bool, view wire.View) (Conn, wire.Welcome, error) {
	a, b := net.Pipe()
	near, far := wire.NewConn(a), wire.NewConn(b)
	go func() {
		for {
			m, err := far.Receive()
			if err != nil {
				return
			}
			r, ok := m.(*wire.Request)
			var p wire.DropParams
			if ok && json.Unmarshal(r.Params, &p) == nil && r.Method == wire.MethodDrop {
				c.drops <- p
				_ = far.Send(&wire.Response{ID: r.ID})
			}
		}
	}()
	return near, wire.Welcome{Session: id}, nil
}

// within is what comes from ch.
func within[T any](t *testing.T, ch chan T, what string) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(patience):
		t.Fatalf("%s did not come", what)
		panic("unreachable")
	}
}

// TestCancelLong: a pane tells how much of a paste its host has written; cancelled, the
// host is asked past the connection that it does not read, what was not sent yet is
// not sent, and keys are.
func TestCancelLong(t *testing.T) {
	var last State
	told := make(chan State, 100)
	c := droppingHost{drops: make(chan wire.DropParams, 1)}
	p := New(Config{ID: "aaaa1111", Dialer: c, Report: func(s State) { told <- s }})
	until := func(what string, ok func(s State) bool) {
		t.Helper()
		for !ok(last) {
			last = within(t, told, what)
		}
	}
	p.connected(wire.Status{Connection: 7})
	p.change(func(s *State) { s.Connected = true })
	size := 4 * wire.LongText
	paste := &wire.Input{Type: wire.InputPaste, Text: bytes.Repeat([]byte("x"), size)}
	key := &wire.Input{Type: wire.InputKey, Text: []byte("C-c")}
	for _, in := range []*wire.Input{key, paste, paste, key} {
		p.Send(in)
	}
	for range 2 {
		if !p.goesOut(<-p.input) {
			t.Fatal("an input was dropped that nobody cancelled")
		}
	}
	until("the whole of it", func(s State) bool { return s.Pasting == 2*size && s.Pasted == 0 })
	p.took(&wire.Status{Connection: 7, Taken: uint64(3 + size/4)})
	until("a part of it", func(s State) bool { return s.Pasting == 2*size && s.Pasted == size/4 })
	rest := p.CancelLong()
	if rest == nil {
		t.Fatal("the host is not asked")
	}
	if p.goesOut(<-p.input) {
		t.Error("the second paste is sent")
	}
	if in := <-p.input; in != key || !p.goesOut(in) {
		t.Error("the key behind it is not sent")
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := rest(ctx); err != nil {
		t.Error(err)
	}
	if got, want := within(t, c.drops, "the request"), (wire.DropParams{Connection: 7, Inputs: 2}); got != want {
		t.Errorf("the host is asked for %+v, want %+v", got, want)
	}
	p.took(&wire.Status{Connection: 7, Taken: uint64(3 + size), Dropped: uint64(size - size/4)})
	until("the end", func(s State) bool { return s.Pasting == 0 })
	if want := 2*size - size/4; last.Lost != want {
		t.Errorf("%d bytes are told to be lost, want %d", last.Lost, want)
	}
	p.Send(paste)
	if !p.goesOut(<-p.input) {
		t.Error("a paste after it is dropped")
	}
	until("a new one", func(s State) bool { return s.Pasting == size && s.Pasted == 0 })
	p.disconnected()
	until("its end", func(s State) bool { return s.Pasting == 0 && s.Lost == 3*size-size/4 })
}

// noHost is a session without a host.
type noHost struct{}

func (noHost) DialHost(context.Context, string, bool, wire.View) (Conn, wire.Welcome, error) {
	return nil, wire.Welcome{}, errors.New("nobody is there")
}

package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/internal/hostwire"
)

// droppingHost is a client whose host drops text, but not over the pane's own connection,
// which this test does not read.
type droppingHost struct {
	*fakeClient
	drops chan hostwire.DropParams
}

func (c droppingHost) DialHost(_ context.Context, id string, readOnly bool, view hostwire.View) (HostConn, hostwire.Welcome, error) {
	a, b := net.Pipe()
	near, far := hostwire.NewConn(a), hostwire.NewConn(b)
	go func() {
		for {
			m, err := far.Receive()
			if err != nil {
				return
			}
			r, ok := m.(*hostwire.Request)
			var p hostwire.DropParams
			if ok && json.Unmarshal(r.Params, &p) == nil && r.Method == hostwire.MethodDrop {
				c.drops <- p
				_ = far.Send(&hostwire.Response{ID: r.ID})
			}
		}
	}()
	return near, hostwire.Welcome{Session: id}, nil
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

// TestCancelPaste: a pane tells how much of a paste its host has written; cancelled, the
// host is asked past the connection that it does not read, what was not sent yet is
// not sent, and keys are.
func TestCancelPaste(t *testing.T) {
	var last paneState
	told := make(chan paneState, 100)
	c := droppingHost{fakeClient: newFakeClient(), drops: make(chan hostwire.DropParams, 1)}
	p := newPane("aaaa1111", c, false, func(s paneState) { told <- s }, func(*pane) {})
	until := func(what string, ok func(s paneState) bool) {
		t.Helper()
		for !ok(last) {
			last = within(t, told, what)
		}
	}
	p.connected(hostwire.Status{Connection: 7})
	p.change(func(s *paneState) { s.Connected = true })
	size := 4 * hostwire.LongText
	paste := &hostwire.Input{Type: hostwire.InputPaste, Text: bytes.Repeat([]byte("x"), size)}
	key := &hostwire.Input{Type: hostwire.InputKey, Text: []byte("C-c")}
	for _, in := range []*hostwire.Input{key, paste, paste, key} {
		p.send(in)
	}
	for range 2 {
		if !p.goesOut(<-p.input) {
			t.Fatal("an input was dropped that nobody cancelled")
		}
	}
	until("the whole of it", func(s paneState) bool { return s.Pasting == 2*size && s.Pasted == 0 })
	p.took(&hostwire.Status{Connection: 7, Taken: uint64(3 + size/4)})
	until("a part of it", func(s paneState) bool { return s.Pasting == 2*size && s.Pasted == size/4 })
	ask, asks := p.cancelPaste()
	if want := (hostwire.DropParams{Connection: 7, Inputs: 2}); ask != want || !asks {
		t.Errorf("asks %v for %+v, want %+v", asks, ask, want)
	}
	if p.goesOut(<-p.input) {
		t.Error("the second paste is sent")
	}
	if in := <-p.input; in != key || !p.goesOut(in) {
		t.Error("the key behind it is not sent")
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := p.drop(ctx, ask); err != nil {
		t.Error(err)
	}
	if got := within(t, c.drops, "the request"); got != ask {
		t.Errorf("the host is asked for %+v, want %+v", got, ask)
	}
	p.took(&hostwire.Status{Connection: 7, Taken: uint64(3 + size), Dropped: uint64(size - size/4)})
	until("the end", func(s paneState) bool { return s.Pasting == 0 })
	if want := 2*size - size/4; last.Lost != want {
		t.Errorf("%d bytes are told to be lost, want %d", last.Lost, want)
	}
	p.send(paste)
	if !p.goesOut(<-p.input) {
		t.Error("a paste after it is dropped")
	}
	until("a new one", func(s paneState) bool { return s.Pasting == size && s.Pasted == 0 })
	p.disconnected()
	until("its end", func(s paneState) bool { return s.Pasting == 0 && s.Lost == 3*size-size/4 })
}

// TestPasteProgress: a paste that takes long is shown, a short one is not, it can be
// cancelled, and what it left out is said.
func TestPasteProgress(t *testing.T) {
	underClock(t, nil, func(x *clocked) {
		tell := func(s paneState) {
			s.ID, s.Connected = "bbbb2222", true
			x.inbox.pane(s)
			synctest.Wait()
		}
		tell(paneState{Pasting: 4 << 10})
		x.sees("", "pasting")
		tell(paneState{})
		x.pass(pasteShown)
		x.sees("", "pasting")
		x.keys("C-b", "C-c")
		x.sees("nothing is under way")
		tell(paneState{Pasting: 1 << 20, Pasted: 312 << 10})
		x.sees("", "pasting")
		x.pass(pasteShown)
		x.sees("pasting into web 312/1024 KB", "C-b C-c cancels")
		tell(paneState{Lost: 712 << 10})
		x.sees("712 KB of what was pasted into web were not written", "", "pasting into")
	})
}

// TestCancelPasteFails: that a paste could not be cancelled is said.
func TestCancelPasteFails(t *testing.T) {
	m, c := clientModel(t, two()...)
	id := m.focus
	c.fails("dial", errors.New("the daemon is away"))
	p := m.panes[id]
	p.connected(hostwire.Status{Connection: 3})
	paste := &hostwire.Input{Type: hostwire.InputPaste, Text: bytes.Repeat([]byte("x"), hostwire.LongText)}
	p.send(paste)
	p.goesOut(<-p.input)
	m.take(news{panes: map[string]paneState{id: {ID: id, Pasting: hostwire.LongText}}})
	do(m, "C-b", "C-c")
	if !strings.Contains(m.notice.text, "could not be cancelled") {
		t.Errorf("said %q", m.notice.text)
	}
}

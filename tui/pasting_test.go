package tui

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/tui/pane"
	"ccdir/wire"
)

// TestPasteProgress: a paste that takes long is shown, a short one is not, it can be
// cancelled, and what it left out is said.
func TestPasteProgress(t *testing.T) {
	underClock(t, nil, func(x *clocked) {
		tell := func(s pane.State) {
			s.ID, s.Connected = "bbbb2222", true
			x.inbox.pane(s)
			synctest.Wait()
		}
		tell(pane.State{Pasting: 4 << 10})
		x.sees("", "pasting")
		tell(pane.State{})
		x.pass(500 * time.Millisecond)
		x.sees("", "pasting")
		x.keys("C-b", "C-c")
		x.sees("nothing is under way")
		tell(pane.State{Pasting: 1 << 20, Pasted: 312 << 10})
		x.sees("", "pasting")
		x.pass(500 * time.Millisecond)
		x.sees("pasting into web 312/1024 KB", "C-b C-c cancels")
		tell(pane.State{Lost: 712 << 10})
		x.sees("712 KB of what was pasted into web were not written", "", "pasting into")
	})
}

// TestCancelPasteFails: that a paste could not be cancelled is said.
func TestCancelPasteFails(t *testing.T) {
	m, c := clientModel(t, two()...)
	id := m.grid.Focus
	p, host := m.hosts.Panes[id], c.host(id)
	host.connection = 3
	p.Start(t.Context())
	defer p.Close()
	p.Send(&wire.Input{Type: wire.InputPaste, Text: bytes.Repeat([]byte("x"), wire.LongText)})
	eventually(t, "the host has the paste", func() bool { return host.seen(func(h *fakeHost) bool { return len(h.inputs) == 1 }) })
	c.fails("dial", errors.New("the daemon is away"))
	m.take(news{panes: map[string]pane.State{id: {ID: id, Pasting: wire.LongText}}})
	do(m, "C-b", "C-c")
	if !strings.Contains(m.notice.text, "could not be cancelled") {
		t.Errorf("said %q", m.notice.text)
	}
}

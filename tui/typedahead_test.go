package tui

import (
	"context"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/tui/dialogs/rename"
	"ccdir/tui/terminal/input"
)

// slowNames is a client whose first rename takes until its gate opens.
type slowNames struct {
	*fakeClient
	begun chan string
	gate  chan struct{}
}

func (c slowNames) RenameSession(ctx context.Context, id, name string) (api.Session, error) {
	c.begun <- name
	if name == "first" {
		<-c.gate
	}
	return c.fakeClient.RenameSession(ctx, id, name)
}

// TestRenamesInOrder: names that were typed ahead are given in the order in which they
// were typed, whatever the daemon takes for each.
func TestRenamesInOrder(t *testing.T) {
	m, c := clientModel(t, two()...)
	slow := slowNames{c, make(chan string, 2), make(chan struct{})}
	m.opts.Client = slow
	results := make(chan tea.Msg, 2)
	for _, name := range []string{"first", "second"} {
		m.openOver(nil, rename.New(m.Sessions[0]))
		press(m, "C-u")
		typeIn(m, name)
		later(caused(m, func() { m.overlay.key(m, input.Key{Name: "Enter"}) }), results)
	}
	if got := within(t, slow.begun, "the first rename"); got != "first" {
		// The commands run at the same time; the second one has to wait.
		t.Errorf("%s is begun first", got)
	}
	select {
	case name := <-slow.begun:
		t.Errorf("%s is begun before the first has an answer", name)
	case <-time.After(20 * time.Millisecond): // without the order it begins at once
	}
	close(slow.gate)
	for range 2 {
		m.Update(within(t, results, "an answer"))
	}
	calls := slices.DeleteFunc(c.noted(), func(s string) bool { return s[:min(6, len(s))] != "rename" })
	if want := []string{"rename aaaa1111 first", "rename aaaa1111 second"}; !slices.Equal(calls, want) {
		t.Errorf("%q, want %q", calls, want)
	}
}

// TestClearQueueIgnoresKeysInFlight: a y that was typed before the question was on the
// screen does not answer it.
func TestClearQueueIgnoresKeysInFlight(t *testing.T) {
	m, c := queued(t)
	shown := m.now().Add(time.Second)
	m.popupShown = func(uint64) (time.Time, bool) { return shown, true }
	do(m, "C-b", "T", "C", "y")
	shows(t, m, "cancel every queued task?")
	if slices.Contains(c.noted(), "clear-tasks") {
		t.Error("the queue was cleared by a key in flight")
	}
	m.now = func() time.Time { return shown }
	do(m, "y")
	if !slices.Contains(c.noted(), "clear-tasks") {
		t.Errorf("not cleared: %q", c.noted())
	}
}

package tui

import (
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/known"
	"ccdir/tui/pane"
)

const (
	graceFor   = time.Second            // the least grace period
	gracePause = 500 * time.Millisecond // the pause in typing that ends it
)

// TestRemovedUnderTheKeys: what was meant for a session that somebody removes meanwhile
// does not answer its neighbour's request.
func TestRemovedUnderTheKeys(t *testing.T) {
	m := fourPanes(120, 40)
	now := m.now()
	m.now = func() time.Time { return now }
	for _, v := range m.Sessions {
		m.hosts.Panes[v.ID] = pane.New(pane.Config{ID: v.ID})
	}
	n := 0
	got := func() int {
		for _, p := range m.hosts.Panes {
			n += len(p.DiscardInput())
		}
		return n
	}
	press(m, "C-b", "1")
	m.Update(newsMsg{news{News: known.News{Removed: map[string]bool{"aaaa1111": true}}}})
	if v := m.focused(); v == nil || v.State != api.StatePermission {
		t.Fatalf("the focus fell to %+v, not to the session that asks", v)
	}
	before := got()
	press(m, "1", "Enter")
	if got() != before || m.route(now).Pane != nil {
		t.Error("the neighbour got the keys")
	}
	shows(t, m, "api was removed while you typed: the key was not sent to web")
	now = now.Add(graceFor - time.Millisecond)
	press(m, "y") // still typing
	now = now.Add(gracePause - time.Millisecond)
	press(m, "y")
	if got() != before {
		t.Error("the neighbour got keys of somebody who had not paused")
	}
	now = now.Add(gracePause)
	m.Update(clockMsg{m.wakeGen})
	if m.route(now).Pane == nil {
		t.Error("keys do not go to the neighbour after a pause")
	}
	press(m, "y")
	if got() != before+1 {
		t.Error("a key after a pause was kept from the neighbour")
	}
}

// TestFocusMovedByThePerson: who moves the focus types on at once.
func TestFocusMovedByThePerson(t *testing.T) {
	m := fourPanes(120, 40)
	press(m, "C-b", "1", "C-b", "2")
	m.Update(newsMsg{news{News: known.News{Removed: map[string]bool{"aaaa1111": true}}}})
	if _, yes := m.grid.Swallows(&m.World, m.now()); yes {
		t.Error("keys are kept back though the focused session is there")
	}
}

package tui

import (
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/known"
)

// TestRemovedWhileLookedAt: details say that their session was removed, and events of
// a removed one still have its name.
func TestRemovedWhileLookedAt(t *testing.T) {
	m := fourPanes(120, 40)
	press(m, "C-b", "2", "C-b", "i")
	shows(t, m, "─ web ─")
	m.take(news{News: known.News{Removed: map[string]bool{"bbbb2222": true}}})
	shows(t, m, "─ web · removed ─", "web  ")
	press(m, "Escape")
	if s := m.picture().Dump(); strings.Contains(s, "bbbb2222") || !strings.Contains(s, "web  ") {
		t.Errorf("the events have lost its name:\n%s", s)
	}
	press(m, "C-b", "E", "S")
	shows(t, m, "web (gone)")
	// The same after a lost connection.
	m = fourPanes(120, 40)
	earlier := api.Event{Seq: 9, Session: "long0000", Type: api.EventSessionRemoved, Source: "daemon", Message: "removed long ago"}
	foreign := api.Event{Seq: 9, Session: "hook0000", Type: api.EventSessionRemoved, Source: "hook", Message: "removed nobody"}
	m.take(news{News: known.News{Snapshot: &api.Snapshot{Sessions: fourSessions[2:], Events: append(m.Events, earlier, foreign)}}})
	if got := m.AllNames(); got["aaaa1111"] != "api" || got["long0000"] != "long ago" || got["hook0000"] != "" {
		t.Errorf("names %q", got)
	}
}

// TestDialogOfEndedSession: a dialog that closes because its session ends was not
// answered.
func TestDialogOfEndedSession(t *testing.T) {
	m, _ := asking(t)
	do(m, "C-b", "a")
	v := *m.Session("bbbb2222")
	v.State = api.StateExiting
	over := api.Decision{Outcome: api.OutcomeElsewhere}
	over.Request.ID = "r1"
	m.inbox.watch(api.WatchMessage{Session: &v})
	m.inbox.watch(api.WatchMessage{RequestEnded: &over})
	m.Update(newsMsg{m.inbox.take()})
	shows(t, m, "the session ends")
	if s := m.picture().Dump(); strings.Contains(s, "answered in the pane") {
		t.Errorf("it was not:\n%s", s)
	}
}

// TestReadOnlyOffersNothing: what a read-only grid can't do is not offered in its bars.
func TestReadOnlyOffersNothing(t *testing.T) {
	for _, cols := range []int{40, 80, 160} {
		m := askingPanes(cols, 24)
		m.opts.ReadOnly = true
		for range 2 {
			s := m.picture().Dump()
			for _, bad := range []string{"new", " kill", " task", "answer in the pane", "[y]es"} {
				if strings.Contains(s[strings.LastIndex(strings.TrimSpace(s), "\n"):], bad) || strings.Contains(s, "[y]es") {
					t.Errorf("%d columns: %q is offered:\n%s", cols, bad, s)
				}
			}
			press(m, "C-b")
		}
		if s := m.picture().Dump(); !strings.Contains(s, "read-only") && cols >= 80 {
			t.Errorf("nothing says why:\n%s", s)
		}
	}
}

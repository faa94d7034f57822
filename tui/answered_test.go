package tui

import (
	"testing"

	"ccdir/api"
	"ccdir/tui/known"
)

// TestAnswerIsOlder: a session in the answer to a call, which was on its way while the
// watch stream told what became of it, changes nothing; one of which nothing was heard
// is added.
func TestAnswerIsOlder(t *testing.T) {
	m := testModel(120, 40, fourSessions...)
	starting := named("eeee5555", "new", api.StateStarting, 5)
	idle := starting
	idle.State = api.StateIdle
	m.Answered(starting)
	if v := m.Session("eeee5555"); v == nil || v.State != api.StateStarting {
		t.Fatalf("a new session is not there: %+v", v)
	}
	m.take(news{News: known.News{Sessions: map[string]api.Session{idle.ID: idle}}})
	m.Answered(starting)
	if v := m.Session("eeee5555"); v.State != api.StateIdle {
		t.Errorf("its state went back to %s", v.State)
	}
	m.take(news{News: known.News{Removed: map[string]bool{"eeee5555": true}}})
	m.Answered(idle)
	if m.Session("eeee5555") != nil {
		t.Error("a session that was removed has come back")
	}
}

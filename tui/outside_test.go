package tui

import (
	"slices"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/dialogs/confirm"
	"ccdir/tui/known"
)

// TestEndOutside: the list ends an agent outside ccdir after a question that says
// so; ending all leaves it alone.
func TestEndOutside(t *testing.T) {
	client := newFakeClient()
	m := testModel(100, 30, many(1)...)
	m.opts.Client = client
	m.Upsert(api.Session{ID: "zzzz0001", Name: "outside-1", Agent: "claude", State: api.StateIdle, PID: 4711, External: true, Created: epoch})
	press(m, "C-b", "s")
	for range 5 {
		if list(t, m).View.ID == "zzzz0001" {
			break
		}
		press(m, "Down")
	}
	press(m, "x")
	d, ok := m.front().(confirm.Dialog)
	if !ok || !strings.Contains(d.Question, "outside-1, which was started outside ccdir") || !strings.Contains(d.Detail, "4711") {
		t.Fatalf("the question: %+v", m.overlay)
	}
	do(m, "y")
	if calls := client.noted(); !slices.Contains(calls, "kill zzzz0001") {
		t.Errorf("calls: %v", calls)
	}
	m.overlay = nil
	press(m, "C-b", "s", "a", "x")
	if d, ok := m.front().(confirm.Dialog); !ok || strings.Contains(d.Question, "outside") || strings.Contains(d.Detail, "outside-1") {
		t.Errorf("ending all: %+v", m.overlay)
	}
}

func TestSessionsOutside(t *testing.T) {
	out := named("eeee5555", "elsewhere", api.StateInput, 5)
	out.External, out.PID, out.CWD, out.Question = true, 4711, "/home/me/proj", "Which?"
	m, c := clientModel(t, append(slices.Clone(fourSessions), out)...)
	if len(m.grid.Shown(&m.World)) != 4 || m.hosts.Panes["eeee5555"] == nil && len(m.grid.Layout.Panes) != 4 {
		t.Errorf("%d panes", len(m.grid.Layout.Panes))
	}
	shows(t, m, "outside ccdir", "✋  elsewhere", "1 outside ✋", "─ since ")
	do(m, "C-b", "5")
	m.Update(newsMsg{news{News: known.News{Focus: "eeee5555"}}})
	if m.grid.Focus == "eeee5555" {
		t.Error("a session without a pane has the focus")
	}
	shows(t, m, "it has no pane (process 4711 in /home/me/proj)")
	for _, call := range c.noted() {
		if strings.Contains(call, "eeee5555") {
			t.Errorf("call %s", call)
		}
	}
	// Alone it makes no pane either, and the screen says that there is none.
	m = testModel(120, 24, out)
	if len(m.grid.Layout.Panes) != 0 {
		t.Errorf("%d panes", len(m.grid.Layout.Panes))
	}
	shows(t, m, "No sessions yet", "✋  elsewhere")
	press(m, "a")
	shows(t, m, "elsewhere waits outside ccdir")
}

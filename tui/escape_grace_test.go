package tui

import (
	"testing"
	"time"

	"ccdir/tui/pane"
)

// TestEscapeTooMany: an Escape right after one that closed something does not reach the
// pane, where it would interrupt the agent; one after a pause does, and other keys at once.
func TestEscapeTooMany(t *testing.T) {
	for name, open := range map[string][]string{
		"a list": {"C-b", "s"}, "the prompt bar": {"C-b", ":"}, "the events": {"C-b", "E"}, "help": {"C-b", "?"}, "the prefix": {"C-b"},
	} {
		t.Run(name, func(t *testing.T) {
			m := fourPanes(120, 40)
			now := m.now()
			m.now = func() time.Time { return now }
			for _, v := range m.Sessions {
				m.hosts.Panes[v.ID] = pane.New(pane.Config{ID: v.ID})
			}
			press(m, "C-b", "1")
			got := func() int { return len(m.hosts.Panes["aaaa1111"].DiscardInput()) }
			got()
			press(m, open...)
			press(m, "Escape")
			for range 3 {
				now = now.Add(250 * time.Millisecond)
				press(m, "Escape")
			}
			if n := got(); n != 0 || m.route(now).Pane != nil {
				t.Errorf("the pane got %d of the keys", n)
			}
			shows(t, m, "Esc was not sent to api")
			press(m, "x")
			if n := got(); n != 1 {
				t.Errorf("another key came %d times", n)
			}
			now = now.Add(escapeGrace)
			m.Update(clockMsg{m.wakeGen})
			if m.route(now).Pane == nil {
				t.Error("keys do not go to the pane directly after the pause")
			}
			press(m, "Escape")
			if n := got(); n != 1 {
				t.Errorf("an Escape after a pause came %d times", n)
			}
		})
	}
}

package tui

import (
	"strings"
	"testing"
	"time"

	"ccdir/tui/terminal"
)

// TestPasteOnASlowLine: a paste that takes long to come is shown until it is here.
func TestPasteOnASlowLine(t *testing.T) {
	m, _ := clientModel(t, two()...)
	now := epoch.Add(time.Hour)
	m.now = func() time.Time { return now }
	hidden := func() {
		t.Helper()
		if strings.Contains(m.picture().Dump(), "a paste comes in") {
			t.Error("a paste that comes in is shown")
		}
	}
	do(m, "C-b", ":")
	comes := func(i terminal.Incoming) {
		i.At = now
		_, c := m.Update(i)
		perform(m, c)
	}
	comes(terminal.Incoming{Bytes: 3000})
	hidden()
	if wake := m.wakeAt; wake.After(now.Add(500*time.Millisecond)) || wake.IsZero() {
		t.Errorf("nothing wakes the program: %v", wake)
	}
	now = now.Add(500 * time.Millisecond)
	m.Update(clockMsg{m.wakeGen})
	shows(t, m, "a paste comes in: 3 KB so far")
	comes(terminal.Incoming{All: true})
	m.Update(terminal.Typed{Paste: []byte(strings.Repeat("x", 3000))})
	shows(t, m, "[paste: ")
	hidden()
}

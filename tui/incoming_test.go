package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/tui/terminal/input"
)

// TestPasteOnASlowLine: a paste that takes long to come is shown until it is here, and
// one that comes at once is not.
func TestPasteOnASlowLine(t *testing.T) {
	m, _ := clientModel(t, two()...)
	now := epoch.Add(time.Hour)
	m.now = func() time.Time { return now }
	told := 0
	rd := &reader{router: &router{}, now: m.now, program: func(msg tea.Msg) {
		told++
		_, c := m.Update(msg)
		perform(m, c)
	}}
	var dec input.Decoder
	send := func(text string) { rd.feed(&dec, []byte(text), now) }
	send("\x1b[200~at once\x1b[201~")
	if told != 1 {
		t.Errorf("told %d times of a paste that came at once", told)
	}
	hidden := func() {
		t.Helper()
		if strings.Contains(m.picture().Dump(), "a paste comes in") {
			t.Error("a paste that comes in is shown")
		}
	}
	do(m, "C-b", ":")
	send("\x1b[200~" + strings.Repeat("x", 3000))
	hidden()
	if wake := m.wakeAt; wake.After(now.Add(pasteShown)) || wake.IsZero() {
		t.Errorf("nothing wakes the program: %v", wake)
	}
	now = now.Add(pasteShown)
	m.Update(clockMsg{m.wakeGen})
	shows(t, m, "a paste comes in: 3 KB so far")
	told = 0
	for range 100 {
		send(strings.Repeat("y", 100))
	}
	if told > 2 {
		t.Errorf("told %d times at once", told)
	}
	send("\x1b[201~")
	shows(t, m, "[paste: ")
	hidden()
}

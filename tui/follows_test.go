package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
)

// TestPanelAfterThePrefix: the keys that may follow the prefix key are listed after a pause,
// not before it; the next key acts, and closes the panel.
func TestPanelAfterThePrefix(t *testing.T) {
	now := epoch
	m := testModel(80, 24, named("aaaa1111", "api", api.StateIdle, 0), named("bbbb1111", "web", api.StateIdle, 0))
	m.opts.PrefixHelp = 400 * time.Millisecond
	m.now = func() time.Time { return now }
	shown := func() bool { return strings.Contains(m.picture().Dump(), "C-b and then") }
	m.wakeAt = time.Time{}
	press(m, "C-b")
	m.settle()
	if shown() || !m.wakeAt.Equal(now.Add(400*time.Millisecond)) {
		t.Errorf("shown at once: %v; woken at %v", shown(), m.wakeAt)
	}
	now = now.Add(399 * time.Millisecond)
	if shown() {
		t.Error("it is shown before the pause is over")
	}
	now = now.Add(time.Millisecond)
	if !shown() {
		t.Errorf("it is not shown after the pause:\n%s", m.picture().Dump())
	}
	press(m, "z")
	if shown() || !m.grid.Zoomed {
		t.Errorf("z after the panel: zoomed %v, panel %v", m.grid.Zoomed, shown())
	}
	press(m, "C-b")
	now = now.Add(time.Second)
	if press(m, "Escape"); shown() || m.mode != modePane || m.notice.text != "" {
		t.Errorf("Escape: panel %v, mode %v, notice %q", shown(), m.mode, m.notice.text)
	}
	press(m, "C-b")
	now = now.Add(time.Second)
	if m.mouse(tea.MouseClickMsg{X: 3, Y: 20, Button: tea.MouseLeft}); shown() {
		t.Error("a click does not close it")
	}
	m.opts.PrefixHelp = 0
	press(m, "C-b")
	now = now.Add(time.Hour)
	if shown() {
		t.Error("it is shown although it is switched off")
	}
}

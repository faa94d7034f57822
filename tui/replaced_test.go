package tui

import (
	"context"
	"testing"
	"time"

	"ccdir/api"
)

// TestReplaced: an update that is installed while the grid is open is told once, with what
// takes it and that no agent is interrupted; not while the daemon is another's anyway.
func TestReplaced(t *testing.T) {
	t.Parallel()
	m, _ := clientModel(t, two()...)
	now := m.now()
	m.now = func() time.Time { return now }
	m.Server = api.Server{PID: 1, Version: api.Version}
	installed, asked := "", 0
	m.daemon.Replaced = func(context.Context) string { asked++; return installed }
	tick := func() {
		now = now.Add(30 * time.Second)
		_, c := m.Update(clockMsg{m.wakeGen})
		perform(m, c)
	}
	tick()
	tick()
	if m.notice.text != "" || asked != 1 {
		t.Errorf("asked %d times, told %q", asked, m.notice.text)
	}
	installed = "9.9.9"
	tick()
	shows(t, m, "ccdir 9.9.9 is installed: `ccdir daemon restart` takes it; no agent is interrupted")
	m.notice = notice{}
	tick()
	if m.notice.text != "" {
		t.Errorf("told again: %q", m.notice.text)
	}
	m.Server.Version, installed = "9.9.10", "9.9.10"
	tick()
	if m.notice.text != "" || asked != 4 {
		t.Errorf("asked %d times; with a daemon of that version %q", asked, m.notice.text)
	}
}

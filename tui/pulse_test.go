package tui

import (
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// TestPulse: the sign of a session that works turns each second, where that may be;
// nothing else on the screen moves.
func TestPulse(t *testing.T) {
	at := func(m *model, sec int64) string {
		m.now, m.wakeAt = func() time.Time { return time.Unix(sec, 0) }, time.Time{}
		return m.picture().Dump()
	}
	for _, st := range api.States() {
		m := testModel(80, 24, named("aaaa1111", "x", st, 0))
		m.opts.Pulse = true
		works := signTurns(api.Session{State: st}, m.now())
		first, second := at(m, 1000), at(m, 1001)
		if moved := first != second; moved != works {
			t.Errorf("%s: turns %v", st, moved)
		}
		if works && strings.Replace(second, "◑", "◐", 1) != first {
			t.Errorf("%s: more than the sign has moved:\n%s", st, second)
		}
		if woken := m.wakeAt.Equal(time.Unix(1002, 0)); woken != works {
			t.Errorf("%s: woken at %v", st, m.wakeAt)
		}
		for name, off := range map[string]func(){
			"pulse = false": func() { m.opts.Pulse = false }, "a slow terminal": func() { m.opts.Pulse, m.slow = true, func() bool { return true } },
			"no colours": func() { m.slow, m.colours = func() bool { return false }, false },
		} {
			off()
			if at(m, 1000) != at(m, 1001) {
				t.Errorf("%s: turns in spite of %s", st, name)
			}
			m.opts.Pulse, m.slow, m.colours = true, func() bool { return false }, true
		}
	}
}

// TestIdleGridSleeps: without anything that pulses the next wake-up is the whole
// minute, however many panes there are and whenever they began.
func TestIdleGridSleeps(t *testing.T) {
	var all []api.Session
	for i := range 16 {
		v := named("idle000"+string(rune('a'+i)), "", api.StateIdle, time.Duration(i))
		v.Since = epoch.Add(time.Duration(i) * 7 * time.Second)
		all = append(all, v)
	}
	m := testModel(200, 60, all...)
	m.opts.Pulse = true
	now := epoch.Add(time.Hour)
	m.now = func() time.Time { return now }
	m.wakeAt = time.Time{}
	m.settle()
	if want := now.Truncate(time.Minute).Add(time.Minute); !m.wakeAt.Equal(want) {
		t.Errorf("woken at %v, want %v", m.wakeAt, want)
	}
}

package tui

import (
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/paint"
)

func TestPulse(t *testing.T) {
	at := func(m *model, sec int64) *paint.Surface {
		m.now, m.wakeAt = func() time.Time { return time.Unix(sec, 0) }, time.Time{}
		return m.picture()
	}
	corner := func(s *paint.Surface) any { return s.Table().Style(s.Row(0)[0].Style) }
	for _, st := range api.States() {
		m := testModel(80, 24, named("aaaa1111", "x", st, 0))
		m.opts.Pulse = true
		bright, dim := at(m, 1000), at(m, 1001)
		if moved := corner(bright) != corner(dim); moved != pulses(api.Session{State: st}, m.now()) {
			t.Errorf("%s: pulses %v", st, moved)
		}
		if bright.Dump() != dim.Dump() {
			t.Errorf("%s: the text moves", st)
		}
		if woken := m.wakeAt.Equal(time.Unix(1002, 0)); woken != pulses(api.Session{State: st}, m.now()) {
			t.Errorf("%s: woken at %v", st, m.wakeAt)
		}
		for name, off := range map[string]func(){
			"pulse = false": func() { m.opts.Pulse = false }, "a slow terminal": func() { m.opts.Pulse, m.slow = true, func() bool { return true } },
			"no colours": func() { m.slow, m.colours = func() bool { return false }, false },
		} {
			off()
			if corner(at(m, 1000)) != corner(at(m, 1001)) {
				t.Errorf("%s: pulses in spite of %s", st, name)
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

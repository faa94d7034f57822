package tui

import (
	"maps"
	"time"

	"ccdir/internal/api"
	"ccdir/internal/textsafe"
	"ccdir/tui/paint"
)

// snoozeFor are the times for which a session can be put off, by their keys.
var snoozeFor = []struct {
	key, text string
	d         time.Duration
}{
	{"1", "5 minutes", 5 * time.Minute}, {"2", "15 minutes", 15 * time.Minute},
	{"3", "1 hour", time.Hour}, {"4", "4 hours", 4 * time.Hour},
}

// snooze is a wait that was put off: of that session, since that moment, until
// then. Another wait of the same session is not.
type snooze struct {
	since, until time.Time
}

// waitsSince tells since when a session has waited for a person: for its oldest
// open request, or in its state.
func (m *model) waitsSince(v api.Session) time.Time {
	if r := requestOf(m.requests, v.ID); r != nil {
		return r.Since
	}
	return v.Since
}

// waitBegan is since when a session waits: since it has its state, or, where its state
// is behind what it asks, since it asks.
func (m *model) waitBegan(v api.Session) time.Time {
	if v.State.NeedsPerson() {
		return v.Since
	}
	return m.waitsSince(v)
}

// snoozed reports whether a session's wait was put off.
func (m *model) snoozed(v api.Session) bool {
	z, ok := m.snoozes[v.ID]
	return ok && z.since.Equal(m.waitsSince(v)) && m.now().Before(z.until)
}

// snooze puts a session's wait off.
func (m *model) snooze(id string, d time.Duration, text string) {
	v := m.session(id)
	if v == nil {
		return
	}
	if m.snoozes == nil {
		m.snoozes = map[string]snooze{}
	}
	m.snoozes[id] = snooze{m.waitsSince(*v), m.now().Add(d)}
	m.say(textsafe.Line(v.Name) + " asks again in " + text)
}

// wakeSnoozed forgets the waits that are over or whose time has come, says so
// of the latter, and returns when the next one comes back.
func (m *model) wakeSnoozed(now time.Time) (next time.Time) {
	maps.DeleteFunc(m.snoozes, func(id string, z snooze) bool {
		v := m.session(id)
		switch {
		case v == nil || !m.waits(*v) || !z.since.Equal(m.waitsSince(*v)):
			return true
		case !now.Before(z.until):
			m.warn(textsafe.Line(v.Name) + " still waits for you")
			m.notices.again(*v, now)
			return true
		case next.IsZero() || z.until.Before(next):
			next = z.until
		}
		return false
	})
	return next
}

// waits reports whether a session waits for a person, put off or not.
func (m *model) waits(v api.Session) bool {
	return v.State.NeedsPerson() || !v.State.Ended() && requestOf(m.requests, v.ID) != nil
}

// openSnooze asks for how long a session is put off.
func (m *model) openSnooze(id string) {
	v := m.session(id)
	if v == nil {
		return
	}
	d := chooser{title: "not now: " + paint.Cut(textsafe.Line(v.Name), 30) + " asks again in", of: id}
	for _, o := range snoozeFor {
		d.fixed = append(d.fixed, pick{text: o.text, key: o.key, run: func(m *model) cmd { m.snooze(id, o.d, o.text); return nil }})
	}
	m.overlay = d
}

// snoozeFocused puts off the focused session, or the one that has waited longest
// if that does not wait: also waits that have no request.
func (m *model) snoozeFocused() {
	v := m.focused()
	if v == nil || !m.waits(*v) || m.snoozed(*v) {
		all := m.waiting()
		if len(all) == 0 {
			m.say("no session waits for you")
			return
		}
		v = &all[0]
	}
	m.openSnooze(v.ID)
}

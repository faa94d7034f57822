package tui

import (
	"maps"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists/chooser"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
)

// snoozeFor are the times for which a session can be put off, by their keys.
var snoozeFor = []struct {
	key, text string
	d         time.Duration
}{
	{"1", "5 minutes", 5 * time.Minute}, {"2", "15 minutes", 15 * time.Minute},
	{"3", "1 hour", time.Hour}, {"4", "4 hours", 4 * time.Hour},
}

// The daemon keeps what was put off (api.Session.SnoozedUntil), for all grids and the
// next attach. It ends that itself; here it is looked at as well, so that a wait comes
// back in time also without a daemon.

// waitsSince tells since when a session has waited for a person: for its oldest
// open request, or in its state.
func (m *model) waitsSince(v api.Session) time.Time {
	if r := requestOf(m.Requests, v.ID); r != nil {
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

// snoozed reports whether a session waits and that was put off.
func (m *model) snoozed(v api.Session) bool { return v.PutOff(m.now()) && m.waits(v) }

// snoozedCount is how many sessions that wait were put off.
func (m *model) snoozedCount() (n int) {
	for _, v := range m.Sessions {
		if m.snoozed(v) {
			n++
		}
	}
	return n
}

// snooze puts a session's wait off.
func (m *model) snooze(v api.Session, d time.Duration, text string) cmd {
	return m.call("putting it off", func(c calls) (func(*model), error) {
		_, err := c.Snooze(c.ctx, v.ID, d)
		return func(m *model) { m.say(textsafe.Line(v.Name) + " asks again in " + text) }, err
	})
}

// unsnooze has a session ask again at once.
func (m *model) unsnooze(v api.Session) cmd {
	m.snoozes = with(m.snoozes, v.ID, time.Time{}) // taken back here: nobody is told of it
	return m.callOr("taking it back", func(c calls) (func(*model), error) {
		_, err := c.Snooze(c.ctx, v.ID, 0)
		return func(m *model) { m.say(textsafe.Line(v.Name) + " is no longer put off") }, err
	}, func(m *model, err error) {
		delete(m.snoozes, v.ID)
		m.failed("taking it back", err)
	})
}

// wakeSnoozed looks which waits are put off no more. Of those whose time has come, or
// that ask something else, is told. It returns when the next one comes back.
func (m *model) wakeSnoozed(now time.Time) (next time.Time) {
	maps.DeleteFunc(m.snoozes, func(id string, until time.Time) bool {
		v := m.session(id)
		over := v == nil || !v.PutOff(now)
		if !over || v == nil || !m.waits(*v) || until.IsZero() {
			return over
		}
		if !now.Before(until) {
			m.warn(textsafe.Line(v.Name) + " still waits for you")
		}
		m.notices.again(*v, until, now)
		return true
	})
	for _, v := range m.Sessions {
		if !v.PutOff(now) {
			continue
		}
		if m.snoozes == nil {
			m.snoozes = map[string]time.Time{}
		}
		if old, known := m.snoozes[v.ID]; !known || !old.IsZero() {
			m.snoozes[v.ID] = v.SnoozedUntil
		}
		if next.IsZero() || v.SnoozedUntil.Before(next) {
			next = v.SnoozedUntil
		}
	}
	return next
}

// waits reports whether a session waits for a person, put off or not.
func (m *model) waits(v api.Session) bool {
	return v.State.NeedsPerson() || !v.State.Ended() && requestOf(m.Requests, v.ID) != nil
}

// openSnooze asks for how long a session is put off; one that is put off asks again
// at once.
func (m *model) openSnooze(id string) cmd {
	v := m.session(id)
	switch {
	case v == nil:
		return nil
	case m.snoozed(*v):
		m.overlay = nil
		return m.unsnooze(*v)
	case !m.waits(*v):
		m.say(textsafe.Line(v.Name) + " does not wait for you")
		return nil
	}
	var all []chooser.Pick
	for _, o := range snoozeFor {
		all = append(all, chooser.Pick{Text: o.text, Key: o.key, Effects: []ui.Effect{ui.Func(func() { m.later = append(m.later, m.snooze(*v, o.d, o.text)) })}})
	}
	return m.openOver(nil, chooser.New("not now: "+paint.Cut(textsafe.Line(v.Name), 30)+" asks again in", "", all))
}

// snoozeFocused puts off the focused session, or has it ask again; if it does not
// wait, it is about the one that has waited longest, else about one that is put off.
func (m *model) snoozeFocused() cmd {
	if v := m.focused(); v != nil && m.waits(*v) {
		return m.openSnooze(v.ID)
	}
	if all := m.waiting(); len(all) > 0 {
		return m.openSnooze(all[0].ID)
	}
	m.say("no session waits for you" + m.putOffNote())
	return nil
}

// putOffNote names a session that is put off, and how it comes back; "" if there is
// none.
func (m *model) putOffNote() string {
	for _, v := range m.Sessions {
		if m.snoozed(v) {
			return "; " + textsafe.Line(v.Name) + " is " + ui.PutOff(v, m.now()) + ": focus it and press " + m.keys.Hint(keymap.Snooze) + " to have it ask again"
		}
	}
	return ""
}

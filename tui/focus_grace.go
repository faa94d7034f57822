package tui

import (
	"cmp"
	"time"

	"ccdir/internal/text/textsafe"
)

// When the focused session is removed, by another terminal for example, a neighbour gets
// the focus, and what a person was just typing would go there: a digit could answer its
// permission request. So the neighbour gets no keys for a grace period.
const (
	// graceFor is the least grace period, gracePause the pause in typing that ends it.
	graceFor   = time.Second
	gracePause = 500 * time.Millisecond
)

// focusGrace is the grace period after the focused session was removed; zero: there is
// none.
type focusGrace struct {
	until time.Time
	name  string // of the session that is gone
}

// noteFocusLost begins the grace period if the session that had the focus before the news
// has gone.
func (m *model) noteFocusLost(from string) {
	if from != "" && m.session(from) == nil && !m.opts.ReadOnly {
		m.focusGrace = focusGrace{until: m.now().Add(graceFor), name: cmp.Or(m.former[from], "the session")}
	}
}

// swallows reports whether a key is withheld from the focused pane, because it was meant
// for the removed session, and says so.
func (m *model) swallows() bool {
	now := m.now()
	if !now.Before(m.focusGrace.until) {
		return false
	}
	if later := now.Add(gracePause); later.After(m.focusGrace.until) {
		m.focusGrace.until = later
	}
	to := "the next one"
	if v := m.focused(); v != nil {
		to = textsafe.Line(v.Name)
	}
	m.warn(textsafe.Line(m.focusGrace.name) + " was removed while you typed: the key was not sent to " + to)
	return true
}

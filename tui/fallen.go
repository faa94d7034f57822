package tui

import (
	"cmp"
	"time"

	"ccdir/internal/text/textsafe"
)

// When the focused session is removed, by another terminal for example, the focus
// falls to a neighbour, and what a person was just typing would go there: a digit
// could answer its permission request. So the neighbour gets nothing before the
// person has seen where the focus is.
const (
	// fallenFor is how long nothing is typed into it at least, fallenPause how long
	// the person must then have paused.
	fallenFor   = time.Second
	fallenPause = 500 * time.Millisecond
)

// fallen is the focus after its session was removed. The zero value has not fallen.
type fallen struct {
	until time.Time
	name  string // of the session that is gone
}

// noteFallen is told which session had the focus before news were taken.
func (m *model) noteFallen(from string) {
	if from != "" && m.session(from) == nil && !m.opts.ReadOnly {
		m.fallen = fallen{until: m.now().Add(fallenFor), name: cmp.Or(m.former[from], "the session")}
	}
}

// swallows reports whether a key is kept from the focused pane, because it was
// meant for the session that is gone, and says so.
func (m *model) swallows() bool {
	now := m.now()
	if !now.Before(m.fallen.until) {
		return false
	}
	if later := now.Add(fallenPause); later.After(m.fallen.until) {
		m.fallen.until = later
	}
	to := "the next one"
	if v := m.focused(); v != nil {
		to = textsafe.Line(v.Name)
	}
	m.warn(textsafe.Line(m.fallen.name) + " was removed while you typed: the key was not sent to " + to)
	return true
}

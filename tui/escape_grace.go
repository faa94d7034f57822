package tui

import (
	"time"

	"ccdir/internal/text/textsafe"
	"ccdir/tui/terminal/input"
)

// escapeGrace is how long after an Escape that closed something of ccdir's, or after one
// that was withheld, another Escape is not sent to the pane. A person who presses it once
// too often means ccdir; the agent would take it for "interrupt" or "cancel".
const escapeGrace = 500 * time.Millisecond

const escapeKey = "Escape"

// key handles a key, and keeps an Escape too many from the pane.
func (m *model) key(k input.Key) {
	m.grid.Released() // a release that was lost must not hold the panes
	open := m.takesKeys()
	if k.Name == escapeKey && !open && k.At.Before(m.escapeUntil) {
		m.escapeUntil = k.At.Add(escapeGrace)
		name := "the pane"
		if v := m.focused(); v != nil {
			name = textsafe.Line(v.Name)
		}
		m.say("Esc was not sent to " + name + ": it followed one that closed something; press it once more")
		return
	}
	m.pressed(k)
	if k.Name == escapeKey && open && !m.takesKeys() {
		m.escapeUntil = k.At.Add(escapeGrace)
	}
}

// takesKeys reports whether keys go to something of ccdir's and not to a pane.
func (m *model) takesKeys() bool {
	return m.overlay != nil || m.mode != modePane || m.copies.On(m.grid.Focus)
}

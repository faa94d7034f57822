package tui

import "ccdir/internal/text/textsafe"

// nameWidth is the width of the column of names that several lists have.
const nameWidth = 12

// sessionName is a session's name, for lists; calls without a session come from
// guests.
func sessionName(sc *scene, id string) string {
	if id == "" {
		return "(guest)"
	}
	if name := sc.names[id]; name != "" {
		return textsafe.Line(name)
	}
	return textsafe.Line(id)
}

// openSession closes the dialog and goes to a session's pane, or says that there
// is none.
func (m *model) openSession(id string) {
	if id == "" || m.session(id) == nil {
		m.warn("there is no pane of it any more: " + m.keys.Hint("history") + " has what it showed")
		return
	}
	m.overlay = nil
	m.setFocus(id)
}

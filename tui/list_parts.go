package tui

// nameWidth is the width of the column of names that several lists have.
const nameWidth = 12

// openSession closes the dialog and goes to a session's pane, or says that there
// is none.
func (m *model) openSession(id string) {
	if id == "" || m.session(id) == nil {
		m.warn("there is no pane of it any more: " + m.keys.Hint("history") + " has what it showed")
		return
	}
	if !m.session(id).External { // else it says that there is no pane
		m.overlay = nil
	}
	m.setFocus(id)
}

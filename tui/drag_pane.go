package tui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
)

// draggedPane is a pane that is dragged by its name onto another one, to change places
// with it.
type draggedPane struct {
	id string
	// over is the session of the pane below the pointer, "" before the pointer has
	// left its own pane.
	over string
}

// pickUpPane begins to drag a pane whose number and name are pressed; elsewhere the
// frame is a border.
func (m *model) pickUpPane(t tileView, e tea.Mouse) bool {
	name := " " + strconv.Itoa(t.number) + " " + textsafe.Line(t.session.Name) + " "
	at := e.X - t.rect.X - 2
	if e.Y != t.rect.Y || at < 0 || at >= min(paint.Width(name), t.rect.W-4) || len(m.layout.Panes) < 2 {
		return false
	}
	m.focus, m.mode = t.session.ID, modePane
	m.arr.draggedPane = draggedPane{id: t.session.ID}
	return true
}

// dragPane follows the pointer; where the button is let go, the panes change places.
func (m *model) dragPane(msg tea.MouseMsg) {
	e, c := msg.Mouse(), &m.arr.draggedPane
	t, inPane := m.tileAt(e.X, e.Y)
	switch msg.(type) {
	case tea.MouseMotionMsg:
		m.arr.clicked = frameClick{}
		if c.over = ""; inPane && t.session.ID != c.id {
			c.over = t.session.ID
			m.say("let go to change places with " + textsafe.Line(t.session.Name))
		}
	case tea.MouseReleaseMsg:
		from, to := m.place(c.id), -1
		if inPane && t.session.ID != c.id {
			to = m.place(t.session.ID)
		}
		m.arr.draggedPane, m.notice = draggedPane{}, notice{}
		m.swap(from, to)
	default: // a release was lost
		m.arr.draggedPane = draggedPane{}
	}
}

// place is a session's number among those that the grid shows, -1 if it is not
// there.
func (m *model) place(id string) int {
	for i, v := range m.shown() {
		if v.ID == id {
			return i
		}
	}
	return -1
}

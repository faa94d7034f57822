package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/grid"
	"ccdir/tui/ui"
)

// room is the room for the grid beside the sidebar.
func (m *model) room() grid.Room {
	r := grid.Room{Cols: m.cols, Rows: m.rows, Gaps: m.opts.Gaps}
	r.List, r.Events, r.Share = m.sidebar.Room(m.cols)
	return r
}

// tiles are the panes in view.
func (m *model) tiles() []ui.Tile {
	tiles := m.grid.Tiles(&m.World)
	for i := range tiles {
		t := &tiles[i]
		id := t.ID()
		t.Pane, t.State, t.Still = m.panes[id], m.states[id], m.copies.On(id)
	}
	return tiles
}

// arrangement is the part of the grid that the daemon keeps.
func (m *model) arrangement() api.Grid {
	g := m.grid.Arrangement(&m.World)
	g.List, g.Sidebar = m.sidebar.Kept()
	return g
}

// takeGrid takes over the arrangement that the daemon has.
func (m *model) takeGrid(g *api.Grid, first bool) {
	if m.grid.Take(g, first) {
		m.sidebar = m.sidebar.Taken(g, first)
	}
}

// gridDoes runs an action on panes and their arrangement.
func (m *model) gridDoes(a keymap.Action, key string) {
	m.carryOut(partGrid, m.grid.Do(m.env(), a, key))
}

// setFocus gives a session the keyboard, if it has a pane.
func (m *model) setFocus(id string) { m.carryOut(partGrid, m.grid.Give(&m.World, id)) }

// focused is the session with the keyboard, nil if there is none.
func (m *model) focused() *api.Session { return m.session(m.grid.Focus) }

// openSession closes the dialog and goes to a session's pane, or says that there is none.
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

// border moves a border of the sidebar.
func (m *model) border(e ui.Border) {
	if e.X != 0 {
		m.sidebar = m.sidebar.Wide(m.cols, e.X)
	}
	if e.Y != 0 {
		m.sidebar = m.sidebar.Shared(e.Y, m.grid.Layout.Column().H)
	}
	m.grid.Changed()
}

// mouse handles a click, a wheel turn or a motion.
func (m *model) mouse(msg tea.MouseMsg) {
	e := msg.Mouse()
	if _, up := msg.(tea.MouseReleaseMsg); up {
		defer m.grid.Released()
	}
	if m.overlay != nil {
		m.overlay.mouse(m, msg)
		return
	}
	if m.copies.Pressed() {
		effects, handled := m.copies.Drag(m.env(), msg)
		m.carryOut(partCopy, effects)
		if !handled {
			m.mouse(msg)
		}
		return
	}
	if m.mode == modePrompt && !m.grid.Dragging() {
		if taken, effects := m.prompt.Mouse(m.env(), msg); taken {
			m.promptDoes(effects)
			return
		}
	}
	hit, t, effects := m.grid.Mouse(m.env(), msg)
	m.carryOut(partGrid, effects)
	if _, click := msg.(tea.MouseClickMsg); click && t.ID() != "" {
		m.mode = modePane
	}
	switch hit {
	case grid.Elsewhere:
		m.mouseBeside(msg)
	case grid.OnText:
		m.carryOut(partCopy, m.copies.Press(m.env(), t, e))
	case grid.OnHistory:
		m.carryOut(partCopy, m.copies.Wheel(t, e))
	}
}

// mouseBeside: the strip and the sidebar choose a session, the prompt bar takes the
// keyboard, and who needs a person in the status line leads there.
func (m *model) mouseBeside(msg tea.MouseMsg) {
	e, l := msg.Mouse(), m.grid.Layout
	if _, click := msg.(tea.MouseClickMsg); !click || l.Column().Contains(e.X, e.Y) {
		m.sidebarBecame(m.sidebar.Mouse(m.env(), msg))
		return
	}
	switch {
	case l.Strip.Contains(e.X, e.Y):
		m.setFocus(m.grid.Picture(m.env()).StripAt(e.X, e.Y))
	case l.Status.Contains(e.X, e.Y):
		sc := m.nowScene()
		if chip, _ := sc.chip(); sc.NeedsAt(chip, e.X, e.Y) {
			m.run(m.keys.Of(keymap.Attention), ui.Key{At: m.now()})
		}
	case l.Prompt.Contains(e.X, e.Y) && m.canAnswer() && m.RequestOf(m.grid.Focus) != nil && m.mode != modePrompt:
		m.openAnswer(*m.RequestOf(m.grid.Focus))
	case l.Prompt.Contains(e.X, e.Y) && m.keys.Of(keymap.Prompt).Disabled(m.facts()) == "":
		m.openPrompt(false, nil)
	}
}

// clickedAt is when the event of the mouse that is handled came. One that came before
// a popup was on the screen answers nothing in it, as a key does not.
func (m *model) clickedAt() time.Time {
	if m.pointed.IsZero() {
		return m.now()
	}
	return m.pointed
}

package tui

import (
	"slices"

	"ccdir/internal/keymap"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/lists/sessions"
	"ccdir/tui/sidebar"
	"ccdir/tui/ui"
)

// sidebarEnv is env for keys of the sidebar, of which several may come at once.
func (m *model) sidebarEnv() ui.Env {
	m.grid.Lay(&m.World, m.room())
	return m.env()
}

// sidebarBecame takes what the sidebar has become and carries its effects out.
func (m *model) sidebarBecame(c ui.Component, effects []ui.Effect) {
	m.sidebar = sidebar.Of(c)
	m.carryOut(sidebarPart, effects)
}

// sidebarDoes runs an action on what the sidebar shows and how.
func (m *model) sidebarDoes(a keymap.Action) {
	m.sidebarBecame(m.sidebar.Do(m.sidebarEnv(), a))
}

// followSidebar lets the sidebar follow what is known.
func (m *model) followSidebar() {
	env := m.env()
	if m.unseen { // what it asks for can wait for the first picture
		m.sidebar = m.sidebar.Fresh(env)
		return
	}
	m.sidebarBecame(m.sidebar.Refresh(env))
}

// focusEvents gives the events the keyboard; where there is no room for them, a list over
// the panes shows them.
func (m *model) focusEvents() {
	if m.cols < tiling.SidebarFrom {
		m.openOver(nil, m.sidebar.Over(m.env()))
		return
	}
	if _, events, _ := m.sidebar.Room(m.cols); events == 0 {
		m.sidebarDoes(keymap.Sidebar)
	}
	m.mode = modeEvents
}

// openList gives the list the keyboard.
func (m *model) openList(filter string) {
	m.mode, m.grid.Zoomed = modePane, m.grid.Zoomed && m.cols < tiling.SidebarFrom
	m.openOver(nil, sessions.New(m.env(), filter))
}

// listSource is the list's present input.
func (m *model) listSource() sessionlist.Source {
	src := sessionlist.Source{
		Sessions: m.grid.Gridded(&m.World), Requests: m.Requests, Hidden: m.grid.Hidden(), Projects: m.sidebar.Projects(), Opt: m.sidebar.List(), Now: m.now(),
	}
	if out := m.grid.Outside(&m.World, m.now()); len(out) > 0 {
		src.Sessions = slices.Concat(src.Sessions, out)
	}
	return src
}

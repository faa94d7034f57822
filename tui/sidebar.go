package tui

import (
	"slices"

	"ccdir/internal/keymap"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/lists/sessions"
	"ccdir/tui/ui"
)

// focusEvents gives the events the keyboard; where there is no room for them, a list over
// the panes shows them.
func (m *model) focusEvents() {
	if m.cols < tiling.SidebarFrom {
		m.openOver(nil, m.sidebar.Over(m.env()))
		return
	}
	if _, events := m.sidebar.Room(m.cols); events == 0 {
		m.carryOut(ui.Sidebar, m.sidebar.Do(m.env(), keymap.Sidebar))
	}
	m.mode = modeEvents
}

// openList gives the list the keyboard.
func (m *model) openList(filter string) {
	m.mode = modePane // a zoomed pane stays zoomed: the list lies over it
	m.openOver(nil, sessions.New(m.env(), filter))
}

// listSource is the list's present input.
func (m *model) listSource() sessionlist.Source {
	src := sessionlist.Source{
		Sessions: m.grid.Gridded(&m.World), Shown: m.grid.Shown(&m.World), Requests: m.Requests, Hidden: m.grid.Hidden(), Projects: m.sidebar.Projects(), Opt: m.sidebar.List(), Now: m.now(),
	}
	if out := m.grid.Outside(&m.World, m.now()); len(out) > 0 {
		src.Sessions = slices.Concat(src.Sessions, out)
	}
	return src
}

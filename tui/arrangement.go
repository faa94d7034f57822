package tui

import (
	tea "charm.land/bubbletea/v2"
	"slices"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/dialogs/palette"
	"ccdir/tui/grid"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/lists/chooser"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/lists/sessions"
	"ccdir/tui/ui"
)

// room is the room for the grid beside the sidebar.
func (m *model) room() grid.Room {
	r := grid.Room{Cols: m.cols, Rows: m.rows, Gaps: m.opts.Gaps}
	if len(m.Sessions) == 0 && m.mode != modeEvents && !m.sidebar.Chosen() {
		return r // a first screen has nothing to list
	}
	r.List, r.Events = m.sidebar.Room(m.cols)
	if r.List > 0 && r.Events > 0 {
		r.Share = m.sidebar.Share(m.rows-2, m.listSource(), m.Work.News()) // all but the bars
	}
	return r
}

// tiles are the panes in view.
func (m *model) tiles() []ui.Tile {
	tiles := m.grid.Tiles(&m.World)
	for i := range tiles {
		t := &tiles[i]
		id := t.ID()
		t.Pane, t.State, t.Still = m.hosts.Panes[id], m.hosts.States[id], m.copies.On(id)
	}
	return tiles
}

// takeGrid takes over the arrangement that the daemon has.
func (m *model) takeGrid(g *api.Grid, first bool) {
	if m.grid.Take(g, first) {
		m.sidebar = m.sidebar.Taken(g, first)
	}
}

// setFocus gives a session the keyboard, if it has a pane.
func (m *model) setFocus(id string) { m.carryOut(ui.Grid, m.grid.Give(&m.World, id)) }

// focused is the session with the keyboard, nil if there is none.
func (m *model) focused() *api.Session { return m.Session(m.grid.Focus) }

// openSession closes the dialog and goes to a session's pane, or says that there is none.
func (m *model) openSession(id string) {
	if id == "" || m.Session(id) == nil {
		m.warn("there is no pane of it any more: " + m.keys.Hint("history") + " has what it showed")
		return
	}
	if !m.Session(id).External { // else it says that there is no pane
		m.overlay = nil
	}
	m.setFocus(id)
}

// mouse handles a click, a wheel turn or a motion.
func (m *model) mouse(msg tea.MouseMsg) {
	if _, up := msg.(tea.MouseReleaseMsg); up {
		defer m.grid.Released()
	}
	if m.overlay != nil {
		m.overlay.mouse(m, msg)
		return
	}
	if _, click := msg.(tea.MouseClickMsg); click && m.follows(m.now()) {
		m.mode = modePane // what the panel lies over was not meant
		return
	}
	if m.menuAt(msg) {
		return
	}
	held := m.offer(func(p ui.Part, env ui.Env) ([]ui.Effect, bool) {
		if d, ok := p.(ui.Dragger); ok {
			return d.Drag(env, msg)
		}
		return nil, false
	})
	if !held && !m.offer(func(p ui.Part, env ui.Env) ([]ui.Effect, bool) { return p.Mouse(env, msg) }) {
		m.clickBelow(msg)
	}
}

// clickBelow: the closed prompt bar takes the keyboard, and who needs a person in the status
// line leads there.
func (m *model) clickBelow(msg tea.MouseMsg) {
	e, l := msg.Mouse(), m.grid.Layout
	if _, click := msg.(tea.MouseClickMsg); !click || l.Column().Contains(e.X, e.Y) {
		return
	}
	switch asks := m.RequestOf(m.grid.Under(&m.World)); {
	case l.Status.Contains(e.X, e.Y):
		sc := m.scene(m.now(), nil)
		if chip, _ := sc.chip(); sc.NeedsAt(chip, e.X, e.Y) {
			m.run(m.keys.Of(keymap.Attention), ui.Key{At: m.now()})
		}
	case !l.Prompt.Contains(e.X, e.Y):
	case m.canAnswer() && asks != nil && m.mode != modePrompt:
		m.openAnswer(*asks)
	case m.keys.Of(keymap.Prompt).Disabled(m.facts()) == "":
		m.do(keymap.Prompt, ui.Key{At: m.now()})
	}
}

// A session has a menu of what can be done with it: at its row and its title, by the right
// button, and by a key.

// openMenu opens the menu of a session.
func (m *model) openMenu(v api.Session, at *chooser.Place) {
	m.openOver(m.overlay, palette.Session(m.env(), v, at))
}

// menuAt opens the menu of the session that a click of the right button is for, and reports
// whether there is one: a click into a pane is the program's.
func (m *model) menuAt(msg tea.MouseMsg) bool {
	e, ok := msg.(tea.MouseClickMsg)
	if !ok || e.Button != tea.MouseRight {
		return false
	}
	v := m.Session(m.named(e.X, e.Y))
	if v == nil {
		return false
	}
	m.openMenu(*v, &chooser.Place{X: e.X, Y: e.Y})
	return true
}

// named is the session whose row or title is at a cell; "" for none.
func (m *model) named(x, y int) string {
	env := m.env()
	if env.Column.Contains(x, y) {
		return sessions.At(env, x, y)
	}
	if t, ok := env.TileAt(x, y); ok && y == t.Rect.Y && !t.Inner().Contains(x, y) {
		return t.ID()
	}
	return ""
}

// doTo runs an action on a session, whichever has the focus; those on its pane give it that.
func (m *model) doTo(v api.Session, a keymap.Action) {
	switch a {
	case keymap.Menu:
		m.openMenu(v, nil)
	case keymap.Rename, keymap.Marks, keymap.Kill, keymap.Explain, keymap.Policy, keymap.Messages, keymap.Review, keymap.PullReq, keymap.FailedLog, keymap.Restart, keymap.Park:
		m.overlay = nil
		m.doFor(&v, a, ui.Key{At: m.now()})
	case keymap.Prompt:
		m.overlay = nil
		m.openPrompt(true, []string{v.ID})
	default:
		if m.openSession(v.ID); m.grid.Focus == v.ID {
			m.run(m.keys.Of(a), ui.Key{At: m.now()})
		}
	}
}

// used notes what was taken from the palette: that stands first there from now on.
func (m *model) used() palette.Recent {
	return palette.Recent{Names: m.recent, Use: func(name string) ui.Effect {
		return then{do: func(m *model) { m.recent = palette.Latest(m.recent, name) }}
	}}
}

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
		Sessions: m.grid.Scoped(&m.World), Scope: m.grid.Scope(), Shown: m.grid.Shown(&m.World), Requests: m.Requests, Hidden: m.grid.Hidden(), Projects: m.sidebar.Projects(), Opt: m.sidebar.List(), Now: m.now(),
	}
	src.Beyond = len(m.grid.Gridded(&m.World)) - len(src.Sessions)
	if out := m.grid.Outside(&m.World, m.now()); len(out) > 0 {
		src.Sessions = slices.Concat(src.Sessions, out)
	}
	return src
}

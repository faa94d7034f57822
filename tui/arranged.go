package tui

import (
	"cmp"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/ui"
)

// arranged is how the person has arranged the grid. The daemon keeps it for all
// terminals and for the next attach; what others put there is taken over, zoom,
// focus, sidebar and column apart, which belong to the terminal while it is attached.
// The program's goroutine owns it; slices and maps in it are replaced, never
// changed in place.
type arranged struct {
	kind    tiling.Kind
	sizes   map[string]tiling.Sizes
	order   []string
	rank    map[string]int // place in order
	orders  uint64         // how often order was replaced
	cache   gridded
	hidden  map[string]bool
	sidebar *api.GridSidebar // nil: as configured
	list    api.GridList
	zoom    string // the session that a person zoomed last, kept for the next attach
	focus   string // the focus that the daemon has

	// kept: the daemon keeps arrangements. changed counts the changes here;
	// saved and failed are the counts up to which they were kept, or could not be.
	kept                   bool
	changed, saved, failed uint64
	saving                 bool

	drag        *borderDrag
	draggedPane draggedPane // zero: no pane is being dragged
	// Until hold hosts are not told of new sizes, because a border is on its
	// way; until repeat some keys go on without the prefix key.
	hold, repeat time.Time
	clicked      frameClick
}

// gridded are the sessions that have a pane as they were computed last, and of
// what.
type gridded struct {
	first   *api.Session
	n       int
	changes uint64
	out     []api.Session
}

// pending reports whether there are changes that the daemon does not have yet
// and will get.
func (a *arranged) pending() bool { return a.changed != a.saved && a.changed != a.failed }

// rearranged is called after each change that is kept.
func (m *model) rearranged() { m.arr.changed++ }

// takeGrid takes over the arrangement that the daemon has, unless there are
// newer changes here: they will be kept next.
func (m *model) takeGrid(g *api.Grid, first bool) {
	if g == nil || m.arr.pending() || m.arr.drag != nil {
		return
	}
	a := &m.arr
	a.kind, a.sizes = tiling.Known(g.Layout), g.Sizes
	a.setOrder(g.Order)
	a.hidden = map[string]bool{}
	for _, id := range g.Hidden {
		a.hidden[id] = true
	}
	m.hideEnded, a.focus = g.HideEnded, g.Focus
	a.list.Sort, a.list.Group = g.List.Sort, g.List.Group
	if !first {
		return
	}
	a.zoom, a.list.Hidden, a.list.Share, a.list.Width = g.Zoom, g.List.Hidden, g.List.Share, g.List.Width
	if a.sidebar = g.Sidebar; a.sidebar != nil {
		m.noSidebar = a.sidebar.Hidden
	}
}

func (a *arranged) setOrder(order []string) {
	a.orders++
	a.order, a.rank = order, make(map[string]int, len(order))
	for i, id := range order {
		a.rank[id] = i
	}
}

// ordered puts sessions, oldest first, into the person's order.
func (a *arranged) ordered(all []api.Session) []api.Session {
	if len(a.order) == 0 {
		return all
	}
	place := func(v api.Session) int {
		if i, ok := a.rank[v.ID]; ok {
			return i
		}
		return len(a.order)
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(x, y api.Session) int { return cmp.Compare(place(x), place(y)) })
	return all
}

// grid is the arrangement as the daemon keeps it, without sessions that are
// gone.
func (m *model) grid() api.Grid {
	a := &m.arr
	known := func(id string) bool { return m.session(id) != nil }
	g := api.Grid{
		Layout: string(a.kind), HideEnded: m.hideEnded, Zoom: a.zoom, Focus: m.focus, Sizes: a.sizes, Sidebar: a.sidebar, List: a.list,
	}
	for _, id := range a.order {
		if known(id) {
			g.Order = append(g.Order, id)
		}
	}
	for id := range a.hidden {
		if known(id) {
			g.Hidden = append(g.Hidden, id)
		}
	}
	slices.Sort(g.Hidden)
	if m.zoom && a.zoom != "" {
		g.Zoom = m.focus
	}
	return g
}

// keepGrid sends the arrangement to the daemon if it has changed: one call at a
// time, the latest last, nothing while a border is on its way.
func (m *model) keepGrid(now time.Time) cmd {
	a := &m.arr
	if !a.kept || !a.pending() || a.saving || a.drag != nil || now.Before(a.hold) || m.Offline != "" || m.opts.ReadOnly || m.opts.Client == nil {
		return nil
	}
	n, g := a.changed, m.grid()
	a.saving = true
	return m.callOr("", func(c calls) (func(*model), error) {
		err := m.keeper.put(c.ctx, c, g)
		return func(m *model) { m.arr.saving, m.arr.saved, m.arr.focus = false, n, g.Focus }, err
	}, func(m *model, err error) {
		m.arr.saving, m.arr.failed = false, n
		if m.Offline == "" {
			m.warn("the layout is not kept: " + ui.Problem(err))
		}
	})
}

// lastGrid is what is to be kept when the person leaves, nil if the daemon has
// it.
func (m *model) lastGrid() *api.Grid {
	a := &m.arr
	if m.opts.ReadOnly || !a.kept {
		return nil
	}
	g := m.grid()
	if a.changed == a.saved && g.Zoom == a.zoom && g.Focus == a.focus {
		return nil
	}
	return &g
}

// setHidden hides a session's pane or shows it again.
func (m *model) setHidden(id string, hide bool) {
	if m.arr.hidden[id] == hide {
		return
	}
	next := map[string]bool{}
	for other := range m.arr.hidden {
		next[other] = true
	}
	delete(next, id)
	if hide {
		next[id] = true
	}
	m.arr.hidden = next
	m.rearranged()
}

// hide hides a pane. The focus goes to the pane that takes its place.
func (m *model) hide(v api.Session) {
	shown, at := m.focusAt()
	m.setHidden(v.ID, true)
	if v.ID == m.focus && len(shown) > 1 {
		if at++; at == len(shown) {
			at -= 2
		}
		m.focus = shown[at].ID
	}
	m.say(textsafe.Line(v.Name) + " is hidden and goes on: " + m.keys.Hint(keymap.ShowAll) + " shows it again")
}

// hiddenCount is how many sessions a person has hidden.
func (m *model) hiddenCount() (n int) {
	for _, v := range m.Sessions {
		if m.arr.hidden[v.ID] && !v.External {
			n++
		}
	}
	return n
}

// swap exchanges two panes' places.
func (m *model) swap(i, j int) {
	shown := m.shown()
	if i == j || min(i, j) < 0 || max(i, j) >= len(shown) {
		return
	}
	var ids []string
	for _, v := range m.gridded() {
		ids = append(ids, v.ID)
	}
	a, b := slices.Index(ids, shown[i].ID), slices.Index(ids, shown[j].ID)
	ids[a], ids[b] = ids[b], ids[a]
	m.arr.setOrder(ids)
	m.rearranged()
}

// gridded are the sessions that have a pane, in order; outside, those that have
// none because they run outside ccdir.
func (m *model) gridded() []api.Session {
	all := m.Sessions
	if len(all) == 0 {
		return nil
	}
	// Sessions and ranks are replaced, never changed in place.
	c := &m.arr.cache
	if c.first == &all[0] && c.n == len(all) && c.changes == m.arr.orders {
		return c.out
	}
	c.first, c.n, c.changes = &all[0], len(all), m.arr.orders
	if slices.ContainsFunc(all, func(v api.Session) bool { return v.External }) {
		all = slices.DeleteFunc(slices.Clone(all), func(v api.Session) bool { return v.External })
	}
	c.out = m.arr.ordered(all)
	return c.out
}

// outside are the sessions that run outside ccdir, those that wait for a person first:
// the sidebar has room for some.
func (m *model) outside() []api.Session {
	var out []api.Session
	for _, v := range m.Sessions {
		if v.External && !(m.hideEnded && v.State.Ended()) {
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b api.Session) int {
		const others = 2 // keep their places
		return cmp.Compare(min(sessionlist.Row{Session: a}.Need(), others), min(sessionlist.Row{Session: b}.Need(), others))
	})
	return out
}

// shown are the sessions that the grid shows, in order.
func (m *model) shown() []api.Session {
	if !m.hideEnded && len(m.arr.hidden) == 0 {
		return m.gridded()
	}
	return slices.DeleteFunc(slices.Clone(m.gridded()), func(v api.Session) bool {
		return m.hideEnded && v.State.Ended() || m.arr.hidden[v.ID]
	})
}

// Package grid is what ccdir shows of sessions side by side: which of them have a pane, in
// which order and layout, with which borders, which one has the focus, and the frames and
// bars around them.
//
// Grid owns the arrangement, the focus and what the mouse has grabbed. The daemon keeps the
// arrangement for all terminals and for the next attach: the latest write wins; zoom, focus
// and sidebar belong to the terminal while it is attached. It may ask for lines in the
// status line, for the call that keeps the arrangement, and (ui.Border) for room of
// the sidebar; input for a pane's program goes to that pane. What is drawn are pure
// functions of an Env and values.
//
// The program's goroutine owns it; slices and maps in it are replaced, never changed in
// place. The panes' rows and the keys of the focused pane don't pass here.
package grid

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
)

// Grid is the arrangement of panes and what has the focus.
type Grid struct {
	Focus     string // id of the session with the keyboard, "" if there is none
	Zoomed    bool   // it is shown alone
	HideEnded bool
	Layout    tiling.Screen // as it was laid last

	// laid is what the page was laid out for last without a button of the mouse down, lay the
	// result, next the room of one more session: layouts are asked for several times a
	// message.
	laid tiling.Wish
	lay  tiling.Screen
	next paint.Rect

	under  string // Under as of the last Settle
	last   string // what it was before
	room   Room
	seats  seats
	kind   tiling.Kind
	sizes  map[string]tiling.Sizes
	order  []string
	rank   map[string]int // place in order
	orders uint64         // how often order was replaced
	cache  gridded
	hidden map[string]bool
	zoom   string // the session that a person zoomed last, kept for the next attach

	beside  Beside
	scope   api.GridScope
	Board   bool   // the tasks are shown as a board, where there is room
	Queued  string // the task that was added last, until the queue is opened
	keeping keeping
	mouse   mouse
	grace   grace
	// Until hold hosts are not told of new sizes, because a border is on its
	// way; until repeat some keys go on without the prefix key.
	hold, repeat time.Time
}

// Room is the room for the grid and the sidebar, in columns and rows: tiling.Wish says
// what the others are.
type Room struct {
	Cols, Rows          int
	List, Events, Share int
	Gaps                bool
}

// Beside is the sidebar, as far as the grid depends on it.
type Beside interface {
	// Kept is what the daemon keeps of it.
	Kept() (api.GridList, *api.GridSidebar)
	// In reports whether a session is in a scope.
	In(scope api.GridScope, v api.Session) bool
}

// New is a grid without sessions.
func New(beside Beside) Grid {
	return Grid{kind: tiling.Tiled, keeping: newKeeping(), beside: beside}
}

// gridded are the sessions that have a pane as they were computed last, and of
// what.
type gridded struct {
	first   *api.Session
	n       int
	changes uint64
	out     []api.Session
}

// Gridded are the sessions that have a pane, in order; those outside ccdir and floating tools
// have none.
func (g *Grid) Gridded(w *ui.World) []api.Session {
	all := w.Sessions
	if len(all) == 0 {
		return nil
	}
	// Sessions and ranks are replaced, never changed in place.
	c := &g.cache
	if c.first == &all[0] && c.n == len(all) && c.changes == g.orders {
		return c.out
	}
	c.first, c.n, c.changes = &all[0], len(all), g.orders
	none := func(v api.Session) bool { return v.External || w.Floats(v) }
	if slices.ContainsFunc(all, none) {
		all = slices.DeleteFunc(slices.Clone(all), none)
	}
	c.out = g.ordered(all)
	return c.out
}

// ordered puts sessions, oldest first, into the person's order.
func (g *Grid) ordered(all []api.Session) []api.Session {
	if len(g.order) == 0 {
		return all
	}
	place := func(v api.Session) int {
		if i, ok := g.rank[v.ID]; ok {
			return i
		}
		return len(g.order)
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(x, y api.Session) int { return cmp.Compare(place(x), place(y)) })
	return all
}

func (g *Grid) setOrder(order []string) {
	g.orders++
	g.order, g.rank = order, make(map[string]int, len(order))
	for i, id := range order {
		g.rank[id] = i
	}
}

// Scoped are the sessions that have a pane and are in the scope, in order.
func (g *Grid) Scoped(w *ui.World) []api.Session {
	if g.scope == (api.GridScope{}) {
		return g.Gridded(w)
	}
	return slices.DeleteFunc(slices.Clone(g.Gridded(w)), func(v api.Session) bool { return !g.in(v) })
}

// Shown are the sessions that the grid shows, in order.
func (g *Grid) Shown(w *ui.World) []api.Session {
	if !g.HideEnded && len(g.hidden) == 0 {
		return g.Scoped(w)
	}
	return slices.DeleteFunc(slices.Clone(g.Scoped(w)), func(v api.Session) bool {
		return g.HideEnded && v.State.Ended() || g.hidden[v.ID]
	})
}

// Outside are the sessions that run outside ccdir, those that wait for a person first:
// the sidebar has room for some.
func (g *Grid) Outside(w *ui.World, now time.Time) []api.Session {
	var out []api.Session
	for _, v := range w.Sessions {
		if v.External && !(g.HideEnded && v.State.Ended()) && g.in(v) {
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b api.Session) int {
		const others = 2 // keep their places
		return cmp.Compare(min(a.Standing(now).Rank(), others), min(b.Standing(now).Rank(), others))
	})
	return out
}

// at is the place of a session among those shown, -1 if it is not.
func at(shown []api.Session, id string) int {
	return slices.IndexFunc(shown, func(v api.Session) bool { return v.ID == id })
}

// Lay lays the page out again.
func (g *Grid) Lay(w *ui.World, room Room) {
	g.room = room
	g.relay(w)
}

// relay lays the page out. While a button of the mouse is down, the panes stay where they
// were when it was pressed, as long as the one in focus is among them.
func (g *Grid) relay(w *ui.World) {
	shown := g.Shown(w)
	wish := g.wish(w, shown)
	focus := wish.Focus
	if before := at(shown, g.mouse.before); before >= 0 {
		wish.Focus = before
		g.Layout = tiling.Lay(wish)
		if g.Layout.Pane(focus) >= 0 {
			return
		}
		g.mouse.before, wish.Focus = "", focus
	}
	g.seats = g.seats.with(shown, g.Under(w))
	wish.Seats = g.seats.places(shown)
	if reflect.DeepEqual(wish, g.laid) {
		g.Layout = g.lay
		return
	}
	g.Layout = tiling.Lay(wish)
	g.laid, g.lay = wish, g.Layout
	g.next = nextSize(wish)
}

// Settle gives the focus to a session that is shown, and lays the page out.
func (g *Grid) Settle(w *ui.World, room Room) {
	shown := g.Shown(w)
	if g.Float(w) == nil && at(shown, g.Focus) < 0 {
		g.Focus, g.Zoomed = "", g.Zoomed && len(shown) == 0
		if len(shown) > 0 {
			g.Focus = shown[0].ID
		}
	}
	if now := g.Under(w); now != g.under {
		g.under, g.last = now, g.under
	}
	g.Lay(w, room)
}

// wish is the input of the layout.
func (g *Grid) wish(w *ui.World, shown []api.Session) tiling.Wish {
	return tiling.Wish{
		Cols: g.room.Cols, Rows: g.room.Rows, Sessions: len(shown), Focus: at(shown, g.Under(w)), Zoom: g.Zoomed,
		Seats: g.seats.places(shown), Kind: g.kind, Sizes: g.sizes, List: g.room.List, Sidebar: g.room.Events, Share: g.room.Share, Gaps: g.room.Gaps,
	}
}

// NextSize is the room that the screen of one more session will have, in cells, as the page
// was laid out last.
func (g *Grid) NextSize() (cols, rows int) { return g.next.W, g.next.H }

// nextSize is the room for one more session than the wish has.
func nextSize(wish tiling.Wish) paint.Rect {
	wish.Focus = wish.Sessions
	wish.Sessions++
	l := tiling.Lay(wish)
	if len(l.Panes) == 0 {
		return paint.Rect{}
	}
	in := ui.Tile{Rect: l.Panes[len(l.Panes)-1]}.Inner()
	return paint.Rect{W: max(in.W, 1), H: max(in.H, 1)}
}

// Tiles are the panes in view, without panes and states.
func (g *Grid) Tiles(w *ui.World) []ui.Tile {
	shown := g.Shown(w)
	float, floats := g.floating(w)
	if len(g.Layout.Panes) == 0 && !floats {
		return nil
	}
	tiles := make([]ui.Tile, 0, len(g.Layout.Panes)+1)
	for i, r := range g.Layout.Panes {
		n := g.Layout.Sessions[i]
		if n >= len(shown) {
			continue // sessions were removed since the layout was made
		}
		v := &shown[n]
		tiles = append(tiles, ui.Tile{Session: v, Rect: r, Focused: v.ID == g.Focus, Number: n + 1})
	}
	if floats {
		tiles = append(tiles, float)
	}
	return tiles
}

// Same are the sessions that have the size of the panes in view also while they have none,
// nil if there are none such.
func (g *Grid) Same(w *ui.World) map[string]bool {
	if !g.Layout.Same || g.Zoomed {
		return nil
	}
	same := map[string]bool{}
	for _, v := range g.Shown(w) {
		same[v.ID] = true
	}
	return same
}

// Hidden reports which sessions a person has hidden; it is for reading.
func (g *Grid) Hidden() map[string]bool { return g.hidden }

// HiddenCount is how many sessions a person has hidden.
func (g *Grid) HiddenCount(w *ui.World) (n int) {
	for _, v := range w.Sessions {
		if g.hidden[v.ID] && !v.External && g.in(v) {
			n++
		}
	}
	return n
}

// Hide hides a session's pane or shows it again.
func (g *Grid) Hide(id string, hide bool) {
	if g.hidden[id] == hide {
		return
	}
	next := map[string]bool{}
	for other := range g.hidden {
		next[other] = true
	}
	delete(next, id)
	if hide {
		next[id] = true
	}
	g.hidden = next
	g.Changed()
}

// swap exchanges two panes' places.
func (g *Grid) swap(w *ui.World, i, j int) {
	shown := g.Shown(w)
	if i == j || min(i, j) < 0 || max(i, j) >= len(shown) {
		return
	}
	var ids []string
	for _, v := range g.Gridded(w) {
		ids = append(ids, v.ID)
	}
	a, b := slices.Index(ids, shown[i].ID), slices.Index(ids, shown[j].ID)
	ids[a], ids[b] = ids[b], ids[a]
	g.setOrder(ids)
	g.seats = g.seats.swapped(shown[i].ID, shown[j].ID)
	g.Changed()
}

// Hold has hosts told of new sizes a little later: more changes may follow.
func (g *Grid) Hold(now time.Time) { g.hold = now.Add(holdFor) }

// Held reports whether hosts are not told of new sizes now.
func (g *Grid) Held(now time.Time) bool { return g.mouse.border != nil || now.Before(g.hold) }

// Takes reports whether a key may be the grid's although it comes without the prefix key.
func (g *Grid) Takes(now time.Time) bool { return now.Before(g.repeat) || now.Before(g.grace.until) }

// NextWake is when a time that was set is over, the zero time never.
func (g *Grid) NextWake(env ui.Env) (next time.Time) {
	for _, until := range []time.Time{g.hold, g.repeat, g.grace.until, g.keeping.rests} {
		if env.Now.Before(until) && (next.IsZero() || until.Before(next)) {
			next = until
		}
	}
	return next
}

func say(text string) []ui.Effect  { return []ui.Effect{ui.Say{Text: text}} }
func warn(text string) []ui.Effect { return []ui.Effect{ui.Warn{Text: text}} }

package grid

import (
	"context"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/ui"
)

// keepWithin bounds one call that keeps an arrangement: at the end the person waits
// for the shell meanwhile.
const keepWithin = time.Second

// restFor is how long the focus stays where it is before that is kept.
const restFor = 2 * time.Second

// keeping is how far the daemon has the arrangement.
type keeping struct {
	keeper keeper
	// kept: the daemon keeps arrangements. changed counts the changes here;
	// saved and failed are the counts up to which they were kept, or could not be.
	kept                   bool
	changed, saved, failed uint64
	saving                 bool
	focus                  string // the focus that the daemon has
	// at is the focus as of the last Refresh, rests when it has been there for so long that
	// the next attach is to begin there, also if this grid is killed.
	at    string
	rests time.Time
	left  time.Time
	spent *float64
}

func newKeeping() keeping { return keeping{keeper: make(keeper, 1)} }

// keeper sends arrangements to the daemon one after the other. The end of the grid does
// not cancel one that is on its way: the daemon might carry it out after the last one,
// which would then be lost. It has one slot: who puts.
type keeper chan struct{}

// put sends a when what was sent before is over. It is for goroutines that may block.
func (k keeper) put(ctx context.Context, c setter, a api.Grid) error {
	k <- struct{}{}
	defer func() { <-k }()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepWithin)
	defer cancel()
	return c.SetGrid(ctx, a)
}

// setter is the part of a client that keeps arrangements.
type setter interface {
	SetGrid(context.Context, api.Grid) error
}

// pending reports whether there are changes that the daemon does not have yet
// and will get.
func (k *keeping) pending() bool { return k.changed != k.saved && k.changed != k.failed }

// Changed is called after each change that is kept.
func (g *Grid) Changed() { g.keeping.changed++ }

// Connected notes a snapshot: whether the daemon keeps arrangements.
func (g *Grid) Connected(kept bool) { g.keeping.kept, g.keeping.failed = kept, 0 }

// Take takes over the arrangement that the daemon has, unless there are newer changes
// here: they will be kept next. It reports whether it did. The first one has the zoom, too.
func (g *Grid) Take(a *api.Grid, first bool) bool {
	if a == nil || g.keeping.pending() || g.mouse.border != nil {
		return false
	}
	g.kind, g.sizes = tiling.Known(a.Layout), a.Sizes
	g.setOrder(a.Order)
	g.hidden = map[string]bool{}
	for _, id := range a.Hidden {
		g.hidden[id] = true
	}
	g.HideEnded, g.keeping.focus, g.scope, g.Board = a.HideEnded, a.Focus, a.Scope, a.Board
	if first {
		g.zoom, g.keeping.left, g.keeping.spent = a.Zoom, a.Left, a.Spent
		if !a.Left.IsZero() { // a grid is attached again
			g.Changed()
		}
	}
	return true
}

// Left is when the last grid was detached before this one was attached; zero: not known. spent is what
// agents had cost by then since that day began, in US dollars; nil: not known.
func (g *Grid) Left() (at time.Time, spent *float64) { return g.keeping.left, g.keeping.spent }

// Arrangement is the arrangement as the daemon keeps it, without sessions that are gone.
func (g *Grid) Arrangement(w *ui.World) api.Grid {
	known := func(id string) bool { return w.Session(id) != nil }
	a := api.Grid{Layout: string(g.kind), HideEnded: g.HideEnded, Zoom: g.zoom, Focus: g.Focus, Sizes: g.sizes}
	for _, id := range g.order {
		if known(id) {
			a.Order = append(a.Order, id)
		}
	}
	for id := range g.hidden {
		if known(id) {
			a.Hidden = append(a.Hidden, id)
		}
	}
	slices.Sort(a.Hidden)
	a.List, a.Sidebar = g.beside.Kept()
	a.Scope, a.Board = g.scope, g.Board
	if g.Zoomed && g.zoom != "" {
		a.Zoom = g.Focus
	}
	return a
}

// kept is the answer to a call that keeps an arrangement: the changes up to which, and
// the focus in it.
type kept struct {
	changed uint64
	focus   string
}

// Refresh sends the whole arrangement to the daemon if it has changed: one call at a time,
// the latest last, nothing while a border is on its way.
func (g *Grid) Refresh(env ui.Env) []ui.Effect {
	k := &g.keeping
	if g.Focus != k.at {
		if k.at != "" {
			k.rests = env.Now.Add(restFor)
		}
		k.at = g.Focus
	}
	if !k.rests.IsZero() && !env.Now.Before(k.rests) {
		if k.rests = (time.Time{}); g.Focus != k.focus {
			g.Changed()
		}
	}
	if !k.kept || !k.pending() || k.saving || g.Held(env.Now) || env.Offline != "" || env.ReadOnly {
		return nil
	}
	a, n, put := g.Arrangement(env.World), k.changed, k.keeper.put
	k.saving = true
	return []ui.Effect{ui.Call{Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		return ui.Result{Value: kept{n, a.Focus}}, put(ctx, c, a)
	}}}
}

// Receive takes the answer to a call that was asked for, and what others change of the
// arrangement.
func (g *Grid) Receive(env ui.Env, value any, err error) []ui.Effect {
	k, answer := &g.keeping, kept{changed: g.keeping.changed}
	switch v := value.(type) {
	case ui.Hide:
		for _, id := range v.Sessions {
			g.Hide(id, v.Hidden)
		}
		return nil
	case ui.Scope:
		return g.setScope(env, v.GridScope)
	case ui.Board:
		g.Board = v.On
		g.Changed()
		return nil
	case ui.Queued:
		g.Queued = v.Task
		return nil
	case ui.Arranged:
		if g.Changed(); v.Hold {
			g.Hold(env.Now)
		}
		return nil
	case kept:
		answer = v
	}
	k.saving = false
	if err == nil {
		k.saved, k.focus = answer.changed, answer.focus
		return nil
	}
	k.failed = answer.changed
	if env.Offline == "" {
		return warn("the layout is not kept: " + ui.Problem(err))
	}
	return nil
}

// KeepLast keeps the whole arrangement when the person leaves, and the time; if that is zero, only
// what the daemon does not have. It blocks for a second at most.
func (g *Grid) KeepLast(c setter, readOnly bool, w *ui.World, now time.Time) {
	k, whole := &g.keeping, g.Arrangement(w)
	whole.Left = now
	if readOnly || !k.kept || now.IsZero() && k.changed == k.saved && whole.Zoom == g.zoom && whole.Focus == k.focus {
		return
	}
	_ = k.keeper.put(context.Background(), c, whole) // an error can no longer be shown
}

package grid

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/ui"
)

// Begin chooses the pane to begin with: the one asked for (an id, a unique prefix of one,
// or a name), else the one that the grid was left at, else one that waits for a person,
// else one that runs.
func (g *Grid) Begin(env ui.Env, asked string) (effects []ui.Effect) {
	if asked != "" {
		if v := find(env.World, asked); v != nil {
			effects = g.Give(env.World, v.ID)
			g.Zoomed = true
			return effects
		}
		effects = warn("there is no session " + textsafe.Line(asked))
	}
	if v := env.Session(g.zoom); v != nil && !v.External && !g.hidden[v.ID] && g.in(*v) {
		g.Focus, g.Zoomed = v.ID, true
		return effects
	}
	shown := g.Shown(env.World)
	if v := env.Session(g.keeping.focus); v != nil && env.Floats(*v) || at(shown, g.keeping.focus) >= 0 {
		g.Focus = g.keeping.focus
		return effects
	}
	rank := func(v api.Session) int {
		switch {
		case v.State.NeedsPerson() && !env.Snoozed(v, env.Now):
			return 0
		case !v.State.Ended():
			return 1
		}
		return 2
	}
	best := 3
	for _, v := range shown {
		if r := rank(v); r < best {
			best, g.Focus = r, v.ID
		}
	}
	return effects
}

// find resolves an id, a unique prefix of one, or a name.
func find(w *ui.World, ref string) *api.Session {
	var found *api.Session
	for i := range w.Sessions {
		v := &w.Sessions[i]
		if v.External {
			continue
		}
		if v.ID == ref || v.Name == ref {
			return v
		}
		if strings.HasPrefix(v.ID, ref) {
			if found != nil {
				return nil
			}
			found = v
		}
	}
	return found
}

// Give gives a session the keyboard, if it has a pane.
func (g *Grid) Give(w *ui.World, id string) []ui.Effect {
	v := w.Session(id)
	if v == nil {
		return nil
	}
	if v.External {
		return say(textsafe.Line(v.Name) + " runs outside ccdir: it has no pane (process " + strconv.Itoa(v.PID) + " in " + textsafe.Line(v.CWD) + ")")
	}
	if v.State.Ended() && g.HideEnded {
		g.HideEnded = false
		g.Changed()
	}
	effects := g.enter(*v)
	g.Hide(id, false)
	g.Focus = id
	return effects
}

// Removed gives the focus to a neighbour if its session is gone; before are the sessions
// that were shown with it.
func (g *Grid) Removed(w *ui.World, before []api.Session) {
	if w.Session(g.Focus) != nil {
		return
	}
	was := max(at(before, g.Focus), 0)
	g.Focus = ""
	if rest := g.Shown(w); at(rest, g.under) >= 0 { // below a floating tool
		g.Focus = g.under
	} else if len(rest) > 0 {
		g.Focus = rest[min(was, len(rest)-1)].ID
	}
}

// to moves the focus on the page; where one pane is shown at a time it moves through all
// of them, and so it does up and down where the others have rows.
func (g *Grid) to(w *ui.World, d tiling.Side) {
	shown := g.Shown(w)
	here := at(shown, g.Under(w))
	if here < 0 {
		return
	}
	l := g.Layout
	if len(l.Panes) == 1 && len(shown) > 1 {
		if d == tiling.Left || d == tiling.Up {
			g.step(w, -1)
		} else {
			g.step(w, 1)
		}
		return
	}
	pane := l.Pane(here)
	if pane < 0 {
		return
	}
	next := tiling.Neighbour(l.Panes, pane, d)
	to := l.Sessions[next]
	if next == pane {
		to = over(l, here, d)
	}
	if to >= 0 && to < len(shown) {
		g.Focus = shown[to].ID
	}
}

// over is the session beyond the edge of the page; here if there is none.
func over(l tiling.Screen, here int, d tiling.Side) int {
	forward := d == tiling.Right || d == tiling.Down
	switch {
	case l.Same && d == tiling.Down:
		return here + 1
	case l.Same && d == tiling.Up:
		return here - 1
	case forward && l.Page+1 < l.Pages:
		return l.Sessions[len(l.Sessions)-1] + 1
	case !forward && l.Page > 0:
		return l.Sessions[0] - 1
	}
	return here
}

// step moves the focus by so many sessions, round and round.
func (g *Grid) step(w *ui.World, n int) {
	shown := g.Shown(w)
	if here := at(shown, g.Under(w)); here >= 0 {
		g.Focus = shown[(here+n+len(shown))%len(shown)].ID
	}
}

// back gives the focus to the session that had it before.
func (g *Grid) back(env ui.Env) []ui.Effect {
	if at(g.Shown(env.World), g.last) < 0 {
		return say("no other pane has had the focus yet")
	}
	g.Focus = g.last
	return nil
}

// number gives the focus to the pane of that number.
func (g *Grid) number(env ui.Env, key string) []ui.Effect {
	n := slices.Index(env.Keys.Of(keymap.FocusN).Keys, key)
	shown := g.Shown(env.World)
	if n < 0 || n >= len(shown) {
		return warn("there are only " + strconv.Itoa(len(shown)) + " panes")
	}
	g.Focus = shown[n].ID
	return nil
}

// page moves the focus to the same place of another page.
func (g *Grid) page(w *ui.World, step int) {
	shown, l := g.Shown(w), g.Layout
	here := at(shown, g.Under(w))
	if here < 0 || l.Pages < 2 {
		return
	}
	page := (l.Page + step + l.Pages) % l.Pages
	g.Focus = shown[min(page*l.PerPage+here%l.PerPage, len(shown)-1)].ID
}

// When the focused session is removed, by another terminal for example, a neighbour gets
// the focus, and what a person was just typing would go there: a digit could answer its
// permission request. So the neighbour gets no keys for a grace period.
const (
	// graceFor is the least grace period, gracePause the pause in typing that ends it.
	graceFor   = time.Second
	gracePause = 500 * time.Millisecond
)

// grace is the grace period after the focused session was removed; zero: there is none.
type grace struct {
	until time.Time
	name  string // of the session that is gone
}

// Lost begins the grace period if the session that had the focus has gone.
func (g *Grid) Lost(env ui.Env, had string) {
	if had != "" && env.Session(had) == nil && !env.ReadOnly {
		g.grace = grace{until: env.Now.Add(graceFor), name: cmp.Or(env.Names[had], "the session")}
	}
}

// Swallows reports whether a key is withheld from the focused pane, because it was meant
// for the removed session, and says so.
func (g *Grid) Swallows(w *ui.World, now time.Time) ([]ui.Effect, bool) {
	if !now.Before(g.grace.until) {
		return nil, false
	}
	if later := now.Add(gracePause); later.After(g.grace.until) {
		g.grace.until = later
	}
	to := "the next one"
	if v := w.Session(g.Focus); v != nil {
		to = textsafe.Line(v.Name)
	}
	return warn(textsafe.Line(g.grace.name) + " was removed while you typed: the key was not sent to " + to), true
}

package grid

import (
	"fmt"
	"maps"
	"time"

	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/ui"
)

// Times of moving borders.
const (
	// repeatFor is how long the keys that move borders and panes go on without
	// the prefix key.
	repeatFor = 500 * time.Millisecond
	// holdFor is how long hosts are told nothing after a step: an agent draws
	// everything anew for each size.
	holdFor = 300 * time.Millisecond
)

// Steps of a border for a key, in cells.
const (
	stepCols = 4
	stepRows = 2
)

// layouts are the layouts by their actions.
var layouts = map[keymap.Action]tiling.Kind{
	keymap.LayoutTiled: tiling.Tiled, keymap.Layout1x1: tiling.OneByOne, keymap.Layout2x1: tiling.TwoByOne,
	keymap.Layout2x2: tiling.TwoByTwo, keymap.Layout3x2: tiling.ThreeByTwo, keymap.LayoutColumns: tiling.Columns,
	keymap.LayoutRows: tiling.Rows, keymap.LayoutMain: tiling.Main, keymap.LayoutFocus: tiling.Spotlight,
}

// The actions that have a direction: on the focus, on borders after the prefix key
// and in the mode for it, and on panes.
var (
	focuses = map[keymap.Action]tiling.Side{
		keymap.FocusLeft: tiling.Left, keymap.FocusDown: tiling.Down, keymap.FocusUp: tiling.Up, keymap.FocusRight: tiling.Right,
	}
	resizes = map[keymap.Action]tiling.Side{
		keymap.ResizeLeft: tiling.Left, keymap.ResizeDown: tiling.Down, keymap.ResizeUp: tiling.Up, keymap.ResizeRight: tiling.Right,
	}
	borderMoves = map[keymap.Action]tiling.Side{
		keymap.BorderLeft: tiling.Left, keymap.BorderDown: tiling.Down, keymap.BorderUp: tiling.Up, keymap.BorderRight: tiling.Right,
	}
	swaps = map[keymap.Action]tiling.Side{
		keymap.SwapLeft: tiling.Left, keymap.SwapDown: tiling.Down, keymap.SwapUp: tiling.Up, keymap.SwapRight: tiling.Right,
	}
)

// Do runs an action on focus, layout and order; key is the one that was pressed. It does
// nothing for other actions.
func (g *Grid) Do(env ui.Env, a keymap.Action, key string) []ui.Effect {
	w := env.World
	if kind, ok := layouts[a]; ok {
		return g.setLayout(env, kind)
	}
	if d, ok := focuses[a]; ok {
		g.to(w, d)
		return nil
	}
	if d, ok := resizes[a]; ok {
		effects := g.moveBorder(env, d)
		g.repeat = env.Now.Add(repeatFor)
		return effects
	}
	if d, ok := borderMoves[a]; ok {
		return g.moveBorder(env, d)
	}
	if d, ok := swaps[a]; ok {
		g.swapTo(env, d)
		return nil
	}
	switch a {
	case keymap.FocusNext, keymap.BorderNext:
		g.step(w, 1)
	case keymap.FocusPrev:
		g.step(w, -1)
	case keymap.FocusLast:
		return g.back(env)
	case keymap.FocusN:
		return g.number(env, key)
	case keymap.Zoom:
		g.toggleZoom()
	case keymap.HideEnded:
		g.HideEnded = !g.HideEnded
		g.Changed()
	case keymap.NextLayout:
		return g.setLayout(env, g.kind.Next())
	case keymap.Borders:
		return g.openBorders()
	case keymap.Equalize, keymap.BorderEqual:
		g.equalize()
	case keymap.SwapPrev:
		g.swapBy(w, -1)
	case keymap.SwapNext:
		g.swapBy(w, 1)
	case keymap.Hide:
		return g.hideFocused(env)
	case keymap.ShowAll:
		g.hidden = nil
		g.Changed()
	case keymap.NextPage:
		g.page(w, 1)
	case keymap.PrevPage:
		g.page(w, -1)
	}
	return nil
}

// Key runs a key that goes on without the prefix key.
func (g *Grid) Key(env ui.Env, k ui.Key) (effects []ui.Effect, taken bool) {
	if env.Writing || env.InEvents || !k.At.Before(g.repeat) {
		return nil, false
	}
	b, ok := env.Keys.Lookup(k.Name)
	_, resize := resizes[b.Action]
	_, swap := swaps[b.Action]
	if !ok || !resize && !swap || b.Disabled(env.Facts) != "" {
		g.repeat = time.Time{}
		return nil, false
	}
	return g.Do(env, b.Action, k.Name), true
}

// Paste is for the focused pane.
func (g *Grid) Paste(ui.Env, []byte) ([]ui.Effect, bool) { return nil, false }

// setLayout takes a layout and says what it is.
func (g *Grid) setLayout(env ui.Env, k tiling.Kind) []ui.Effect {
	g.kind, g.Zoomed = k, false
	g.Changed()
	g.relay(env.World)
	l := g.Layout
	text := "layout " + k.String()
	if k == tiling.Tiled && l.Same {
		text += ", with so many sessions " + tiling.Spotlight.String()
	}
	if l.Plan != nil {
		if _, own := g.sizes[l.Plan.Key()]; own {
			text += " with your own sizes (" + env.Keys.Hint(keymap.Equalize) + " makes them equal)"
		}
	}
	switch {
	case env.Cols < tiling.NarrowBelow:
		text += ": the terminal is too narrow for more than one pane"
	case l.Pages > 1:
		text += fmt.Sprintf(", page %d of %d (%s %s)", l.Page+1, l.Pages, env.Keys.Hint(keymap.PrevPage), env.Keys.Hint(keymap.NextPage))
	}
	return say(text)
}

// toggleZoom shows the focused pane alone, or all again.
func (g *Grid) toggleZoom() {
	g.Zoomed = !g.Zoomed
	if g.zoom = ""; g.Zoomed {
		g.zoom = g.Focus
	}
	g.Changed()
}

// hideFocused hides the focused pane. The focus goes to the pane that takes its place.
func (g *Grid) hideFocused(env ui.Env) []ui.Effect {
	v := env.Session(g.Focus)
	if g.Float(env.World) != nil {
		g.Focus = g.Under(env.World)
		return nil
	}
	if v == nil {
		return nil
	}
	shown := g.Shown(env.World)
	next := at(shown, v.ID)
	g.Hide(v.ID, true)
	if len(shown) > 1 && next >= 0 {
		if next++; next == len(shown) {
			next -= 2
		}
		g.Focus = shown[next].ID
	}
	return say(textsafe.Line(v.Name) + " is hidden and goes on: " + env.Keys.Hint(keymap.ShowAll) + " shows it again")
}

// swapBy exchanges the focused pane with the one so many places on, round and round.
func (g *Grid) swapBy(w *ui.World, n int) {
	shown := g.Shown(w)
	if here := at(shown, g.Focus); here >= 0 {
		g.swap(w, here, (here+n+len(shown))%len(shown))
	}
}

// swapTo exchanges the focused pane with its neighbour.
func (g *Grid) swapTo(env ui.Env, d tiling.Side) {
	shown := g.Shown(env.World)
	here := at(shown, g.Focus)
	if here < 0 {
		return
	}
	var to int
	if len(g.Layout.Panes) == 1 {
		step := 1
		if d == tiling.Left || d == tiling.Up {
			step = -1
		}
		to = min(max(here+step, 0), len(shown)-1)
	} else if pane := g.Layout.Pane(here); pane >= 0 {
		to = g.Layout.Sessions[tiling.Neighbour(g.Layout.Panes, pane, d)]
	} else {
		return
	}
	g.swap(env.World, here, to)
	g.repeat = env.Now.Add(repeatFor)
}

// moveBorder moves the focused pane's border by a step.
func (g *Grid) moveBorder(env ui.Env, d tiling.Side) []ui.Effect {
	g.relay(env.World) // several keys may come at once
	here := at(g.Shown(env.World), g.Focus)
	upright := d == tiling.Left || d == tiling.Right
	var b tiling.Border
	ok := false
	if pane := g.Layout.Pane(here); g.Layout.Plan != nil && pane >= 0 {
		b, ok = g.Layout.Plan.BorderOf(pane, upright)
	}
	if !ok {
		return say("there is no border to move in that direction")
	}
	to := b.At
	switch d {
	case tiling.Left:
		to -= stepCols
	case tiling.Right:
		to += stepCols
	case tiling.Up:
		to -= stepRows
	case tiling.Down:
		to += stepRows
	}
	g.putBorder(b, to)
	g.Hold(env.Now)
	return nil
}

// putBorder puts a border of the page somewhere else.
func (g *Grid) putBorder(b tiling.Border, to int) {
	p := g.Layout.Plan
	sizes := maps.Clone(g.sizes)
	if sizes == nil {
		sizes = map[string]tiling.Sizes{}
	}
	sizes[p.Key()] = p.Move(b, to)
	g.sizes = sizes
	g.Changed()
}

// equalize forgets the sizes that a person gave the panes of this shape.
func (g *Grid) equalize() {
	if g.Layout.Plan == nil {
		return
	}
	sizes := maps.Clone(g.sizes)
	delete(sizes, g.Layout.Plan.Key())
	g.sizes = sizes
	g.Changed()
}

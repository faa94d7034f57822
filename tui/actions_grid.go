package tui

import (
	"fmt"
	"maps"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/terminal/input"
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

// layoutActions are the layouts by their actions.
var layoutActions = map[keymap.Action]tiling.Kind{
	keymap.LayoutTiled: tiling.Tiled, keymap.Layout1x1: tiling.OneByOne, keymap.Layout2x1: tiling.TwoByOne,
	keymap.Layout2x2: tiling.TwoByTwo, keymap.Layout3x2: tiling.ThreeByTwo, keymap.LayoutColumns: tiling.Columns,
	keymap.LayoutRows: tiling.Rows, keymap.LayoutMain: tiling.Main,
}

// The actions that have a direction: on the focus, on borders after the prefix key
// and in the mode for it, and on panes.
var (
	focusActions = map[keymap.Action]tiling.Side{
		keymap.FocusLeft: tiling.Left, keymap.FocusDown: tiling.Down, keymap.FocusUp: tiling.Up, keymap.FocusRight: tiling.Right,
	}
	resizeActions = map[keymap.Action]tiling.Side{
		keymap.ResizeLeft: tiling.Left, keymap.ResizeDown: tiling.Down, keymap.ResizeUp: tiling.Up, keymap.ResizeRight: tiling.Right,
	}
	borderActions = map[keymap.Action]tiling.Side{
		keymap.BorderLeft: tiling.Left, keymap.BorderDown: tiling.Down, keymap.BorderUp: tiling.Up, keymap.BorderRight: tiling.Right,
	}
	swapActions = map[keymap.Action]tiling.Side{
		keymap.SwapLeft: tiling.Left, keymap.SwapDown: tiling.Down, keymap.SwapUp: tiling.Up, keymap.SwapRight: tiling.Right,
	}
)

// repeats reports whether an action goes on without the prefix key for a while.
func repeats(a keymap.Action) bool {
	_, resize := resizeActions[a]
	_, swap := swapActions[a]
	return resize || swap
}

// doGrid runs an action on layout and order.
func (m *model) doGrid(a keymap.Action) {
	if kind, ok := layoutActions[a]; ok {
		m.setLayout(kind)
		return
	}
	if d, ok := resizeActions[a]; ok {
		m.moveBorder(d)
		return
	}
	if d, ok := swapActions[a]; ok {
		m.swapTo(d)
		return
	}
	switch a {
	case keymap.NextLayout:
		m.setLayout(m.arr.kind.Next())
	case keymap.Borders:
		m.openBorders()
	case keymap.Equalize:
		m.equalize()
	case keymap.SwapPrev, keymap.SwapNext:
		if shown, at := m.focusAt(); at >= 0 {
			step := 1
			if a == keymap.SwapPrev {
				step = len(shown) - 1
			}
			m.swap(at, (at+step)%len(shown))
		}
	case keymap.Hide:
		if v := m.focused(); v != nil {
			m.hide(*v)
		}
	case keymap.ShowAll:
		m.arr.hidden = nil
		m.rearranged()
	case keymap.NextPage:
		m.turnPage(1)
	case keymap.PrevPage:
		m.turnPage(-1)
	}
}

// setLayout takes a layout and says what it is.
func (m *model) setLayout(k tiling.Kind) {
	m.arr.kind, m.zoom = k, false
	m.rearranged()
	l := m.arrange(len(m.shown()))
	text := "layout " + k.String()
	if l.Plan != nil {
		if _, own := m.arr.sizes[l.Plan.Key()]; own {
			text += " with your own sizes (" + m.keys.Hint(keymap.Equalize) + " makes them equal)"
		}
	}
	switch {
	case m.cols < tiling.NarrowBelow:
		text += ": the terminal is too narrow for more than one pane"
	case l.Pages > 1:
		text += fmt.Sprintf(", page %d of %d (%s %s)", l.Page+1, l.Pages, m.keys.Hint(keymap.PrevPage), m.keys.Hint(keymap.NextPage))
	}
	m.say(text)
}

// arrange is the layout for a number of sessions.
func (m *model) arrange(n int) tiling.Screen {
	_, at := m.focusAt()
	return tiling.Lay(m.layoutInput(n, at))
}

func (m *model) layoutInput(n, focus int) tiling.Wish {
	in := tiling.Wish{
		Cols: m.cols, Rows: m.rows, Sessions: n, Focus: focus, Zoom: m.zoom, Sidebar: m.sidebarWidth(),
		Kind: m.arr.kind, Sizes: m.arr.sizes,
	}
	in.Share = m.arr.list.Share
	if !m.arr.list.Hidden {
		in.List = tiling.ListWidth
		if own := m.arr.list.Width; own > 0 {
			in.List = (own*m.cols + api.GridWhole/2) / api.GridWhole
		}
	}
	return in
}

// turnPage moves the focus to the same place of another page.
func (m *model) turnPage(step int) {
	shown, at := m.focusAt()
	l := m.layout
	if at < 0 || l.Pages < 2 {
		return
	}
	page := (l.Page + step + l.Pages) % l.Pages
	m.focus = shown[min(page*l.PerPage+at-l.First, len(shown)-1)].ID
}

// swapTo exchanges the focused pane with its neighbour.
func (m *model) swapTo(d tiling.Side) {
	shown, at := m.focusAt()
	if at < 0 {
		return
	}
	var to int
	if len(m.layout.Panes) == 1 {
		step := 1
		if d == tiling.Left || d == tiling.Up {
			step = -1
		}
		to = min(max(at+step, 0), len(shown)-1)
	} else {
		to = m.layout.First + tiling.Neighbour(m.layout.Panes, at-m.layout.First, d)
	}
	m.swap(at, to)
	m.arr.repeat = m.now().Add(repeatFor)
}

// moveBorder moves the focused pane's border by a step.
func (m *model) moveBorder(d tiling.Side) {
	m.layout = m.arrange(len(m.shown())) // several keys may come at once
	_, at := m.focusAt()
	upright := d == tiling.Left || d == tiling.Right
	var b tiling.Border
	ok := false
	if m.layout.Plan != nil && at >= 0 {
		b, ok = m.layout.Plan.BorderOf(at-m.layout.First, upright)
	}
	if !ok {
		m.say("there is no border to move in that direction")
		return
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
	m.putBorder(b, to)
	now := m.now()
	m.arr.repeat, m.arr.hold = now.Add(repeatFor), now.Add(holdFor)
}

// putBorder puts a border of the page somewhere else.
func (m *model) putBorder(b tiling.Border, to int) {
	p := m.layout.Plan
	sizes := maps.Clone(m.arr.sizes)
	if sizes == nil {
		sizes = map[string]tiling.Sizes{}
	}
	sizes[p.Key()] = p.Move(b, to)
	m.arr.sizes = sizes
	m.rearranged()
}

// equalize forgets the sizes that a person gave the panes of this shape.
func (m *model) equalize() {
	if m.layout.Plan == nil {
		return
	}
	sizes := maps.Clone(m.arr.sizes)
	delete(sizes, m.layout.Plan.Key())
	m.arr.sizes = sizes
	m.rearranged()
}

// repeated runs a key that goes on without the prefix key, and reports whether
// it was one.
func (m *model) repeated(k input.Key) bool {
	if m.mode != modePane || !k.At.Before(m.arr.repeat) {
		return false
	}
	b, ok := m.keys.Lookup(k.Name)
	if !ok || !repeats(b.Action) || b.Disabled(m.facts()) != "" {
		m.arr.repeat = time.Time{}
		return false
	}
	m.doGrid(b.Action)
	return true
}

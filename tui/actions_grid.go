package tui

import (
	"fmt"
	"maps"
	"time"

	"ccdir/internal/api"
	"ccdir/internal/keymap"
	"ccdir/tui/tiling"
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
	focusActions = map[keymap.Action]direction{
		keymap.FocusLeft: left, keymap.FocusDown: down, keymap.FocusUp: up, keymap.FocusRight: right,
	}
	resizeActions = map[keymap.Action]direction{
		keymap.ResizeLeft: left, keymap.ResizeDown: down, keymap.ResizeUp: up, keymap.ResizeRight: right,
	}
	borderActions = map[keymap.Action]direction{
		keymap.BorderLeft: left, keymap.BorderDown: down, keymap.BorderUp: up, keymap.BorderRight: right,
	}
	swapActions = map[keymap.Action]direction{
		keymap.SwapLeft: left, keymap.SwapDown: down, keymap.SwapUp: up, keymap.SwapRight: right,
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
	if l.plan != nil {
		if _, own := m.arr.sizes[l.plan.Key()]; own {
			text += " with your own sizes (" + m.keys.Hint(keymap.Equalize) + " makes them equal)"
		}
	}
	switch {
	case m.cols < narrowBelow:
		text += ": the terminal is too narrow for more than one pane"
	case l.pages > 1:
		text += fmt.Sprintf(", page %d of %d (%s %s)", l.page+1, l.pages, m.keys.Hint(keymap.PrevPage), m.keys.Hint(keymap.NextPage))
	}
	m.say(text)
}

// arrange is the layout for a number of sessions.
func (m *model) arrange(n int) layout {
	_, at := m.focusAt()
	return arrange(m.layoutInput(n, at))
}

func (m *model) layoutInput(n, focus int) layoutInput {
	in := layoutInput{
		cols: m.cols, rows: m.rows, sessions: n, focus: focus, zoom: m.zoom, sidebar: m.sidebarWidth(),
		kind: m.arr.kind, sizes: m.arr.sizes,
	}
	if m.arr.list.Column {
		in.list = listDefault
		if own := m.arr.list.Width; own > 0 {
			in.list = (own*m.cols + api.GridWhole/2) / api.GridWhole
		}
	}
	return in
}

// turnPage moves the focus to the same place of another page.
func (m *model) turnPage(step int) {
	shown, at := m.focusAt()
	l := m.layout
	if at < 0 || l.pages < 2 {
		return
	}
	page := (l.page + step + l.pages) % l.pages
	m.focus = shown[min(page*l.perPage+at-l.first, len(shown)-1)].ID
}

// swapTo exchanges the focused pane with its neighbour.
func (m *model) swapTo(d direction) {
	shown, at := m.focusAt()
	if at < 0 {
		return
	}
	var to int
	if len(m.layout.panes) == 1 {
		step := 1
		if d == left || d == up {
			step = -1
		}
		to = min(max(at+step, 0), len(shown)-1)
	} else {
		to = m.layout.first + neighbour(m.layout.panes, at-m.layout.first, d)
	}
	m.swap(at, to)
	m.arr.repeat = m.now().Add(repeatFor)
}

// moveBorder moves the focused pane's border by a step.
func (m *model) moveBorder(d direction) {
	m.layout = m.arrange(len(m.shown())) // several keys may come at once
	_, at := m.focusAt()
	upright := d == left || d == right
	var b tiling.Border
	ok := false
	if m.layout.plan != nil && at >= 0 {
		b, ok = m.layout.plan.BorderOf(at-m.layout.first, upright)
	}
	if !ok {
		m.say("there is no border to move in that direction")
		return
	}
	to := b.At
	switch d {
	case left:
		to -= stepCols
	case right:
		to += stepCols
	case up:
		to -= stepRows
	case down:
		to += stepRows
	}
	m.putBorder(b, to)
	now := m.now()
	m.arr.repeat, m.arr.hold = now.Add(repeatFor), now.Add(holdFor)
}

// putBorder puts a border of the page somewhere else.
func (m *model) putBorder(b tiling.Border, to int) {
	p := m.layout.plan
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
	if m.layout.plan == nil {
		return
	}
	sizes := maps.Clone(m.arr.sizes)
	delete(sizes, m.layout.plan.Key())
	m.arr.sizes = sizes
	m.rearranged()
}

// repeated runs a key that goes on without the prefix key, and reports whether
// it was one.
func (m *model) repeated(k keyMsg) bool {
	if m.mode != modePane || !k.at.Before(m.arr.repeat) {
		return false
	}
	b, ok := m.keys.Lookup(k.name)
	if !ok || !repeats(b.Action) || b.Disabled(m.facts()) != "" {
		m.arr.repeat = time.Time{}
		return false
	}
	m.doGrid(b.Action)
	return true
}

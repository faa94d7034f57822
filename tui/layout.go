package tui

import (
	"ccdir/tui/paint"
	"ccdir/tui/tiling"
)

// Sizes in cells that decide about the layout.
const (
	minPaneCols  = 24 // with frame; panes below are paged away
	minPaneRows  = 6
	goodPaneCols = 82 // 80 columns and the frame
	goodPaneRows = 26
	// In smaller ones an agent's input and its hints leave less than three lines for
	// what it says, and those are broken after some words.
	usePaneCols = 38
	usePaneRows = 10
	// sidebarFrom is the terminal width from which the events are shown.
	sidebarFrom    = 96
	sidebarDefault = 40
	sidebarLeast   = 20
	// The session list as a column.
	listDefault = 36
	listLeast   = 24
	// narrowBelow: one pane at a time, with a strip of all sessions above.
	narrowBelow = 60
)

// paneLimits are the sizes of panes.
var paneLimits = tiling.Limits{
	MinW: minPaneCols, MinH: minPaneRows,
	UseW: usePaneCols, UseH: usePaneRows,
	GoodW: goodPaneCols, GoodH: goodPaneRows,
}

// layout is where everything goes.
type layout struct {
	// panes has the rectangles of the panes of the current page, frames
	// included, in the order of the sessions; first is the index of the
	// session in the first one.
	panes []paint.Rect
	first int
	page  int
	pages int
	// perPage is how many panes a full page has.
	perPage int
	// plan is what panes came of, nil where one pane is shown at a time.
	plan *tiling.Plan
	// Empty rectangles are not shown.
	strip, list, sidebar, prompt, status paint.Rect
}

// layoutInput is what a layout is computed from.
type layoutInput struct {
	cols, rows int
	sessions   int
	focus      int // index of the focused session
	zoom       bool
	kind       tiling.Kind
	sizes      map[string]tiling.Sizes
	// sidebar and list are their widths; 0 hides them.
	sidebar, list int
}

// arrange computes the layout. Any size is good, 0x0 included.
func arrange(in layoutInput) layout {
	var l layout
	area := l.frame(in)
	if in.sessions == 0 || area.Empty() {
		l.pages = 1
		return l
	}
	single := in.zoom || in.cols < narrowBelow
	if in.cols < narrowBelow && in.sessions > 1 && area.H >= minPaneRows {
		l.strip = paint.Rect{W: area.W, H: 1}
		area.Y, area.H = 1, area.H-1
	}
	perPage := 1
	if !single {
		perPage = min(in.sessions, in.kind.PerPage(area, paneLimits))
	}
	l.perPage = perPage
	l.pages = (in.sessions + perPage - 1) / perPage
	l.page = min(max(in.focus, 0), in.sessions-1) / perPage
	l.first = l.page * perPage
	if single {
		l.panes = []paint.Rect{area}
		return l
	}
	plan := tiling.Arrange(in.kind, area, min(perPage, in.sessions-l.first), in.sizes, paneLimits)
	l.plan, l.panes = &plan, plan.Panes
	return l
}

// frame places what is around the panes and returns the area that is left.
func (l *layout) frame(in layoutInput) paint.Rect {
	cols, rows := max(in.cols, 0), max(in.rows, 0)
	if rows >= 3 {
		rows--
		l.status = paint.Rect{Y: rows, W: cols, H: 1}
	}
	if rows >= 5 {
		rows--
		l.prompt = paint.Rect{Y: rows, W: cols, H: 1}
	}
	x := 0
	if in.list > 0 && cols >= sidebarFrom && rows >= minPaneRows {
		x = min(max(in.list, listLeast), cols/3)
		l.list = paint.Rect{W: x, H: rows}
	}
	if in.sidebar > 0 && cols-x >= sidebarFrom && rows >= minPaneRows {
		w := min(max(in.sidebar, sidebarLeast), (cols-x)/2)
		cols -= w
		l.sidebar = paint.Rect{X: cols, W: w, H: rows}
	}
	return paint.Rect{X: x, W: cols - x, H: rows}
}

// direction is where the focus moves.
type direction int

const (
	left direction = iota
	down
	up
	right
)

// neighbour is the index of the pane in that direction from pane i, i if there
// is none: of those that begin beyond its border the nearest, then the one with
// the largest common border.
func neighbour(panes []paint.Rect, i int, d direction) int {
	if i < 0 || i >= len(panes) {
		return i
	}
	from := panes[i]
	best, bestGap, bestShare := i, 1<<30, 0
	for j, r := range panes {
		var gap, share int
		switch d {
		case left:
			gap, share = from.X-(r.X+r.W), overlap(from.Y, from.H, r.Y, r.H)
		case right:
			gap, share = r.X-(from.X+from.W), overlap(from.Y, from.H, r.Y, r.H)
		case up:
			gap, share = from.Y-(r.Y+r.H), overlap(from.X, from.W, r.X, r.W)
		case down:
			gap, share = r.Y-(from.Y+from.H), overlap(from.X, from.W, r.X, r.W)
		}
		if j == i || gap < 0 || share <= 0 {
			continue
		}
		if gap < bestGap || gap == bestGap && share > bestShare {
			best, bestGap, bestShare = j, gap, share
		}
	}
	return best
}

func overlap(a, n, b, m int) int { return min(a+n, b+m) - max(a, b) }

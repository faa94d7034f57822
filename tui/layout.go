package tui

import "ccdir/tui/paint"

// Sizes in cells that decide about the layout.
const (
	minPaneCols  = 24 // with frame; panes below are paged away
	minPaneRows  = 6
	goodPaneCols = 82 // 80 columns and the frame
	goodPaneRows = 26
	// sidebarFrom is the terminal width from which the events are shown.
	sidebarFrom    = 96
	sidebarDefault = 40
	sidebarLeast   = 20
	// narrowBelow: one pane at a time, with a strip of all sessions above.
	narrowBelow = 60
)

// layout is where everything goes.
type layout struct {
	// panes has the rectangles of the panes of the current page, frames
	// included, in the order of the sessions; first is the index of the
	// session in the first one.
	panes []paint.Rect
	first int
	page  int
	pages int
	// Empty rectangles are not shown.
	strip, sidebar, prompt, status paint.Rect
}

// layoutInput is what a layout is computed from.
type layoutInput struct {
	cols, rows int
	sessions   int
	focus      int // index of the focused session
	zoom       bool
	// sidebar is its width; 0 hides it.
	sidebar int
}

// arrange computes the layout. Any size is good, 0x0 included.
func arrange(in layoutInput) layout {
	var l layout
	cols, rows := max(in.cols, 0), max(in.rows, 0)
	if rows >= 3 {
		rows--
		l.status = paint.Rect{Y: rows, W: cols, H: 1}
	}
	if rows >= 5 {
		rows--
		l.prompt = paint.Rect{Y: rows, W: cols, H: 1}
	}
	if in.sidebar > 0 && cols >= sidebarFrom && rows >= minPaneRows {
		w := min(max(in.sidebar, sidebarLeast), cols/2)
		cols -= w
		l.sidebar = paint.Rect{X: cols, W: w, H: rows}
	}
	area := paint.Rect{W: cols, H: rows}
	if in.sessions == 0 || area.Empty() {
		l.pages = 1
		return l
	}
	single := in.zoom || in.cols < narrowBelow
	if in.cols < narrowBelow && in.sessions > 1 && rows >= minPaneRows {
		l.strip = paint.Rect{W: cols, H: 1}
		area.Y, area.H = 1, area.H-1
	}
	perPage := 1
	if !single {
		perPage = max(1, min(in.sessions, (area.W/minPaneCols)*(area.H/minPaneRows)))
	}
	l.pages = (in.sessions + perPage - 1) / perPage
	l.page = min(max(in.focus, 0), in.sessions-1) / perPage
	l.first = l.page * perPage
	l.panes = tile(area, min(perPage, in.sessions-l.first))
	return l
}

// tile divides an area among n panes: rows of equal panes, the last row's as
// wide as it takes. Of all numbers of columns the one is taken whose smallest
// pane is nearest to a good size.
func tile(area paint.Rect, n int) []paint.Rect {
	best, bestScore := 1, -1.0
	for c := 1; c <= n; c++ {
		r := (n + c - 1) / c
		w, h := area.W/c, area.H/r
		if (r-1)*c >= n {
			continue // the last line would be empty
		}
		score := fit(w, goodPaneCols) * fit(h, goodPaneRows)
		if w < minPaneCols || h < minPaneRows {
			score = -0.5 // only where nothing fits
		}
		if score > bestScore {
			best, bestScore = c, score
		}
	}
	lines := (n + best - 1) / best
	panes := make([]paint.Rect, 0, n)
	for r := range lines {
		inLine := min(best, n-r*best)
		y0, y1 := area.H*r/lines, area.H*(r+1)/lines
		for c := range inLine {
			x0, x1 := area.W*c/inLine, area.W*(c+1)/inLine
			panes = append(panes, paint.Rect{X: area.X + x0, Y: area.Y + y0, W: x1 - x0, H: y1 - y0})
		}
	}
	return panes
}

// fit is how near a size is to a good one, at most a little over 1: room beyond
// the good size counts a tenth.
func fit(have, good int) float64 {
	f := float64(have) / float64(good)
	if f > 1 {
		return 1 + (f-1)/10
	}
	return f
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

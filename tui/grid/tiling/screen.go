package tiling

import (
	"slices"

	"ccdir/tui/paint"
)

// Sizes in cells that decide where things go.
const (
	minPaneCols  = 24 // with the rule beside it; panes below are paged away
	minPaneRows  = 5  // with its title
	goodPaneCols = 81 // 80 columns and the rule
	goodPaneRows = 25
	// In smaller ones an agent's input and its hints leave less than three lines for
	// what it says, and those are broken after some words.
	usePaneCols = 37
	usePaneRows = 9
	// SidebarFrom is the terminal width from which the events are shown.
	SidebarFrom = 96
	// The sidebar is as wide as SidebarWidth where nobody chose, and never less than
	// SidebarLeast.
	SidebarWidth = 40
	SidebarLeast = 20
	// The session list as a column: as wide as ListWidth, and never less than ListLeast.
	ListWidth = 38
	ListLeast = 24
	// ListShare is the part of the list above the events, in parts of ten thousand; each
	// of the two has at least PartLeast rows.
	ListShare = 6_200
	PartLeast = 5
	// NarrowBelow is the terminal width below which there is one pane at a time, with a
	// strip of all sessions above.
	NarrowBelow = 60
)

// paneLimits are the sizes of panes.
var paneLimits = Limits{
	MinW: minPaneCols, MinH: minPaneRows,
	UseW: usePaneCols, UseH: usePaneRows,
	GoodW: goodPaneCols, GoodH: goodPaneRows,
}

// Screen is where everything in the grid goes. It is not changed once it is made.
type Screen struct {
	// Panes has the rectangles of the panes of the current page: the row of the title and,
	// below it, the session's screen. The rules between them belong to none.
	Panes []paint.Rect
	// Sessions has the index of the session in each of the panes.
	Sessions []int
	Page     int
	Pages    int
	// PerPage is how many panes a full page has.
	PerPage int
	// Plan is what panes came of, nil where no border between them can be moved.
	Plan *Plan
	// Strip is a line of all sessions, Rows a line for each of those without a pane: where
	// neither a list nor panes show them all.
	Strip, Rows paint.Rect
	// List and Sidebar share a column at the left, List above; behind them is its rule
	// (Column). Empty rectangles are not shown.
	List, Sidebar, Prompt, Status paint.Rect
	// Gap is how many blank columns there are between a pane and the rule at its right.
	Gap int
	// Same: sessions without a pane have the size of those with one.
	Same bool
}

// Pane is the pane of the session of that index, -1 if it has none on the page.
func (l Screen) Pane(session int) int { return slices.Index(l.Sessions, session) }

// Wish is the input of a Screen's computation.
type Wish struct {
	Cols, Rows int
	Sessions   int
	Focus      int // index of the focused session
	// Seats are the indexes of the sessions that have the large panes of the spotlight if
	// there is room for two, from left to right; the one in focus is among them.
	Seats []int
	Zoom  bool
	Kind  Kind
	Sizes map[string]Sizes
	// Sidebar and List are their widths; 0 hides them. Where both are shown they have
	// the width of the list.
	Sidebar, List int
	// Share is the list's part of their column, in parts of ten thousand; 0 is
	// ListShare.
	Share int
	// Gaps leaves a blank column or row between panes and the rule beside or below them.
	Gaps bool
}

// Lay computes where everything goes. Any size is good, 0x0 included.
func Lay(in Wish) Screen {
	var l Screen
	area := l.frame(in)
	if in.Gaps {
		l.Gap = 1
	}
	if in.Sessions == 0 || area.Empty() {
		l.Pages = 1
		return l
	}
	if in.Kind == Tiled && crowded(in.Sessions, area, paneLimits) {
		in.Kind = Spotlight
	}
	single := in.Zoom || in.Cols < NarrowBelow
	if in.Kind == Spotlight && !single {
		l.spotlight(in, area)
		return l
	}
	perPage := 1
	if !single {
		perPage = min(in.Sessions, in.Kind.PerPage(area, paneLimits))
	}
	if perPage < in.Sessions && !in.Zoom && l.strip(&area) && !single {
		perPage = min(in.Sessions, in.Kind.PerPage(area, paneLimits))
	}
	l.PerPage = perPage
	l.Pages = (in.Sessions + perPage - 1) / perPage
	l.Page = min(max(in.Focus, 0), in.Sessions-1) / perPage
	n := min(perPage, in.Sessions-l.Page*perPage)
	for i := range n {
		l.Sessions = append(l.Sessions, l.Page*perPage+i)
	}
	if single {
		l.Panes = []paint.Rect{area}
		return l
	}
	plan := Arrange(in.Kind, area, n, in.Sizes, paneLimits)
	l.Plan, l.Panes = &plan, apart(plan.Panes, area, l.Gap)
	return l
}

// strip takes a row of the area for a line of all sessions, unless the list shows them or
// there is no room. It reports whether it did.
func (l *Screen) strip(area *paint.Rect) bool {
	if !l.List.Empty() || area.H <= minPaneRows {
		return false
	}
	l.Strip = paint.Rect{X: area.X, Y: area.Y, W: area.W, H: 1}
	area.Y, area.H = area.Y+1, area.H-1
	return true
}

// apart are panes without their last column, which has the rule, where that is not at the
// end of the area; with a gap without one more, and without their last row. A border is
// where it was: all of that belongs to it (Plan.BorderAt).
func apart(panes []paint.Rect, area paint.Rect, gap int) []paint.Rect {
	out := make([]paint.Rect, len(panes))
	for i, r := range panes {
		if r.X+r.W < area.X+area.W {
			r.W--
			if r.W > minPaneCols {
				r.W -= gap
			}
		}
		if r.Y+r.H < area.Y+area.H && r.H > minPaneRows {
			r.H -= gap
		}
		out[i] = r
	}
	return out
}

// frame places what is around the panes and returns the area that is left.
func (l *Screen) frame(in Wish) paint.Rect {
	cols, rows := max(in.Cols, 0), max(in.Rows, 0)
	if rows >= 3 {
		rows--
		l.Status = paint.Rect{Y: rows, W: cols, H: 1}
	}
	if rows >= 5 {
		rows--
		l.Prompt = paint.Rect{Y: rows, W: cols, H: 1}
	}
	if in.Zoom || cols < SidebarFrom || rows < minPaneRows {
		return paint.Rect{W: cols, H: rows}
	}
	w := 0
	switch {
	case in.List > 0 && in.Sessions > 0:
		w = min(max(in.List, ListLeast), cols*2/5)
		l.List = paint.Rect{W: w - 1, H: rows}
	case in.Sidebar > 0:
		w = min(max(in.Sidebar, SidebarLeast), cols/2)
		l.Sidebar = paint.Rect{W: w - 1, H: rows}
	}
	if !l.List.Empty() && in.Sidebar > 0 && rows >= 2*PartLeast {
		at := cells(in.Share, rows)
		if in.Share <= 0 {
			at = cells(ListShare, rows)
		}
		at = min(max(at, PartLeast), rows-PartLeast)
		l.List.H = at
		l.Sidebar = paint.Rect{Y: at, W: w - 1, H: rows - at}
	}
	return paint.Rect{X: w, W: cols - w, H: rows}
}

// Column is the column at the left that List and Sidebar share, with the rule in its last
// column; empty if there is none.
func (l Screen) Column() paint.Rect {
	w, h := max(l.List.W, l.Sidebar.W), l.List.H+l.Sidebar.H
	if w == 0 || h == 0 {
		return paint.Rect{}
	}
	return paint.Rect{W: w + 1, H: h}
}

// Neighbour is the index of the pane in that direction from pane i, i if there
// is none: of those that begin beyond its border the nearest, then the one with
// the largest common border.
func Neighbour(panes []paint.Rect, i int, d Side) int {
	if i < 0 || i >= len(panes) {
		return i
	}
	from := panes[i]
	best, bestGap, bestShare := i, 1<<30, 0
	for j, r := range panes {
		var gap, share int
		switch d {
		case Left:
			gap, share = from.X-(r.X+r.W), overlap(from.Y, from.H, r.Y, r.H)
		case Right:
			gap, share = r.X-(from.X+from.W), overlap(from.Y, from.H, r.Y, r.H)
		case Up:
			gap, share = from.Y-(r.Y+r.H), overlap(from.X, from.W, r.X, r.W)
		case Down:
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

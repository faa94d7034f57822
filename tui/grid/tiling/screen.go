package tiling

import "ccdir/tui/paint"

// Sizes in cells that decide where things go.
const (
	minPaneCols  = 24 // with frame; panes below are paged away
	minPaneRows  = 6
	goodPaneCols = 82 // 80 columns and the frame
	goodPaneRows = 26
	// In smaller ones an agent's input and its hints leave less than three lines for
	// what it says, and those are broken after some words.
	usePaneCols = 38
	usePaneRows = 10
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
	// Panes has the rectangles of the panes of the current page, frames
	// included, in the order of the sessions; First is the index of the
	// session in the first one.
	Panes []paint.Rect
	First int
	Page  int
	Pages int
	// PerPage is how many panes a full page has.
	PerPage int
	// Plan is what panes came of, nil where one pane is shown at a time. Its panes are in
	// another order than Panes where the session in focus has the first of them.
	Plan *Plan
	// Strip is a line of all sessions: where neither a list nor panes show them all. List
	// and Sidebar share a column at the left, List above. Empty rectangles are not shown.
	Strip, List, Sidebar, Prompt, Status paint.Rect
}

// Wish is the input of a Screen's computation.
type Wish struct {
	Cols, Rows int
	Sessions   int
	Focus      int // index of the focused session
	Zoom       bool
	Kind       Kind
	Sizes      map[string]Sizes
	// Sidebar and List are their widths; 0 hides them. Where both are shown they have
	// the width of the list.
	Sidebar, List int
	// Share is the list's part of their column, in parts of ten thousand; 0 is
	// ListShare.
	Share int
	// Gaps leaves a blank column or row between panes that have the room.
	Gaps bool
}

// Lay computes where everything goes. Any size is good, 0x0 included.
func Lay(in Wish) Screen {
	var l Screen
	area := l.frame(in)
	if in.Sessions == 0 || area.Empty() {
		l.Pages = 1
		return l
	}
	if in.Kind == Tiled && crowded(in.Sessions, area, paneLimits) {
		in.Kind = Spotlight
	}
	single := in.Zoom || in.Cols < NarrowBelow
	perPage := 1
	if !single {
		perPage = min(in.Sessions, in.Kind.PerPage(area, paneLimits))
	}
	if perPage < in.Sessions && l.List.Empty() && !in.Zoom && area.H > minPaneRows {
		l.Strip = paint.Rect{X: area.X, W: area.W, H: 1}
		area.Y, area.H = area.Y+1, area.H-1
		if !single {
			perPage = min(in.Sessions, in.Kind.PerPage(area, paneLimits))
		}
	}
	l.PerPage = perPage
	l.Pages = (in.Sessions + perPage - 1) / perPage
	l.Page = min(max(in.Focus, 0), in.Sessions-1) / perPage
	l.First = l.Page * perPage
	if single {
		l.Panes = []paint.Rect{area}
		return l
	}
	plan := Arrange(in.Kind, area, min(perPage, in.Sessions-l.First), in.Sizes, paneLimits)
	l.Plan, l.Panes = &plan, plan.Panes
	if in.Kind == Spotlight {
		l.Panes = spotlit(plan.Panes, in.Focus-l.First)
	}
	if in.Gaps {
		l.Panes = apart(l.Panes, area)
	}
	return l
}

// apart are panes without their last column and row, where those are not at the end of the
// area. A border is where it was: the gap belongs to it (Plan.BorderAt).
func apart(panes []paint.Rect, area paint.Rect) []paint.Rect {
	out := make([]paint.Rect, len(panes))
	for i, r := range panes {
		if r.X+r.W < area.X+area.W && r.W > minPaneCols {
			r.W--
		}
		if r.Y+r.H < area.Y+area.H && r.H > minPaneRows {
			r.H--
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
		l.List = paint.Rect{W: w, H: rows}
	case in.Sidebar > 0:
		w = min(max(in.Sidebar, SidebarLeast), cols/2)
		l.Sidebar = paint.Rect{W: w, H: rows}
	}
	if !l.List.Empty() && in.Sidebar > 0 && rows >= 2*PartLeast {
		at := cells(in.Share, rows)
		if in.Share <= 0 {
			at = cells(ListShare, rows)
		}
		at = min(max(at, PartLeast), rows-PartLeast)
		l.List.H = at
		l.Sidebar = paint.Rect{Y: at, W: w, H: rows - at}
	}
	return paint.Rect{X: w, W: cols - w, H: rows}
}

// Column is the column at the left that List and Sidebar share; empty if there is none.
func (l Screen) Column() paint.Rect {
	return paint.Rect{W: max(l.List.W, l.Sidebar.W), H: l.List.H + l.Sidebar.H}
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

package tiling

import "ccdir/tui/paint"

// Sizes in cells that decide about the spotlight.
const (
	// manySessions is the number from which the automatic layout may become one.
	manySessions = 5
	// A page of the automatic layout whose panes are smaller than crowdedCols by
	// crowdedRows becomes one.
	crowdedCols = 40
	crowdedRows = 13
	// wideFrom is the width from which the stack is beside the large pane, else below.
	wideFrom = 130
	// The stack has panes of at least stackCols by stackRows below the large one, or of
	// stackRowsBeside rows beside it, which keeps at least largeRows.
	stackCols, stackRows = 26, 9
	stackRowsBeside      = 12
	largeRows            = 16
	// mostStacked is how many panes a stack has at most: more are too small to read.
	mostStacked = 5
	// The large pane's part, above the stack or beside it.
	largeAbove, largeBeside = 7_300, 6_200
)

// wide reports whether the stack is beside the large pane.
func wide(area paint.Rect) bool { return area.W >= wideFrom }

// stack is how many panes fit into the stack, 0 if there is no room for one.
func stack(area paint.Rect) int {
	switch {
	case wide(area):
		return min(area.H/stackRowsBeside, mostStacked)
	case area.H >= largeRows+stackRows:
		return min(area.W/stackCols, mostStacked)
	}
	return 0
}

// crowded reports whether the automatic layout would give the panes of a page too
// little room to work in.
func crowded(sessions int, area paint.Rect, l Limits) bool {
	if sessions < manySessions {
		return false
	}
	n := min(sessions, Tiled.PerPage(area, l))
	for _, r := range Arrange(Tiled, area, n, nil, l).Panes {
		if r.W < crowdedCols || r.H < crowdedRows {
			return true
		}
	}
	return false
}

// spotlit has the large pane, which is the first of a plan, at the place of the session
// in focus.
func spotlit(panes []paint.Rect, focus int) []paint.Rect {
	if focus <= 0 || focus >= len(panes) {
		return panes
	}
	out := make([]paint.Rect, 0, len(panes))
	out = append(out, panes[1:focus+1]...)
	out = append(out, panes[0])
	return append(out, panes[focus+1:]...)
}

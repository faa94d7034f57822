package tiling

import (
	"slices"

	"ccdir/tui/paint"
)

// Sizes in cells that decide about the spotlight.
const (
	// manySessions is the number from which the automatic layout may become one.
	manySessions = 5
	// A page of the automatic layout whose panes are smaller than crowdedCols by
	// crowdedRows, rule and title included, becomes one: an agent's screen is made for 80
	// columns.
	crowdedCols = 80
	crowdedRows = 25
	// twoFrom is the width from which there are two large panes beside each other.
	twoFrom = 2*80 + 1
	// The rows of the others have at most a part of the height (rowsPart), leave largeRows
	// to the large pane, and are at least leastRows with the rule above them.
	rowsPart, largeRows, leastRows = 4, 18, 3
)

// spotlight gives the session in focus a large pane, and one more of the same size where
// there is room for two. The others have a row of text each below, unless the list has
// them. All of them have the size of the large panes, so that the focus can go to any
// without a change of size.
func (l *Screen) spotlight(in Wish, area paint.Rect) {
	l.Pages, l.Same = 1, true
	n := 1
	if area.W >= twoFrom+2*l.Gap {
		n = min(2, in.Sessions)
	}
	l.PerPage = n
	if others := in.Sessions - n; others > 0 && l.List.Empty() {
		h := min(others+1, area.H/rowsPart, area.H-largeRows)
		if h < min(leastRows, others+1) {
			l.strip(&area)
		} else {
			area.H -= h
			l.Rows = paint.Rect{X: area.X, Y: area.Y + area.H, W: area.W, H: h}
		}
	}
	if n == 1 {
		l.Panes, l.Sessions = []paint.Rect{area}, []int{min(max(in.Focus, 0), in.Sessions-1)}
		return
	}
	w := (area.W - 1 - l.Gap) / 2
	second := paint.Rect{X: area.X + w + 1 + l.Gap, Y: area.Y, W: w, H: area.H}
	l.Panes, l.Sessions = []paint.Rect{{X: area.X, Y: area.Y, W: w, H: area.H}, second}, seated(in)
}

// seated are the sessions of two large panes.
func seated(in Wish) []int {
	focus := min(max(in.Focus, 0), in.Sessions-1)
	if s := in.Seats; len(s) == 2 && s[0] != s[1] && min(s[0], s[1]) >= 0 && max(s[0], s[1]) < in.Sessions && slices.Contains(s, focus) {
		return slices.Clone(s)
	}
	if focus == 0 {
		return []int{0, 1}
	}
	return []int{0, focus}
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
	return n < sessions
}

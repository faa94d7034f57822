package grid

import (
	"cmp"
	"fmt"
	"slices"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/widget/theme"
)

// drawStrip lists sessions in one line, those that need a person first: where the panes of
// a page are not all that there are, and those for which there are not enough rows. The
// focused one is always in view; how many have no room stands at the end.
func (p Picture) drawStrip(s *paint.Surface) {
	shown := p.stripCells()
	for _, c := range shown {
		v := p.Shown[c.index]
		standing := v.Standing(p.Now)
		st := theme.FG(p.Theme.Standing(standing))
		if standing == api.StandingAsks || standing == api.StandingFailed {
			st.Attrs |= cells.Bold
		}
		if v.ID == p.Under() {
			st.Attrs |= cells.Bold | cells.Inverse
		}
		s.Text(c.x, c.y, c.w, c.text, st)
	}
	if sessions, r := p.stripped(); len(sessions) > len(shown) {
		more := fmt.Sprintf("+%d", len(sessions)-len(shown))
		s.Text(r.X+r.W-len(more), r.Y, len(more), more, theme.FG(p.Theme.Dim))
	}
}

// stripCell is one session's place in the strip.
type stripCell struct {
	index, x, y, w int
	text           string
}

// stripName is how much of a name the strip shows, in columns.
const stripName = 12

// stripMore is the room at the end of the strip for how many more there are.
const stripMore = 4

// byNeed is the order of names and rows, as indexes of the sessions: by need, else as in
// the grid.
func (p Picture) byNeed() []int {
	order := make([]int, len(p.Shown))
	for i := range order {
		order[i] = i
	}
	rank := func(i int) int { return p.Shown[i].Standing(p.Now).Rank() }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	return order
}

// stripped are the sessions of the strip, and where that is.
func (p Picture) stripped() ([]int, paint.Rect) {
	if _, rest, at := p.rows(); len(rest) > 0 {
		return rest, at
	}
	if p.Layout.Strip.Empty() {
		return nil, paint.Rect{}
	}
	return p.byNeed(), p.Layout.Strip
}

// stripCells lays the strip out from the session that lets the focused one be
// seen.
func (p Picture) stripCells() []stripCell {
	sessions, r := p.stripped()
	var all []stripCell
	total, focusEnd := 0, 0
	for _, i := range sessions {
		v := p.Shown[i]
		text := p.Sign(v.Standing(p.Now)) + paint.Cut(textsafe.Line(v.Name), stripName)
		c := stripCell{index: i, x: total, y: r.Y, w: paint.Width(text), text: text}
		total += c.w + 2
		if v.ID == p.Under() {
			focusEnd = c.x + c.w
		}
		all = append(all, c)
	}
	room := r.W
	if total-2 > room {
		room -= stripMore
	}
	shift := 0
	for _, c := range all {
		if focusEnd-shift <= room {
			break
		}
		shift = c.x + c.w + 2
	}
	var shown []stripCell
	for _, c := range all {
		if c.x -= shift; c.x >= 0 && (c.x+c.w <= room || len(shown) == 0) {
			c.x += r.X
			c.w = min(c.w, r.X+r.W-c.x)
			shown = append(shown, c)
		}
	}
	return shown
}

// NameAt is the session whose row or name in the strip is at a cell, "" if there is none.
func (p Picture) NameAt(x, y int) string {
	for _, c := range p.stripCells() {
		if y == c.y && x >= c.x && x < c.x+c.w {
			return p.Shown[c.index].ID
		}
	}
	rows, _, _ := p.rows()
	if i := y - p.Layout.Rows.Y - 1; p.Layout.Rows.Contains(x, y) && i >= 0 && i < len(rows) {
		return p.Shown[rows[i]].ID
	}
	return ""
}

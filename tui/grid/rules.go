package grid

import (
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/theme"
)

// upright is a vertical rule, from its first row up to the one behind its last.
type upright struct{ x, y0, y1 int }

// drawRules draws the rules between the panes: above each pane the one that has its title,
// at its right one if there is another pane, and that of the column at the left.
func (p Picture) drawRules(s *paint.Surface) {
	var all []upright
	if c := p.Layout.Column(); !c.Empty() {
		all = append(all, upright{c.W - 1, c.Y, c.Y + c.H})
		if e := p.Layout.Sidebar; e.Y > c.Y {
			s.Line(paint.Rect{X: e.X, Y: e.Y, W: e.W, H: 1}, paint.Light, theme.FG(p.Theme.Dim))
		}
	}
	right := 0 // where the panes end
	for _, r := range p.Layout.Panes {
		right = max(right, r.X+r.W)
	}
	for _, t := range p.Tiles {
		if t.Floats {
			continue
		}
		r, border := t.Rect, paint.Light
		if p.marked(t) {
			border = paint.Heavy
		}
		if r.X+r.W < right {
			r.W += p.Layout.Gap
			all = append(all, upright{r.X + r.W, r.Y, r.Y + r.H + p.Layout.Gap})
		}
		s.Line(r, border, p.FrameStyle(t))
	}
	if r := p.Layout.Rows; !r.Empty() {
		s.Line(r, paint.Light, theme.FG(p.Theme.Dim))
	}
	for _, u := range all {
		for y := u.y0; y < u.y1; y++ {
			p.drawCrossing(s, all, u.x, y)
		}
		if ruled, _ := s.Ruled(u.x, u.y1); ruled {
			p.drawCrossing(s, all, u.x, u.y1)
		}
	}
}

// drawCrossing draws a cell of vertical rules, and those of horizontal ones that meet there.
func (p Picture) drawCrossing(s *paint.Surface, all []upright, x, y int) {
	arms, heavy, style := 0, false, theme.FG(p.Theme.Dim)
	for _, u := range all {
		if u.x != x {
			continue
		}
		if y > u.y0 && y <= u.y1 {
			arms |= paint.ArmUp
		}
		if y >= u.y0 && y < u.y1 {
			arms |= paint.ArmDown
		}
	}
	left, heavyLeft := s.Ruled(x-1, y)
	right, heavyRight := s.Ruled(x+1, y)
	if left {
		arms |= paint.ArmLeft
	}
	if right {
		arms |= paint.ArmRight
	}
	if arms == paint.ArmDown { // the end of a rule at the edge of the screen
		arms |= paint.ArmUp
	}
	if heavyLeft && heavyRight { // it ends at the title of the focus
		heavy, style = true, theme.Bold(p.Theme.Accent)
	}
	for _, t := range p.Tiles {
		if !t.Floats && p.marked(t) && p.beside(t, x, y) {
			heavy, style = true, p.FrameStyle(t)
		}
	}
	s.Crossing(x, y, arms, heavy, style)
}

// beside reports whether a cell of a vertical rule is at a side of a tile.
func (p Picture) beside(t ui.Tile, x, y int) bool {
	r := t.Rect
	return y >= r.Y && y < r.Y+r.H && (x == r.X-1 || x == r.X+r.W+p.Layout.Gap)
}

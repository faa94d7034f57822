package tui

import (
	"fmt"

	"ccdir/internal/grid"
	"ccdir/tui/paint"
)

// viewPlan is where the parts of a list are.
type viewPlan struct {
	box, in, rows paint.Rect
	filterY       int // of the filter's row
	top           int // number of the first row in view
	foot          int // lines of keys
}

// From footRoom rows on the keys may take two lines; placeRoom columns are left
// beside them for where in the list it is.
const (
	footRoom  = 16
	placeRoom = 16
)

// plan places a list in the middle of the screen. Its height is that of all its
// rows, so that typing a filter does not move it.
func (v listView) plan(sc *scene, c listContent) (p viewPlan) {
	p.foot = 1
	if sc.rows >= footRoom {
		keys := c.keys
		if v.open {
			keys = c.detailKeys
		}
		w := popupBox(sc, listSize, 1).W - 4
		p.foot = max(1, len(keysLines(sc.keys, sc.theme, w-placeRoom, 2, keys)))
	}
	chrome := 1 + p.foot // filter and foot
	if c.head != "" {
		chrome++
	}
	if c.note != "" {
		chrome++
	}
	h := max(len(c.items)+chrome, 8)
	if v.open {
		h = max(h, sc.rows/2)
	}
	p.box = popupBox(sc, listSize, min(h, max(1, sc.rows-4)))
	p.in = paint.Rect{X: p.box.X + 2, Y: p.box.Y + 1, W: max(0, p.box.W-4), H: max(0, p.box.H-2)}
	p.rows = paint.Rect{X: p.in.X, Y: p.in.Y + 1, W: p.in.W, H: max(0, p.in.H-chrome)}
	p.filterY = p.in.Y
	if c.head != "" {
		p.rows.Y++
		p.filterY++
	}
	rows, at := v.rows(c)
	p.top = max(0, min(at-p.rows.H/2, len(rows)-p.rows.H))
	return p
}

// sized is the list with its open row laid out for the room that there is.
func (v listView) sized(sc *scene, c listContent) listView {
	if v.open && c.detail != nil {
		p := v.plan(sc, c)
		in := p.in
		v.detail = v.detail.fill(c.detail(v.id, in.W), in.W, max(1, in.H-p.foot))
	}
	return v
}

// drawListDialog draws a list or its open row.
func drawListDialog(d listDialog, s *paint.Surface, sc *scene) paint.Cursor {
	c := d.content(sc)
	v := d.list().settled(c)
	if v.id != d.list().id { // what is said about the chosen row
		c = d.with(v).content(sc)
	}
	plan := v.plan(sc, c)
	drawBox(s, sc, plan.box, c.title, sc.theme.accent)
	if v.open && c.detail != nil {
		v = v.sized(sc, c)
		in := plan.in
		v.detail.draw(s, paint.Rect{X: in.X, Y: in.Y, W: in.W, H: max(0, in.H-plan.foot)})
		v.drawFoot(s, sc, plan, c, c.detailKeys, v.detail.position())
		return paint.Cursor{}
	}
	if c.head != "" {
		drawStyled(s, plan.in.X, plan.in.Y, plan.in.W, c.head)
	}
	rows, at := v.rows(c)
	for i := 0; i < plan.rows.H && plan.top+i < len(rows); i++ {
		r := paint.Rect{X: plan.rows.X, Y: plan.rows.Y + i, W: plan.rows.W, H: 1}
		drawListRow(s, r, rows[plan.top+i], plan.top+i == at)
		markWords(s, r.X, r.Y, r.W, c.marks)
	}
	v.drawNothing(s, sc, plan.rows, c, len(rows))
	if c.note != "" {
		drawStyled(s, plan.in.X, plan.in.Y+plan.in.H-1-plan.foot, plan.in.W, c.note)
	}
	where := ""
	if n := len(rows); n > plan.rows.H || !v.query.empty() {
		where = fmt.Sprintf("%d of %d", v.place+1, v.choosable(rows))
	}
	v.drawFoot(s, sc, plan, c, c.keys, where)
	return v.drawFilter(s, sc, plan, c)
}

// rowMark stands before rows: of the chosen one it is seen.
const rowMark = "❯ "

// drawListRow draws a row; headings stand before the others.
func drawListRow(s *paint.Surface, r paint.Rect, it listItem, chosen bool) {
	if it.id == "" {
		drawStyled(s, r.X, r.Y, r.W, it.line(r.W))
		return
	}
	n := min(paint.Width(rowMark), r.W)
	drawStyled(s, r.X+n, r.Y, r.W-n, it.line(max(0, r.W-n)))
	if chosen {
		s.Text(r.X, r.Y, n, rowMark, grid.Style{})
		s.Restyle(r.X, r.Y, r.W, chosenRow)
	}
}

// chosenRow is how the chosen row looks, whatever its colours.
func chosenRow(st grid.Style) grid.Style {
	return grid.Style{Attrs: grid.Inverse | st.Attrs&grid.Bold}
}

// choosable is how many rows can be chosen.
func (v listView) choosable(rows []listItem) (n int) {
	for _, it := range rows {
		if it.id != "" {
			n++
		}
	}
	return n
}

// drawFilter draws the filter and returns the cursor in it.
func (v listView) drawFilter(s *paint.Surface, sc *scene, p viewPlan, c listContent) paint.Cursor {
	x, w := p.in.X, p.in.W
	s.Text(x, p.filterY, w, "/ ", bold(sc.theme.accent))
	x, w = x+2, w-2
	at := v.query.draw(s, x, p.filterY, w, grid.Style{Attrs: grid.Bold})
	if v.query.empty() && c.hint != "" {
		s.Text(x, p.filterY, w, paint.Cut(c.hint, w), fg(sc.theme.dim))
	}
	return paint.Cursor{X: x + at, Y: p.filterY, Visible: v.typing}
}

// drawNothing says why no row is in view.
func (v listView) drawNothing(s *paint.Surface, sc *scene, r paint.Rect, c listContent, n int) {
	text, st := "", fg(sc.theme.dim)
	switch {
	case n > 0:
		return
	case c.problem != "":
		text, st = c.problem, bold(sc.theme.alert)
	case c.loading:
		text = "asking the daemon…"
	case len(c.items) == 0:
		text = c.empty
	default:
		text = "nothing fits: Esc drops the filter"
	}
	for i, l := range wrap(text, r.W) {
		line(s, r, i, l, st)
	}
}

// drawFoot draws the question, or the keys and where in the list it is.
func (v listView) drawFoot(s *paint.Surface, sc *scene, p viewPlan, c listContent, keys []footKey, where string) {
	in := p.in
	switch y, w := in.Y+in.H-p.foot, in.W; {
	case in.H < p.foot:
	case c.asks != "":
		line(s, in, in.H-1, c.asks, bold(sc.theme.permission))
	case c.busy != "":
		line(s, in, in.H-1, c.busy, bold(sc.theme.accent))
	case v.typing && !v.open:
		text := "Enter keeps the filter   ↑ ↓ choose   Esc drops it"
		if c.searches {
			text = "Enter searches   Esc shows all again"
		}
		line(s, in, in.H-1, text, fg(sc.theme.dim))
	case c.problem != "" && len(c.items) > 0:
		line(s, in, in.H-1, c.problem, bold(sc.theme.alert))
	default:
		if n := paint.Width(where); n > 0 && n+12 < w {
			s.Text(in.X+w-n, in.Y+in.H-1, n, where, fg(sc.theme.dim))
			w -= n + 2
		}
		for i, l := range keysLines(sc.keys, sc.theme, w, p.foot, keys) {
			drawStyled(s, in.X, y+i, in.W, l)
		}
	}
}

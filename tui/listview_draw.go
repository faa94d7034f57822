package tui

import (
	"cmp"
	"fmt"

	"ccdir/internal/grid"
	"ccdir/internal/keymap"
	"ccdir/tui/dialog"
	"ccdir/tui/paint"
	"ccdir/tui/sgr"
	"ccdir/tui/theme"
	"ccdir/tui/tiling"
)

// viewPlan is where the parts of a list are.
type viewPlan struct {
	box, in, rows paint.Rect
	filterY       int // of the filter's row, -1 if it has none
	top           int // number of the first row in view
	foot          int // lines of keys
	lines         int // of a row: two where all rows have room for them
}

// From footRoom rows on the keys may take two lines; placeRoom columns are left
// beside them for where in the list it is.
const (
	footRoom  = 16
	placeRoom = 16
)

// page is how many rows are in view.
func (p viewPlan) page() int { return p.rows.H / p.lines }

// plan places a list: where its content says, else in the middle of the screen.
// Its height is that of all its rows, so that typing a filter does not move it.
func (v listView) plan(sc *scene, c listContent) (p viewPlan) {
	edge := 1 // columns beside the rows, the border included
	switch p.box = c.at; {
	case p.box.Empty():
		p.box, p.foot = v.centred(sc, c)
		if sc.cols >= tiling.NarrowBelow {
			edge = 2
		}
	case !c.idle:
		p.foot = 1
	}
	p.lines, p.filterY = 1, -1
	p.in = paint.Rect{X: p.box.X + edge, Y: p.box.Y + 1, W: max(0, p.box.W-2*edge), H: max(0, p.box.H-2)}
	p.rows = paint.Rect{X: p.in.X, Y: p.in.Y, W: p.in.W, H: max(0, p.in.H-c.chrome(p.foot))}
	if !c.idle {
		p.filterY, p.rows.Y = p.in.Y, p.in.Y+1
		if c.head != "" {
			p.rows.Y++
			p.filterY++
		}
	}
	rows, at := v.rows(c)
	if n := v.choosable(rows); c.twice && len(rows)+n <= p.rows.H {
		p.lines = 2
	}
	p.top = max(0, min(at-p.rows.H/2, len(rows)-p.rows.H))
	return p
}

// centred is the box of a list in the middle of the screen, and how many lines its
// keys take.
func (v listView) centred(sc *scene, c listContent) (box paint.Rect, foot int) {
	width := cmp.Or(c.width, listSize)
	if foot = 1; sc.rows >= footRoom && len(c.keys) > 0 {
		foot = max(1, len(v.footLines(sc, c, dialog.Middle(sc.cols, sc.rows, width, 1).W-4-placeRoom)))
	}
	h := max(len(c.items), c.all)
	if c.most > 0 {
		h = min(h, c.most)
	}
	switch h += c.chrome(foot); {
	case v.open:
		h = max(h, sc.rows/2)
	case !c.menu:
		h = max(h, 8)
	}
	room := sc.rows - 4
	if sc.rows < footRoom {
		room = sc.rows - 3 // all but the status line
	}
	return dialog.Middle(sc.cols, sc.rows, width, min(h, max(1, room))), foot
}

// chrome is how many lines a list needs beside its rows.
func (c listContent) chrome(foot int) int {
	if c.idle {
		return 0
	}
	n := 1 + foot // the filter, and the keys
	if c.head != "" {
		n++
	}
	if c.note != "" {
		n++
	}
	return n
}

// each calls f for the rows in view, with their places.
func (p viewPlan) each(rows []listItem, f func(i int, r paint.Rect)) {
	y := p.rows.Y
	for i := p.top; i < len(rows); i++ {
		h := p.lines
		if rows[i].id == "" {
			h = 1
		}
		if y+h > p.rows.Y+p.rows.H {
			return
		}
		f(i, paint.Rect{X: p.rows.X, Y: y, W: p.rows.W, H: h})
		y += h
	}
}

// rowAt is the row in a cell of the terminal, "" if there is none that can be
// chosen.
func (v listView) rowAt(c listContent, p viewPlan, x, y int) (id string) {
	if v.open {
		return ""
	}
	rows, _ := v.rows(c)
	p.each(rows, func(i int, r paint.Rect) {
		if r.Contains(x, y) {
			id = rows[i].id
		}
	})
	return id
}

// sized is the list with its open row laid out for the room that there is.
func (v listView) sized(sc *scene, c listContent) listView {
	if v.open && c.detail != nil {
		p := v.plan(sc, c)
		in := p.in
		v.detail = v.detail.Fill(c.detail(v.id, in.W), in.W, max(1, in.H-p.foot))
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
	return v.paint(s, sc, c)
}

// paint draws a list that is settled.
func (v listView) paint(s *paint.Surface, sc *scene, c listContent) paint.Cursor {
	plan := v.plan(sc, c)
	if c.idle {
		drawIdleBox(s, sc, plan.box, c.title)
	} else {
		dialog.Box(s, plan.box, c.title, sc.theme.Accent)
	}
	if v.open && c.detail != nil {
		v = v.sized(sc, c)
		in := plan.in
		v.detail.Draw(s, paint.Rect{X: in.X, Y: in.Y, W: in.W, H: max(0, in.H-plan.foot)})
		v.drawFoot(s, sc, plan, c)
		return paint.Cursor{}
	}
	if c.head != "" {
		sgr.Draw(s, plan.in.X, plan.in.Y, plan.in.W, c.head)
	}
	rows, at := v.rows(c)
	plan.each(rows, func(i int, r paint.Rect) {
		drawListRow(s, r, rows[i], i == at, c.idle)
		if len(c.marks) > 0 {
			dialog.Mark(s, r.X, r.Y, r.W, c.marks)
		}
	})
	v.drawNothing(s, sc, plan.rows, c, len(rows))
	if c.idle {
		return paint.Cursor{}
	}
	if c.note != "" {
		sgr.Draw(s, plan.in.X, plan.in.Y+plan.in.H-1-plan.foot, plan.in.W, c.note)
	}
	v.drawFoot(s, sc, plan, c)
	return v.drawFilter(s, sc, plan, c)
}

// where says where in the list it is, "" if all of it is in view. An open row is laid
// out (see sized).
func (v listView) where(c listContent, p viewPlan) string {
	if v.open && c.detail != nil {
		return v.detail.Position()
	}
	rows, _ := v.rows(c)
	if len(rows) <= p.rows.H && v.query.Empty() {
		return ""
	}
	n := v.choosable(rows)
	return fmt.Sprintf("%d of %d", min(v.place+1, n), n)
}

// drawIdleBox draws the frame of a list that does not have the keyboard.
func drawIdleBox(s *paint.Surface, sc *scene, box paint.Rect, title string) {
	st := theme.FG(sc.theme.Dim)
	s.Fill(box, grid.Style{})
	s.Box(box, paint.Light, st)
	s.Text(box.X+2, box.Y, box.W-4, paint.Cut(" "+title+" ", box.W-4), st)
}

// rowMark stands before rows: of the chosen one it is seen.
const rowMark = "❯ "

// drawListRow draws a row; headings stand before the others.
func drawListRow(s *paint.Surface, r paint.Rect, it listItem, chosen, idle bool) {
	if it.paint != nil {
		it.paint(s, r, chosen)
		for y := range r.H {
			if chosen && !idle {
				s.Restyle(r.X, r.Y+y, r.W, chosenRow)
			}
		}
		return
	}
	if it.id == "" {
		sgr.Draw(s, r.X, r.Y, r.W, it.line(r.W))
		return
	}
	n := min(paint.Width(rowMark), r.W)
	sgr.Draw(s, r.X+n, r.Y, r.W-n, it.line(max(0, r.W-n)))
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
	s.Text(x, p.filterY, w, "/ ", theme.Bold(sc.theme.Accent))
	x, w = x+2, w-2
	at := v.query.Draw(s, x, p.filterY, w, grid.Style{Attrs: grid.Bold})
	if v.query.Empty() && c.hint != "" {
		s.Text(x, p.filterY, w, paint.Cut(c.hint, w), theme.FG(sc.theme.Dim))
	}
	return paint.Cursor{X: x + at, Y: p.filterY, Visible: v.typing || c.menu}
}

// drawNothing says why no row is in view.
func (v listView) drawNothing(s *paint.Surface, sc *scene, r paint.Rect, c listContent, n int) {
	text, st := "", theme.FG(sc.theme.Dim)
	switch {
	case n > 0:
		return
	case c.problem != "":
		text, st = c.problem, theme.Bold(sc.theme.Alert)
	case c.loading:
		text = "asking the daemon…"
	case len(c.items) == 0 && (v.query.Empty() || c.searches):
		text = c.empty
	case c.menu:
		text = "nothing matches"
	default:
		text = "nothing fits: Esc drops the filter"
	}
	for i, l := range dialog.Wrap(text, r.W) {
		dialog.Line(s, r, i, l, st)
	}
}

// drawFoot draws the question, or the keys and where in the list it is.
func (v listView) drawFoot(s *paint.Surface, sc *scene, p viewPlan, c listContent) {
	in, where := p.in, v.where(c, p)
	switch {
	case in.H < p.foot:
	case c.asks != "":
		dialog.Line(s, in, in.H-1, c.asks, theme.Bold(sc.theme.Permission))
	case c.busy != "":
		dialog.Line(s, in, in.H-1, c.busy, theme.Bold(sc.theme.Accent))
	case (v.typing || c.menu) && !v.open:
		w := drawPlace(s, sc, in, where)
		s.Text(in.X, in.Y+in.H-1, w, paint.Cut(typingKeys(c), w), theme.FG(sc.theme.Dim))
	case c.problem != "" && len(c.items) > 0:
		dialog.Line(s, in, in.H-1, c.problem, theme.Bold(sc.theme.Alert))
	default:
		w := drawPlace(s, sc, in, where)
		for i, l := range dialog.KeysLines(sc.keys, sc.theme, w, p.foot, v.footKeys(c)) {
			sgr.Draw(s, in.X, in.Y+in.H-p.foot+i, in.W, l)
		}
	}
}

// drawPlace writes where in the list it is at the right of the last line, and
// returns the columns that are left.
func drawPlace(s *paint.Surface, sc *scene, in paint.Rect, where string) int {
	w := besidePlace(in, where)
	if n := paint.Width(where); w < in.W {
		s.Text(in.X+in.W-n, in.Y+in.H-1, n, where, theme.FG(sc.theme.Dim))
	}
	return w
}

// besidePlace is how many columns are left beside where in the list it is, which is
// not said where there is no room for it.
func besidePlace(in paint.Rect, where string) int {
	if n := paint.Width(where); n > 0 && n+12 < in.W {
		return in.W - n - 2
	}
	return in.W
}

// typingKeys are the keys while the filter is typed.
func typingKeys(c listContent) string {
	switch {
	case c.menu && c.says != "":
		return c.says
	case c.menu:
		return "Enter choose   ↑ ↓ move   Esc close"
	case c.searches:
		return "Enter searches   Esc shows all again"
	case c.direct:
		return "Enter takes it   ↑ ↓ choose   Esc drops the filter"
	}
	return "Enter keeps the filter   ↑ ↓ choose   Esc drops it"
}

// footKeys are the keys that the last lines name.
func (v listView) footKeys(c listContent) []keymap.Named {
	if v.open {
		return c.detailKeys
	}
	return c.keys
}

// footLines are the lines of keys in w columns.
func (v listView) footLines(sc *scene, c listContent, w int) []string {
	return dialog.KeysLines(sc.keys, sc.theme, w, 2, v.footKeys(c))
}

// footAt is the action of the key that the last lines name in a cell of the
// terminal.
func (v listView) footAt(sc *scene, c listContent, p viewPlan, x, y int) (a keymap.Action, ok bool) {
	i := y - (p.in.Y + p.in.H - p.foot)
	if i < 0 || i >= p.foot || x < p.in.X || v.typing || c.menu || c.asks != "" || c.busy != "" {
		return "", false
	}
	w := besidePlace(p.in, v.sized(sc, c).where(c, p))
	return dialog.KeyAt(sc.keys, sc.theme, w, p.foot, v.footKeys(c), i, x-p.in.X)
}

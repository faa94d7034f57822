package listbox

import (
	"cmp"
	"fmt"
	"slices"

	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/paint"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/sgr"
	"ccdir/tui/widget/theme"
)

// Plan is where the parts of a list are: its Box, in it the Rows.
type Plan struct {
	Box, Rows paint.Rect
	FilterY   int        // of the filter's row, -1 if it has none
	in        paint.Rect // the inside of the box
	top       int        // number of the first row in view
	foot      paint.Rect // of the lines of keys
	note      bool       // the chosen row's note has a line, the last one inside
	extra     []int      // how many lines more than one the rows take; nil: none
}

// From FootRoom rows on the keys may take two lines; placeRoom columns are left
// beside them for where in the list it is.
const (
	FootRoom  = 16
	placeRoom = 16
)

// Page is how many rows are in view.
func (p Plan) Page() int {
	n := p.Rows.H
	for _, more := range p.extra {
		n -= more
	}
	return max(1, n)
}

// Plan places a list: where its content says, else in the middle of the screen.
// Its height is that of all its rows, so that typing a filter does not move it.
func (v View) Plan(on modal.Screen, c Content) (p Plan) {
	p.FilterY = -1
	if p.Box = c.At; p.Box.Empty() {
		v.planCentred(on, c, &p)
	} else {
		v.planAt(c, &p)
	}
	rows, at := v.Rows(c)
	p.extra = extra(rows, p.Rows.H-len(rows))
	if p.note = c.Note != "" && (c.At.Empty() || !c.Idle && p.Page() > len(rows)); p.note && !c.At.Empty() {
		p.Rows.H--
	}
	p.top = max(0, min(at-p.Rows.H/2, len(rows)-p.Rows.H))
	return p
}

// planCentred places a list in the middle of the screen: the filter, its rows, a note, its keys.
func (v View) planCentred(on modal.Screen, c Content, p *Plan) {
	edge, foot := 1, 0 // columns beside the rows, the border included
	p.Box, foot = v.centred(on, c)
	if on.Cols >= tiling.NarrowBelow {
		edge = 2
	}
	p.in = paint.Rect{X: p.Box.X + edge, Y: p.Box.Y + 1, W: max(0, p.Box.W-2*edge), H: max(0, p.Box.H-2)}
	p.foot = paint.Rect{X: p.in.X, Y: p.in.Y + p.in.H - foot, W: p.in.W, H: foot}
	p.FilterY = p.in.Y
	if c.Head != "" {
		p.FilterY++
	}
	p.Rows = paint.Rect{X: p.in.X, Y: p.FilterY + 1, W: p.in.W, H: max(0, p.in.H-c.chrome(foot))}
}

// planAt places a list in the place that its content has for it, without a frame: a rule is
// beside it. The keyboard takes no row from it: the keys stand in the last one, the filter has a row while it is used, the note one that is blank.
func (v View) planAt(c Content, p *Plan) {
	p.in = paint.Rect{X: p.Box.X + 1, Y: p.Box.Y + 1, W: max(0, p.Box.W-1), H: max(0, p.Box.H-2)}
	p.Rows = p.in
	if c.Idle {
		return
	}
	p.foot = paint.Rect{X: p.in.X, Y: p.Box.Y + p.Box.H - 1, W: p.in.W, H: 1}
	if v.Typing || !v.Query.Empty() {
		p.FilterY = p.in.Y
		p.Rows.Y, p.Rows.H = p.Rows.Y+1, max(0, p.Rows.H-1)
	}
}

// extra is how many lines more than one each row takes where so many are there: a second one
// those that want it most, of equal ones the first; a third one in the same order, once all have
// their second. One line is left then, for the note.
func extra(rows []Item, more int) []int {
	order := make([]int, 0, len(rows))
	for i := range rows {
		if rows[i].Twice > 0 {
			order = append(order, i)
		}
	}
	if more <= 0 || len(order) == 0 {
		return nil
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rows[a].Twice, rows[b].Twice) })
	out := make([]int, len(rows))
	for _, i := range order[:min(more, len(order))] {
		out[i] = 1
	}
	more -= len(order) + 1
	for _, i := range order {
		if rows[i].Thrice && more > 0 {
			out[i], more = 2, more-1
		}
	}
	return out
}

// centred is the box of a list in the middle of the screen, and how many lines its
// keys take.
func (v View) centred(on modal.Screen, c Content) (box paint.Rect, foot int) {
	width := cmp.Or(c.Width, listSize)
	if foot = 1; on.Rows >= FootRoom && len(c.Keys) > 0 {
		foot = max(1, len(v.footLines(on, c, modal.Middle(on.Cols, on.Rows, width, 1).W-4-placeRoom)))
	}
	h := max(len(c.Items), c.All)
	if c.Most > 0 {
		h = min(h, c.Most)
	}
	switch h += c.chrome(foot); {
	case v.Open:
		h = max(h, on.Rows/2)
	case !c.Menu:
		h = max(h, 8)
	}
	room := on.Rows - 4
	if on.Rows < FootRoom {
		room = on.Rows - 3 // all but the status line
	}
	return modal.Middle(on.Cols, on.Rows, width, min(h, max(1, room))), foot
}

// footInside is how many of the lines of keys are inside the box.
func (p Plan) footInside() int { return max(0, p.in.Y+p.in.H-p.foot.Y) * min(p.foot.H, 1) }

// chrome is how many lines a list needs beside its rows.
func (c Content) chrome(foot int) int {
	n := 1 + foot // the filter, and the keys
	if c.Head != "" {
		n++
	}
	if c.Note != "" {
		n++
	}
	return n
}

// each calls f for the rows in view, with their places.
func (p Plan) each(rows []Item, f func(i int, r paint.Rect)) {
	y := p.Rows.Y
	for i := p.top; i < len(rows); i++ {
		h := 1
		if p.extra != nil {
			h += p.extra[i]
		}
		if y+h > p.Rows.Y+p.Rows.H {
			return
		}
		f(i, paint.Rect{X: p.Rows.X, Y: y, W: p.Rows.W, H: h})
		y += h
	}
}

// RowAt is the row in a cell of the terminal, "" if there is none that can be
// chosen.
func (v View) RowAt(c Content, p Plan, x, y int) (id string) {
	if v.Open {
		return ""
	}
	rows, _ := v.Rows(c)
	if c.Laid != nil {
		return c.Laid.At(p.Rows, rows, v.ID, x, y)
	}
	p.each(rows, func(i int, r paint.Rect) {
		if r.Contains(x, y) {
			id = rows[i].ID
		}
	})
	return id
}

// Sized is the list with its open row laid out for the room that there is.
func (v View) Sized(on modal.Screen, c Content) View {
	if v.Open && c.Detail != nil {
		p := v.Plan(on, c)
		in := p.in
		v.Detail = v.Detail.Fill(c.Detail(v.ID, in.W), in.W, max(1, in.H-p.footInside()))
	}
	return v
}

// Draw draws a list that is settled (see Settled), and returns the cursor in its filter.
func (v View) Draw(s *paint.Surface, on modal.Screen, c Content) paint.Cursor {
	plan := v.Plan(on, c)
	if !c.At.Empty() {
		drawHeading(s, on, plan.Box, c)
	} else {
		modal.Box(s, plan.Box, c.Title, on.Theme.Accent)
	}
	if v.Open && c.Detail != nil {
		v = v.Sized(on, c)
		in := plan.in
		v.Detail.Draw(s, paint.Rect{X: in.X, Y: in.Y, W: in.W, H: max(0, in.H-plan.footInside())})
		v.drawFoot(s, on, plan, c)
		return paint.Cursor{}
	}
	if c.Head != "" {
		sgr.Draw(s, plan.in.X, plan.in.Y, plan.in.W, c.Head)
	}
	rows, at := v.Rows(c)
	if c.Laid != nil && len(rows) > 0 {
		c.Laid.Draw(s, plan.Rows, rows, v.ID)
	} else {
		plan.each(rows, func(i int, r paint.Rect) {
			drawListRow(s, r, rows[i], i == at, c.Idle)
			if len(c.Marks) > 0 {
				modal.Mark(s, r.X, r.Y, r.W, c.Marks)
			}
		})
	}
	v.drawNothing(s, on, plan.Rows, c, len(rows))
	if c.Idle {
		return paint.Cursor{}
	}
	if plan.note {
		sgr.Draw(s, plan.in.X, plan.in.Y+plan.in.H-1-plan.footInside(), plan.in.W, c.Note)
	}
	v.drawFoot(s, on, plan, c)
	return v.drawFilter(s, on, plan, c)
}

// where says where in the list it is, "" if all of it is in view. An open row is laid
// out (see Sized).
func (v View) where(c Content, p Plan) string {
	if v.Open && c.Detail != nil {
		return v.Detail.Position()
	}
	rows, _ := v.Rows(c)
	if len(rows) <= p.Rows.H && v.Query.Empty() {
		return ""
	}
	n := v.choosable(rows)
	switch {
	case c.Menu && v.Query.Empty():
		return "" // how many there are says nothing to who looks for one
	case c.Menu:
		return fmt.Sprintf("%d found", n)
	}
	return fmt.Sprintf("%d of %d", min(v.Place+1, n), n)
}

// drawHeading draws the heading of a list that has its place beside the panes.
func drawHeading(s *paint.Surface, on modal.Screen, box paint.Rect, c Content) {
	st := theme.FG(on.Theme.Dim)
	if !c.Idle {
		st = on.Theme.Chip(on.Theme.Accent)
	}
	s.Fill(box, cells.Style{})
	w := min(paint.Width(c.Title)+2, box.W)
	s.Text(box.X, box.Y, w, paint.Cut(" "+c.Title+" ", w), st)
}

// RowMark marks the chosen row; the others are indented by its width.
const RowMark = "❯ "

// drawListRow draws a row; headings stand before the others.
func drawListRow(s *paint.Surface, r paint.Rect, it Item, chosen, idle bool) {
	if it.Paint != nil {
		it.Paint(s, r, chosen)
		for y := range r.H {
			if chosen && !idle {
				s.Restyle(r.X, r.Y+y, r.W, chosenRow)
			}
		}
		return
	}
	if it.ID == "" {
		sgr.Draw(s, r.X, r.Y, r.W, it.Line(r.W))
		return
	}
	n := min(paint.Width(RowMark), r.W)
	sgr.Draw(s, r.X+n, r.Y, r.W-n, it.Line(max(0, r.W-n)))
	if chosen {
		s.Text(r.X, r.Y, n, RowMark, cells.Style{})
		s.Restyle(r.X, r.Y, r.W, chosenRow)
	}
}

// chosenRow is how the chosen row looks, whatever its colours.
func chosenRow(st cells.Style) cells.Style {
	return cells.Style{Attrs: cells.Inverse | st.Attrs&cells.Bold}
}

// choosable is how many rows can be chosen.
func (v View) choosable(rows []Item) (n int) {
	for _, it := range rows {
		if it.ID != "" {
			n++
		}
	}
	return n
}

// drawFilter draws the filter and returns the cursor in it.
func (v View) drawFilter(s *paint.Surface, on modal.Screen, p Plan, c Content) paint.Cursor {
	x, w := p.in.X, p.in.W
	if p.FilterY < 0 {
		return paint.Cursor{}
	}
	s.Text(x, p.FilterY, w, "/ ", theme.Bold(on.Theme.Accent))
	x, w = x+2, w-2
	at := v.Query.Draw(s, x, p.FilterY, w, cells.Style{Attrs: cells.Bold})
	if v.Query.Empty() && c.Hint != "" {
		s.Text(x, p.FilterY, w, paint.Cut(c.Hint, w), theme.FG(on.Theme.Dim))
	}
	return paint.Cursor{X: x + at, Y: p.FilterY, Visible: v.Typing || c.Menu}
}

// drawNothing says why no row is in view.
func (v View) drawNothing(s *paint.Surface, on modal.Screen, r paint.Rect, c Content, n int) {
	text, st := "", theme.FG(on.Theme.Dim)
	switch {
	case n > 0:
		return
	case c.Problem != "":
		text, st = c.Problem, theme.Bold(on.Theme.Alert)
	case c.Loading:
		text = "asking the daemon…"
	case len(c.Items) == 0 && (v.Query.Empty() || c.Searches):
		text = c.Empty
	case c.Menu:
		text = "nothing matches"
	default:
		text = "nothing fits: Esc drops the filter"
	}
	for i, l := range modal.Wrap(text, r.W) {
		modal.Line(s, r, i, l, st)
	}
}

// drawFoot draws the question, or the keys and where in the list it is.
func (v View) drawFoot(s *paint.Surface, on modal.Screen, p Plan, c Content) {
	in, where := p.foot, v.where(c, p)
	if in.H == 0 || p.in.H < p.footInside() {
		return
	}
	line := func(text string, st cells.Style) { s.Text(in.X, in.Y+in.H-1, in.W, paint.Cut(text, in.W), st) }
	switch {
	case c.Asks != "":
		line(c.Asks, theme.Bold(on.Theme.Permission))
	case c.Busy != "":
		line(c.Busy, theme.Bold(on.Theme.Accent))
	case (v.Typing || c.Menu) && !v.Open:
		w := drawPlace(s, on, in, where)
		s.Text(in.X, in.Y+in.H-1, w, paint.Cut(typingKeys(c), w), theme.FG(on.Theme.Dim))
	case c.Problem != "" && len(c.Items) > 0:
		line(c.Problem, theme.Bold(on.Theme.Alert))
	default:
		w := drawPlace(s, on, in, where)
		for i, l := range modal.KeysLines(on.Keys, on.Theme, w, in.H, v.footKeys(c)) {
			sgr.Draw(s, in.X, in.Y+i, in.W, l)
		}
	}
}

// drawPlace writes where in the list it is at the right of the last line, and
// returns the columns that are left.
func drawPlace(s *paint.Surface, on modal.Screen, in paint.Rect, where string) int {
	w := besidePlace(in, where)
	if n := paint.Width(where); w < in.W {
		s.Text(in.X+in.W-n, in.Y+in.H-1, n, where, theme.FG(on.Theme.Dim))
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
func typingKeys(c Content) string {
	switch {
	case c.Menu && c.Says != "":
		return c.Says
	case c.Menu:
		return "Enter choose   ↑ ↓ move   Esc close"
	case c.Searches:
		return "Enter searches   Esc shows all again"
	}
	return "Enter keeps the filter   ↑ ↓ choose   Esc drops it"
}

// footKeys are the keys that the last lines name.
func (v View) footKeys(c Content) []keymap.Named {
	if v.Open {
		return c.DetailKeys
	}
	return c.Keys
}

// footLines are the lines of keys in w columns.
func (v View) footLines(on modal.Screen, c Content, w int) []string {
	return modal.KeysLines(on.Keys, on.Theme, w, 2, v.footKeys(c))
}

// FootAt is the action of the key that the last lines name in a cell of the
// terminal.
func (v View) FootAt(on modal.Screen, c Content, p Plan, x, y int) (a keymap.Action, ok bool) {
	if !p.foot.Contains(x, y) || v.Typing || c.Menu || c.Asks != "" || c.Busy != "" {
		return "", false
	}
	w := besidePlace(p.foot, v.Sized(on, c).where(c, p))
	return modal.KeyAt(on.Keys, on.Theme, w, p.foot.H, v.footKeys(c), y-p.foot.Y, x-p.foot.X)
}

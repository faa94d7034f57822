package listbox

import (
	"cmp"
	"fmt"

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
	foot      int        // lines of keys
	lines     int        // of a row: two where all rows have room for them
}

// From FootRoom rows on the keys may take two lines; placeRoom columns are left
// beside them for where in the list it is.
const (
	FootRoom  = 16
	placeRoom = 16
)

// Page is how many rows are in view.
func (p Plan) Page() int { return p.Rows.H / p.lines }

// Plan places a list: where its content says, else in the middle of the screen.
// Its height is that of all its rows, so that typing a filter does not move it.
func (v View) Plan(on modal.Screen, c Content) (p Plan) {
	edge := 1 // columns beside the rows, the border included
	switch p.Box = c.At; {
	case p.Box.Empty():
		p.Box, p.foot = v.centred(on, c)
		if on.Cols >= tiling.NarrowBelow {
			edge = 2
		}
	case !c.Idle:
		p.foot = 1
	}
	p.lines, p.FilterY = 1, -1
	p.in = paint.Rect{X: p.Box.X + edge, Y: p.Box.Y + 1, W: max(0, p.Box.W-2*edge), H: max(0, p.Box.H-2)}
	p.Rows = paint.Rect{X: p.in.X, Y: p.in.Y, W: p.in.W, H: max(0, p.in.H-c.chrome(p.foot))}
	if !c.Idle {
		p.FilterY, p.Rows.Y = p.in.Y, p.in.Y+1
		if c.Head != "" {
			p.Rows.Y++
			p.FilterY++
		}
	}
	rows, at := v.Rows(c)
	if n := v.choosable(rows); c.Twice && len(rows)+n <= p.Rows.H {
		p.lines = 2
	}
	p.top = max(0, min(at-p.Rows.H/2, len(rows)-p.Rows.H))
	return p
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

// chrome is how many lines a list needs beside its rows.
func (c Content) chrome(foot int) int {
	if c.Idle {
		return 0
	}
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
		h := p.lines
		if rows[i].ID == "" {
			h = 1
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
		v.Detail = v.Detail.Fill(c.Detail(v.ID, in.W), in.W, max(1, in.H-p.foot))
	}
	return v
}

// Draw draws a list that is settled (see Settled), and returns the cursor in its filter.
func (v View) Draw(s *paint.Surface, on modal.Screen, c Content) paint.Cursor {
	plan := v.Plan(on, c)
	if c.Idle {
		drawIdleBox(s, on, plan.Box, c.Title)
	} else {
		modal.Box(s, plan.Box, c.Title, on.Theme.Accent)
	}
	if v.Open && c.Detail != nil {
		v = v.Sized(on, c)
		in := plan.in
		v.Detail.Draw(s, paint.Rect{X: in.X, Y: in.Y, W: in.W, H: max(0, in.H-plan.foot)})
		v.drawFoot(s, on, plan, c)
		return paint.Cursor{}
	}
	if c.Head != "" {
		sgr.Draw(s, plan.in.X, plan.in.Y, plan.in.W, c.Head)
	}
	rows, at := v.Rows(c)
	plan.each(rows, func(i int, r paint.Rect) {
		drawListRow(s, r, rows[i], i == at, c.Idle)
		if len(c.Marks) > 0 {
			modal.Mark(s, r.X, r.Y, r.W, c.Marks)
		}
	})
	v.drawNothing(s, on, plan.Rows, c, len(rows))
	if c.Idle {
		return paint.Cursor{}
	}
	if c.Note != "" {
		sgr.Draw(s, plan.in.X, plan.in.Y+plan.in.H-1-plan.foot, plan.in.W, c.Note)
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
	return fmt.Sprintf("%d of %d", min(v.Place+1, n), n)
}

// drawIdleBox draws the frame of a list that does not have the keyboard.
func drawIdleBox(s *paint.Surface, on modal.Screen, box paint.Rect, title string) {
	st := theme.FG(on.Theme.Dim)
	s.Fill(box, cells.Style{})
	s.Box(box, paint.Round, st)
	s.Text(box.X+2, box.Y, box.W-4, paint.Cut(" "+title+" ", box.W-4), st)
}

// rowMark marks the chosen row; the others are indented by its width.
const rowMark = "❯ "

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
	n := min(paint.Width(rowMark), r.W)
	sgr.Draw(s, r.X+n, r.Y, r.W-n, it.Line(max(0, r.W-n)))
	if chosen {
		s.Text(r.X, r.Y, n, rowMark, cells.Style{})
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
	in, where := p.in, v.where(c, p)
	switch {
	case in.H < p.foot:
	case c.Asks != "":
		modal.Line(s, in, in.H-1, c.Asks, theme.Bold(on.Theme.Permission))
	case c.Busy != "":
		modal.Line(s, in, in.H-1, c.Busy, theme.Bold(on.Theme.Accent))
	case (v.Typing || c.Menu) && !v.Open:
		w := drawPlace(s, on, in, where)
		s.Text(in.X, in.Y+in.H-1, w, paint.Cut(typingKeys(c), w), theme.FG(on.Theme.Dim))
	case c.Problem != "" && len(c.Items) > 0:
		modal.Line(s, in, in.H-1, c.Problem, theme.Bold(on.Theme.Alert))
	default:
		w := drawPlace(s, on, in, where)
		for i, l := range modal.KeysLines(on.Keys, on.Theme, w, p.foot, v.footKeys(c)) {
			sgr.Draw(s, in.X, in.Y+in.H-p.foot+i, in.W, l)
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
	case c.Direct:
		return "Enter takes it   Tab keeps the filter   Esc drops it"
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
	i := y - (p.in.Y + p.in.H - p.foot)
	if i < 0 || i >= p.foot || x < p.in.X || v.Typing || c.Menu || c.Asks != "" || c.Busy != "" {
		return "", false
	}
	w := besidePlace(p.in, v.Sized(on, c).where(c, p))
	return modal.KeyAt(on.Keys, on.Theme, w, p.foot, v.footKeys(c), i, x-p.in.X)
}

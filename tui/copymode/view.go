package copymode

import (
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/tui/copymode/core"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// Content is the content of a tile in copy mode (terminal.Content).
type Content struct {
	Theme *theme.Theme
	Tile  ui.Tile
	View  *View
	Frame cells.Style // of the tile's frame
}

// Draw draws the lines in view, with the matches and the selection.
func (c Content) Draw(s *paint.Surface, rows *paint.Layer) {
	in, v := c.Tile.Inner(), c.View
	for y := range in.H {
		n := v.st.Top + y
		row, table := v.st.Buf.Row(n)
		if table == nil {
			s.Fill(paint.Rect{X: in.X, Y: in.Y + y, W: in.W, H: 1}, cells.Style{})
			continue
		}
		line := row.Cells
		if v.st.Left < len(line) {
			line = line[v.st.Left:]
		} else {
			line = nil
		}
		rows.Row(s, in.X, in.Y+y, in.W, table, line, false)
	}
	c.drawMatches(s)
	for y := range in.H {
		x0, x1 := v.st.Selected(v.st.Top + y)
		c.restyle(s, v.st.Top+y, x0, x1, theme.Selected)
	}
	c.drawEdge(s)
}

func (c Content) drawMatches(s *paint.Surface) {
	in, v := c.Tile.Inner(), c.View
	end := v.st.Top + in.H
	for _, m := range core.In(v.find.matches, v.st.Top, end) {
		current := v.find.at >= 0 && m == v.find.matches[v.find.at]
		for n := max(m.From.Line, v.st.Top); n <= min(m.To.Line, end-1); n++ {
			x0, x1 := 0, max(v.st.Buf.Len(n), 1)
			if n == m.From.Line {
				x0 = m.From.Col
			}
			if n == m.To.Line {
				x1 = v.st.Buf.After(m.To)
			}
			c.restyle(s, n, x0, x1, func(cells.Style) cells.Style { return c.Theme.Match(current) })
		}
	}
}

// restyle changes how columns x0 up to x1 of a line look.
func (c Content) restyle(s *paint.Surface, line, x0, x1 int, f func(cells.Style) cells.Style) {
	in, v := c.Tile.Inner(), c.View
	x0, x1 = max(x0-v.st.Left, 0), min(x1-v.st.Left, in.W)
	if x1 > x0 {
		s.Restyle(in.X+x0, in.Y+line-v.st.Top, x1-x0, f)
	}
}

// findSign stands before what is searched forwards.
const findSign = " /"

// edge is the part of the title's row that says where the view is: behind sign and name.
func (c Content) edge() (x, y, end int) {
	r := c.Tile.Rect
	x = r.X + ui.TitleIn + min(paint.Width(c.Tile.Label()), r.W/3) + 2
	return x, r.Y, r.X + r.W - ui.TitleIn
}

// drawEdge writes into the title's row: the search or what is selected at the left, where
// the view is at the right.
func (c Content) drawEdge(s *paint.Surface) {
	r, v := c.Tile.Rect, c.View
	if r.W < 8 || r.H < 2 {
		return
	}
	x, y, end := c.edge()
	border := paint.Light
	if c.Tile.Focused {
		border = paint.Heavy
	}
	s.Line(paint.Rect{X: x, Y: y, W: end - x, H: 1}, border, c.Frame)
	where := v.where()
	if w := paint.Width(where); w > 0 && w < (end-x)*2/3 {
		s.Text(end-w, y, w, where, c.Frame)
		end -= w + 1
	}
	left, st := v.status(), theme.Bold(c.Theme.Input)
	if v.find.typing {
		sign := findSign
		if v.find.back {
			sign = " ?"
		}
		x += s.Text(x, y, end-x, sign, st)
		state := v.find.text(v)
		if room := end - x - paint.Width(state) - 2; state != "" && room > 8 {
			s.Text(end-paint.Width(state)-1, y, end-x, " "+state, theme.FG(c.Theme.Dim))
			end -= paint.Width(state) + 2
		}
		s.Fill(paint.Rect{X: x, Y: y, W: max(0, end-x), H: 1}, cells.Style{})
		v.find.ed.Draw(s, x, y, end-x, cells.Style{})
		return
	}
	if left != "" {
		s.Text(x, y, end-x, paint.Cut(" "+left+" ", end-x), st)
	}
}

// Cursor is the terminal's cursor in copy mode.
func (c Content) Cursor() paint.Cursor {
	in, v := c.Tile.Inner(), c.View
	if !v.find.typing {
		x, y := in.X+v.st.Cursor.Col-v.st.Left, in.Y+v.st.Cursor.Line-v.st.Top
		return paint.Cursor{X: x, Y: y, Visible: !v.peek && in.Contains(x, y)}
	}
	x, y, end := c.edge()
	return paint.Cursor{X: min(x+paint.Width(findSign)+v.find.ed.Column(), end-1), Y: y, Visible: true}
}

// status is what is being fetched, the search, or the selection in words.
func (v *View) status() string {
	if !v.complete && (v.editing || v.toFirst) {
		what := "fetching: "
		if v.editing {
			what = "fetching for the editor: "
		}
		return what + format.Count(v.st.Buf.End()-v.st.Buf.First()) + " lines… any key stops it"
	}
	if v.find.query != "" {
		sign := "/"
		if v.find.back {
			sign = "?"
		}
		return sign + paint.Cut(v.find.query, 24) + " · " + v.find.text(v)
	}
	switch v.st.Kind {
	case core.Char, core.Words:
		return "selecting"
	case core.Lines:
		return "selecting lines"
	case core.Block:
		return "selecting a block"
	}
	return v.note
}

// where says how far above the newest line the view is, of how many lines, and whether
// the program has printed something since.
func (v *View) where() string {
	text := ""
	if v.pane != nil && v.pane.Generation() != v.gen && !v.ended {
		text = " ▼ new output"
	}
	total := format.Count(v.st.MostAbove())
	if !v.complete {
		total += "+"
	}
	return text + " ↑ " + format.Count(v.st.Above()) + "/" + total + " "
}

// Chip is the status line's name for where keys go.
func (v *View) Chip() string {
	switch {
	case v.peek:
		return " SCROLL "
	case v.find.typing:
		return " FIND "
	}
	return " COPY "
}

// Hints are the keys worth knowing in copy mode.
func (v *View) Hints(keys *keymap.Map) (out []string) {
	add := func(a keymap.Action, text string) {
		if key := keys.Hint(a); key != "" {
			out = append(out, modal.ShortKey(key)+" "+text)
		}
	}
	switch {
	case v.peek:
		out = []string{"Esc back", "any key goes to the pane"}
		add(keymap.Copy, "copy mode")
	case v.find.typing:
		out = []string{"Enter accept", "Esc cancel", "Up last pattern"}
	case v.st.Kind != core.None:
		add(keymap.CopyYank, "copy")
		add(keymap.CopyClear, "clear")
		add(keymap.CopyOther, "other end")
		add(keymap.CopyChars, "chars")
		add(keymap.CopyLines, "lines")
		add(keymap.CopyBlock, "block")
	default:
		add(keymap.CopyLeave, "leave") // a narrow screen shows the first ones only
		add(keymap.CopyChars, "select")
		add(keymap.CopyFind, "find")
		add(keymap.CopyFindBack, "find back")
		add(keymap.CopyLines, "lines")
		add(keymap.CopyEditor, "editor")
	}
	return out
}

package paint

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/grid"
	"ccdir/sessions/screen"
	"ccdir/sessions/screen/vt"
)

// allCaps is a terminal that can do everything.
var allCaps = Caps{Profile: colorprofile.TrueColor, Sync: true, Erase: true, Repeat: true, Scroll: true, Underlines: true, Links: true, Extended: true, Shapes: true}

// show is what a terminal shows after bytes: glyphs, spans, styles.
func show(e screen.Engine) []string {
	cols, rows := e.Size()
	var out []string
	for y := range rows {
		cells := e.Row(y).Cells
		for x := range cols {
			out = append(out, describe(e.Table(), cells[x]))
		}
	}
	return out
}

func want(s *Surface) []string {
	var out []string
	for _, c := range s.cells {
		out = append(out, describe(s.tab, c))
	}
	return out
}

// describe is what can be seen of a cell.
func describe(tab *grid.Table, c grid.Cell) string {
	st := tab.Style(c.Style)
	link := tab.LinkURI(st.Link)
	st.Link = 0
	text := string(tab.AppendGlyph(nil, c.Glyph))
	if c.Span == grid.Tail {
		text = ""
	}
	if text == " " {
		// Of a blank only what shows counts.
		if st.Attrs&grid.Inverse == 0 && st.Underline == 0 && st.Attrs&(grid.Strike|grid.Overline) == 0 && link == "" {
			st = grid.Style{BG: st.BG}
		}
	}
	return fmt.Sprintf("%q %d %v %q", text, c.Span, st, link)
}

func diff(a, b []string, cols int) string {
	for i := range a {
		if a[i] != b[i] {
			return fmt.Sprintf("column %d row %d: want %s, terminal shows %s", i%cols, i/cols, a[i], b[i])
		}
	}
	return ""
}

// source makes random decisions from bytes, so that a fuzzer can steer it.
type source struct {
	data []byte
	rnd  *rand.Rand
}

func (r *source) n(n int) int {
	if n <= 0 {
		return 0
	}
	if r.rnd != nil {
		return r.rnd.IntN(n)
	}
	if len(r.data) == 0 {
		return 0
	}
	v := int(r.data[0])
	r.data = r.data[1:]
	if n > 256 && len(r.data) > 0 {
		v |= int(r.data[0]) << 8
		r.data = r.data[1:]
	}
	return v % n
}

func (r *source) more() bool { return r.rnd != nil || len(r.data) > 0 }

func (r *source) color() grid.Color {
	switch r.n(5) {
	case 0:
		return grid.Indexed(uint8(r.n(16)))
	case 1:
		return grid.Indexed(uint8(r.n(256)))
	case 2:
		return grid.RGB(uint8(r.n(256)), uint8(r.n(256)), uint8(r.n(256)))
	}
	return grid.DefaultColor
}

func (r *source) style() grid.Style {
	if r.n(3) == 0 {
		return grid.Style{}
	}
	st := grid.Style{FG: r.color(), BG: r.color()}
	if r.n(2) == 0 {
		st.Attrs = grid.Attr(r.n(256))
		st.Underline = grid.Underline(r.n(6))
		if st.Underline != 0 {
			st.UnderlineColor = r.color()
		}
	}
	return st
}

var texts = []string{"a", "hello world", "────────────────", "日本語", "x日y", "e\u0301", "👩‍🚀", "🇩🇪", "❤\ufe0f", "            ", "aaaaaaaaaaaaaaaaaaa", "\x1b[31m", "tab\there", "\u202eabc", "\ue0b0", "ﬁ", "\u200b", "\xff\xfe", "한글", "ก็"}

// change draws something at random.
func change(r *source, s *Surface, layer *Layer, tab *grid.Table) {
	cols, rows := s.Size()
	switch r.n(9) {
	case 7:
		move(r, s)
	case 8:
		fillRows(r, s)
	case 0:
		s.Fill(Rect{r.n(cols+4) - 2, r.n(rows+4) - 2, r.n(cols + 2), r.n(rows + 2)}, r.style())
	case 1:
		s.Box(Rect{r.n(cols+4) - 2, r.n(rows+4) - 2, r.n(cols + 2), r.n(rows + 2)}, []Border{Light, Heavy, Round}[r.n(3)], r.style())
	case 2:
		row(r, s, layer, tab)
	case 3:
		s.Clear()
	default:
		s.Text(r.n(cols+4)-2, r.n(rows+2)-1, r.n(cols+2), texts[r.n(len(texts))], r.style())
	}
}

// move moves rows up or down, as a program that scrolls does, all columns of them
// or those of a pane.
func move(r *source, s *Surface) {
	cols, rows := s.Size()
	top := r.n(rows)
	bottom := top + r.n(rows-top)
	n := r.n(2*rows+1) - rows
	left := 0
	if r.n(3) == 0 {
		left = r.n(cols)
	}
	old := slices.Clone(s.cells)
	for y := top; y <= bottom; y++ {
		s.mend(y, left, cols)
		for x := left; x < cols; x++ {
			c := grid.Cell{}
			if from := y + n; from >= top && from <= bottom {
				c = old[from*cols+x]
			}
			s.cells[y*cols+x] = c
		}
		if row := s.Row(y); left > 0 && row[left].Span == grid.Tail {
			row[left].Glyph, row[left].Span = 0, grid.Narrow
		}
		s.dirty[y] = true
	}
}

// fillRows gives every row a text of its own, so that a move can be recognised.
func fillRows(r *source, s *Surface) {
	cols, rows := s.Size()
	for y := range rows {
		s.Text(0, y, cols, fmt.Sprintf("%d %s %d of the rows", r.n(1000), texts[r.n(len(texts))], y), r.style())
	}
}

// row lays in a row of a foreign picture, wide characters and nonsense in it.
func row(r *source, s *Surface, layer *Layer, tab *grid.Table) {
	cols, rows := s.Size()
	cells := make([]grid.Cell, r.n(cols+4))
	for i := 0; i < len(cells); i++ {
		st := r.style()
		if r.n(8) == 0 {
			st.Link, _ = tab.Link(fmt.Sprintf("https://example.org/%d", r.n(4)))
		}
		id, _ := tab.StyleID(st)
		cells[i] = grid.Cell{Style: id, Glyph: grid.Glyph("ab é█\x07"[r.n(5)])}
		switch r.n(9) {
		case 0:
			g, _ := tab.Glyph([]byte("日"))
			cells[i] = grid.Cell{Style: id, Glyph: g, Span: grid.Wide}
			if i+1 < len(cells) && r.n(9) > 0 {
				i++
				cells[i] = grid.Cell{Style: id, Span: grid.Tail}
			}
		case 1:
			g, _ := tab.Glyph([]byte("e\u0301"))
			cells[i].Glyph = g
		case 2:
			cells[i] = grid.Cell{Span: grid.Tail}
		}
	}
	layer.Row(s, r.n(cols+2)-1, r.n(rows+2)-1, r.n(cols+2), tab, cells, r.n(6) == 0)
}

// check runs one random sequence of changes, compares after each frame, and
// returns in how many frames rows were moved.
func check(t *testing.T, r *source, caps Caps, frames int) (moves int) {
	t.Helper()
	cols, rows := 1+r.n(40), 1+r.n(12)
	s, w := NewSurface(cols, rows, caps), NewWriter(caps)
	e := vt.New(screen.Options{Cols: cols, Rows: rows})
	// The terminal is not clean at first.
	e.Feed([]byte("\x1b[?1049h\x1b[41mjunk\x1b[5;7Hjunk\x1b[4m"))
	var layer Layer
	tab := grid.NewTable()
	for f := range frames {
		if !r.more() {
			return moves
		}
		switch r.n(30) {
		case 0:
			cols, rows = 1+r.n(40), 1+r.n(12)
			s.Resize(cols, rows)
			e.Resize(cols, rows)
		case 1:
			s.Renew()
			w.Forget()
		case 2:
			w.Clear()
		case 3:
			tab = grid.NewTable()
		}
		if r.n(2) == 0 {
			if r.n(4) == 0 {
				fillRows(r, s)
			} else {
				move(r, s)
			}
		} else {
			for range 1 + r.n(4) {
				change(r, s, &layer, tab)
			}
		}
		cur := Cursor{X: r.n(cols+2) - 1, Y: r.n(rows+2) - 1, Visible: r.n(3) > 0, Shape: uint8(r.n(7))}
		out := string(w.Frame(s, cur))
		e.Feed([]byte(out))
		if strings.Contains(out, "\x1b[r") {
			moves++
		}
		if d := diff(want(s), show(e), cols); d != "" {
			t.Fatalf("frame %d (%dx%d): %s\nwritten: %q", f, cols, rows, d, out)
		}
		st := e.State()
		inside := cur.X >= 0 && cur.Y >= 0 && cur.X < cols && cur.Y < rows
		if st.Cursor.Visible != (cur.Visible && inside) {
			t.Fatalf("frame %d: cursor visible is %v; written: %q", f, st.Cursor.Visible, out)
		}
		if st.Cursor.Visible && (st.Cursor.X != cur.X || st.Cursor.Y != cur.Y || caps.Shapes && st.Cursor.Shape != cur.Shape) {
			t.Fatalf("frame %d: cursor is %+v, want %+v; written: %q", f, st.Cursor, cur, out)
		}
		if st.Sync {
			t.Fatalf("frame %d: a synchronized update was left open: %q", f, out)
		}
		if again := w.Frame(s, cur); again != nil {
			t.Fatalf("frame %d: nothing has changed, but %q was written", f, again)
		}
	}
	return moves
}

// TestTerminalShowsTheSurface is the property that everything else rests on:
// after our bytes a terminal shows the surface's cells.
func TestTerminalShowsTheSurface(t *testing.T) {
	plain := Caps{Profile: colorprofile.TrueColor, Underlines: true}
	moves := 0
	for seed := range uint64(200) {
		caps := allCaps
		if seed%2 == 1 {
			caps = plain
		}
		r := &source{rnd: rand.New(rand.NewPCG(seed, 1))}
		if moves += check(t, r, caps, 40); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if moves < 30 {
		t.Errorf("rows were moved in %d frames only: the test does not see it", moves)
	}
}

func FuzzTerminalShowsTheSurface(f *testing.F) {
	f.Add([]byte("\x14\x05some bytes that draw things at random places"), true)
	f.Add([]byte(strings.Repeat("\x27\x0b\x02\x03\x04", 40)), false)
	f.Fuzz(func(t *testing.T, data []byte, modern bool) {
		caps := allCaps
		if !modern {
			caps = Caps{Profile: colorprofile.TrueColor, Underlines: true}
		}
		check(t, &source{data: data}, caps, 60)
	})
}

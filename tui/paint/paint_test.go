package paint

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/cells"
	"ccdir/sessions/screen"
	"ccdir/sessions/screen/vt"
)

// allCaps is a terminal that can do everything.
var allCaps = Caps{Profile: colorprofile.TrueColor, Sync: true, Erase: true, Repeat: true, Scroll: true, Underlines: true, Links: true, Extended: true, Shapes: true}

// terminalCaps are what terminals can do, from the least to the most: those of the
// environments that docs/terminals.md has, and each ability by itself.
var terminalCaps = func() []Caps {
	out := []Caps{
		allCaps,
		{Profile: colorprofile.TrueColor, Underlines: true},
		{Profile: colorprofile.TrueColor, Erase: true, Links: true},
		{Profile: colorprofile.ANSI256, Repeat: true, Shapes: true},
		{Profile: colorprofile.ANSI, Scroll: true, Underlines: true, Links: true},
		{Profile: colorprofile.ASCII, Sync: true, Scroll: true, Erase: true},
		{Profile: colorprofile.NoTTY},
	}
	for _, env := range []struct {
		term    string
		profile colorprofile.Profile
	}{
		{"xterm-256color", colorprofile.ANSI256}, {"xterm-16color", colorprofile.ANSI}, {"xterm-kitty", colorprofile.TrueColor},
		{"tmux-256color", colorprofile.ANSI256}, {"screen", colorprofile.ANSI256}, {"linux", colorprofile.ANSI}, {"vt220", colorprofile.ASCII},
	} {
		caps := CapsOf(env.profile, func(k string) string { return map[string]string{"TERM": env.term}[k] })
		out = append(out, caps)
		caps.Sync = true
		out = append(out, caps)
	}
	return out
}()

// show is what a terminal shows after bytes.
func show(e screen.Engine) []string {
	cols, rows := e.Size()
	tab := e.Table()
	var out []string
	for y := range rows {
		cells := e.Row(y).Cells
		for x := range cols {
			out = append(out, seen(tab, cells, x))
		}
	}
	return out
}

// want is what a surface says that a terminal should show.
func want(s *Surface) []string {
	var out []string
	for y := range s.rows {
		for x := range s.cols {
			out = append(out, seen(s.tab, s.Row(y), x))
		}
	}
	return out
}

// seen is what can be seen of a cell of a row; of the second half of a wide
// character that of the whole.
func seen(tab *cells.Table, row []cells.Cell, x int) string {
	c, w, text := row[x], 1, ""
	switch c.Span {
	case cells.Tail:
		w = 0
	case cells.Wide:
		w = 2
	}
	if w > 0 {
		text = string(tab.AppendGlyph(nil, c.Glyph))
	} else if x > 0 {
		c = row[x-1]
	}
	st := tab.Style(c.Style)
	uri := tab.LinkURI(st.Link)
	st.Link = 0
	return describe(text, w, st, uri)
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

func (r *source) color() cells.Color {
	switch r.n(5) {
	case 0:
		return cells.Indexed(uint8(r.n(16)))
	case 1:
		return cells.Indexed(uint8(r.n(256)))
	case 2:
		return cells.RGB(uint8(r.n(256)), uint8(r.n(256)), uint8(r.n(256)))
	}
	return cells.DefaultColor
}

func (r *source) style() cells.Style {
	if r.n(3) == 0 {
		return cells.Style{}
	}
	st := cells.Style{FG: r.color(), BG: r.color()}
	if r.n(2) == 0 {
		st.Attrs = cells.Attr(r.n(256))
		st.Underline = cells.Underline(r.n(6))
		if st.Underline != 0 {
			st.UnderlineColor = r.color()
		}
	}
	return st
}

// change draws something at random.
func (p *picture) change(r *source) {
	cols, rows := p.s.Size()
	rect := func() Rect { return Rect{r.n(cols+4) - 2, r.n(rows+4) - 2, r.n(cols + 2), r.n(rows + 2)} }
	switch r.n(11) {
	case 0:
		p.fill(rect(), r.style())
	case 1:
		p.box(rect(), r.n(3), r.style())
	case 2, 3:
		p.row(r.n(cols+2)-1, r.n(rows+2)-1, r.n(cols+2), r.cells(cols), r.n(6) == 0)
	case 4:
		p.s.Clear()
		p.m.clear()
	case 5:
		p.restyle(r.n(cols+4)-2, r.n(rows+2)-1, r.n(cols+2))
	case 6:
		p.scroll(r)
	case 7:
		p.fillRows(r)
	default:
		p.text(r.n(cols+4)-2, r.n(rows+2)-1, r.n(cols+2), "", r.n(len(texts)), r.style())
	}
}

// scroll moves some rows.
func (p *picture) scroll(r *source) {
	cols, rows := p.s.Size()
	top := r.n(rows)
	bottom := top + r.n(rows-top)
	n, left := r.n(2*rows+1)-rows, 0
	if r.n(3) == 0 {
		left = r.n(cols)
	}
	p.move(top, bottom, left, n)
}

// fillRows gives every row a text of its own, so that a move can be recognised, and
// some a text that others have too.
func (p *picture) fillRows(r *source) {
	cols, rows := p.s.Size()
	for y := range rows {
		if r.n(8) == 0 {
			p.fill(Rect{0, y, cols, 1}, cells.Style{})
			continue
		}
		p.text(0, y, cols, fmt.Sprintf("%d %d of the rows ", r.n(1000), y), r.n(len(texts)), r.style())
	}
}

// cells are a row of a foreign picture, wide characters and nonsense in it.
func (r *source) cells(cols int) []modelCell {
	cells := make([]modelCell, r.n(cols+4))
	for i := 0; i < len(cells); i++ {
		c := modelCell{w: 1, st: r.style()}
		if r.n(8) == 0 {
			c.uri = fmt.Sprintf("https://example.org/%d", r.n(4))
		}
		c.text = []string{"a", "b", " ", "é", "█", "\a"}[r.n(6)]
		switch r.n(9) {
		case 0:
			c.text, c.w = []string{"日", "本", "👩‍🚀", "👍🏽"}[r.n(4)], 2
			cells[i] = c
			if i+1 < len(cells) && r.n(9) > 0 {
				i++
				c.text, c.w = "", 0
			}
		case 1:
			c.text = []string{"e\u0301", "a\u0308", "n\u0303"}[r.n(3)]
		case 2:
			c.text, c.w = "", 0
		}
		cells[i] = c
	}
	return cells
}

// overlay is a dialog somewhere inside.
func (r *source) overlay(cols, rows int) *overlay {
	o := &overlay{st: r.style()}
	o.r.X, o.r.Y = r.n(cols), r.n(rows)
	o.r.W, o.r.H = 1+r.n(cols-o.r.X), 1+r.n(rows-o.r.Y)
	for range o.r.H {
		o.rows = append(o.rows, r.n(len(texts)))
	}
	return o
}

// repeated finds characters that are repeated by REP: only ASCII is, because tmux
// repeats nothing else.
var repeated = regexp.MustCompile(`[^ -~]\x1b\[\d*b`)

// check runs one random sequence of changes, compares after each frame, and
// returns in how many frames rows were moved.
func check(t *testing.T, r *source, caps Caps, frames int) (moves int) {
	t.Helper()
	cols, rows := 1+r.n(40), 1+r.n(12)
	p := &picture{s: NewSurface(cols, rows, caps), m: newModel(cols, rows, caps), tab: cells.NewTable()}
	w := NewWriter(caps)
	e := vt.New(screen.Options{Cols: cols, Rows: rows})
	// The terminal is not clean at first.
	e.Feed([]byte("\x1b[?1049h\x1b[41mjunk\x1b[5;7Hjunk\x1b[4m"))
	for f := range frames {
		if !r.more() {
			return moves
		}
		switch r.n(30) {
		case 0:
			cols, rows = 1+r.n(40), 1+r.n(12)
			p.resize(cols, rows)
			e.Resize(cols, rows)
		case 1:
			p.renew()
			w.Forget()
		case 2:
			w.Clear()
		case 3:
			p.tab = cells.NewTable()
		case 4, 5:
			p.open(r.overlay(cols, rows))
		case 6:
			p.shown = nil
		}
		if r.n(2) == 0 {
			if r.n(4) == 0 {
				p.fillRows(r)
			} else {
				p.scroll(r)
			}
		} else {
			for range 1 + r.n(4) {
				p.change(r)
			}
		}
		p.lay()
		cur := Cursor{X: r.n(cols+2) - 1, Y: r.n(rows+2) - 1, Visible: r.n(3) > 0, Shape: uint8(r.n(7))}
		out := string(w.Frame(p.s, cur))
		e.Feed([]byte(out))
		if strings.Contains(out, "\x1b[r") {
			moves++
		}
		shown := show(e)
		if d := diff(want(p.s), shown, cols); d != "" {
			t.Fatalf("frame %d (%dx%d): %s\nwritten: %q", f, cols, rows, d, out)
		}
		if d := diff(p.m.want(), shown, cols); d != "" {
			t.Fatalf("frame %d (%dx%d): the surface is not as drawn: %s\nwritten: %q", f, cols, rows, d, out)
		}
		if bad := repeated.FindString(out); bad != "" {
			t.Fatalf("frame %d: %q is repeated", f, bad)
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
		if again := w.Frame(p.s, cur); again != nil {
			t.Fatalf("frame %d: nothing has changed, but %q was written", f, again)
		}
	}
	return moves
}

// TestTerminalShowsTheSurface is the property that everything else rests on:
// after our bytes a terminal shows what was drawn, as far as it can.
func TestTerminalShowsTheSurface(t *testing.T) {
	moves := 0
	for seed := range uint64(5 * len(terminalCaps)) {
		caps := terminalCaps[seed%uint64(len(terminalCaps))]
		r := &source{rnd: rand.New(rand.NewPCG(seed, 1))}
		if moves += check(t, r, caps, 40); t.Failed() {
			t.Fatalf("seed %d, %+v", seed, caps)
		}
	}
	if moves < 15 {
		t.Errorf("rows were moved in %d frames only: the test does not see it", moves)
	}
}

func FuzzTerminalShowsTheSurface(f *testing.F) {
	f.Add([]byte("\x14\x05some bytes that draw things at random places"), uint8(0))
	f.Add([]byte(strings.Repeat("\x27\x0b\x02\x03\x04", 40)), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, terminal uint8) {
		check(t, &source{data: data}, terminalCaps[int(terminal)%len(terminalCaps)], 60)
	})
}

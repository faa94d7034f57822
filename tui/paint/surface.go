package paint

import (
	"unicode/utf8"

	"ccdir/internal/cells"
)

// Rect is a rectangle of cells.
type Rect struct{ X, Y, W, H int }

// Inset returns r without a border of n cells.
func (r Rect) Inset(n int) Rect {
	return Rect{r.X + n, r.Y + n, max(0, r.W-2*n), max(0, r.H-2*n)}
}

// Contains reports whether the cell x, y lies in r.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// Empty reports whether r holds no cell.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Surface is the wanted picture. Drawing outside it has no effect.
type Surface struct {
	cols, rows int
	cells      []cells.Cell
	dirty      []bool
	tab        *cells.Table
	red        reducer
	full       bool         // tab was full when something was interned
	spent      bool         // the room for addresses that are found in text is used up
	wrapped    []cells.Cell // of LinkURLs: a line of several rows, and an address
	uri        []byte
	traced     []span // the columns of each row that were drawn since Keep; nil outside Keep
}

// NewSurface returns a blank surface for a terminal with those capabilities.
// Negative sizes count as 0.
func NewSurface(cols, rows int, caps Caps) *Surface {
	s := &Surface{tab: cells.NewTable(), red: reducer{caps: caps}}
	s.Resize(cols, rows)
	return s
}

// Resize changes the size and blanks the surface.
func (s *Surface) Resize(cols, rows int) {
	s.cols, s.rows = max(0, cols), max(0, rows)
	s.cells = make([]cells.Cell, s.cols*s.rows)
	s.dirty = make([]bool, s.rows)
	s.Clear()
}

// Size returns the size in cells.
func (s *Surface) Size() (cols, rows int) { return s.cols, s.rows }

// Table is the table of the ids in the surface's cells.
func (s *Surface) Table() *cells.Table { return s.tab }

// Row returns the cells of row y, valid until the next change.
func (s *Surface) Row(y int) []cells.Cell { return s.cells[y*s.cols : (y+1)*s.cols] }

// Clear blanks everything.
func (s *Surface) Clear() {
	clear(s.cells)
	for y := range s.dirty {
		s.dirty[y] = true
	}
}

// Crowded reports that the table is nearly full. Renew helps if many of its entries are no
// longer shown.
func (s *Surface) Crowded() bool {
	return s.full || s.spent || s.tab.Styles() > cells.MaxStyles*3/4 || s.tab.Clusters() > cells.MaxClusters*3/4
}

// Renew starts a new table and blanks the surface. Layers notice that; call a Writer's
// Forget.
func (s *Surface) Renew() {
	s.tab, s.full, s.spent = cells.NewTable(), false, false
	s.Clear()
}

// style interns st as the terminal can show it.
func (s *Surface) style(st cells.Style) cells.StyleID {
	id, ok := s.tab.StyleID(s.red.style(st))
	if !ok {
		s.full = true
	}
	return id
}

// Link is the id of a hyperlink in this surface's styles: 0, which is none, if the terminal
// knows no links, if it is not safe, or if it leads to a file of another machine.
func (s *Surface) Link(uri string) uint8 {
	if !s.red.caps.Links || !cells.SafeLink(uri) || !cells.LinkHere(uri, s.red.caps.Host) {
		return 0
	}
	id, ok := s.tab.Link(uri)
	if !ok {
		s.full = true
	}
	return id
}

// put writes one character of w cells (1 or 2) at x, y, and blanks the other half of wide
// characters that it cuts. The caller has clipped.
func (s *Surface) put(x, y int, g cells.Glyph, id cells.StyleID, w int) {
	row := s.Row(y)
	last := x + w - 1
	if row[x].Span == cells.Tail && x > 0 {
		row[x-1].Glyph, row[x-1].Span = 0, cells.Narrow
	}
	if row[last].Span == cells.Wide && last+1 < s.cols {
		row[last+1].Glyph, row[last+1].Span = 0, cells.Narrow
	}
	if g == ' ' {
		g = 0
	}
	if w == 1 {
		g = s.red.glyph(g)
	}
	if g == 0 && id != 0 && plainBlank(s.tab.Style(id)) {
		id = 0
	}
	row[x] = cells.Cell{Glyph: g, Style: id}
	if w == 2 {
		row[x].Span = cells.Wide
		row[x+1] = cells.Cell{Style: id, Span: cells.Tail}
	}
	s.dirty[y] = true
	if s.traced != nil {
		s.traced[y].add(x, last+1)
	}
}

// Fill blanks r in the style st.
func (s *Surface) Fill(r Rect, st cells.Style) {
	id := s.style(st)
	for y := max(0, r.Y); y < min(s.rows, r.Y+r.H); y++ {
		for x := max(0, r.X); x < min(s.cols, r.X+r.W); x++ {
			s.put(x, y, 0, id, 1)
		}
	}
}

// Text draws str from x, y in at most max columns and returns the columns used. A symbol
// replaces control characters. The text ends before a wide character that does not fit.
func (s *Surface) Text(x, y, max int, str string, st cells.Style) int {
	if y < 0 || y >= s.rows || max <= 0 {
		return 0
	}
	id := s.style(st)
	n := 0
	for i := 0; i < len(str) && n < max; i++ {
		c := str[i]
		if !ascii(str, i) {
			return n + s.clusters(x+n, y, max-n, str[i:], id)
		}
		g := cells.Glyph(c)
		if hostile(rune(c)) {
			g = sign(rune(c))
		}
		if x+n >= 0 && x+n < s.cols {
			s.put(x+n, y, g, id, 1)
		}
		n++
	}
	return n
}

func (s *Surface) clusters(x, y, max int, str string, id cells.StyleID) int {
	n := 0
	for i := 0; i < len(str); {
		size, w := Next(str[i:])
		v := str[i : i+size]
		i += size
		if w <= 0 {
			continue
		}
		if n+w > max {
			break
		}
		if x+n >= 0 && x+n+w <= s.cols {
			s.put(x+n, y, s.glyph([]byte(v)), id, w)
		}
		n += w
	}
	return n
}

// glyph interns a cluster. A hostile first rune is replaced, later ones are dropped.
func (s *Surface) glyph(text []byte) cells.Glyph {
	r, n := utf8.DecodeRune(text)
	if hostile(r) {
		return sign(r)
	}
	// Console fonts have no clusters.
	if n == len(text) || s.red.caps.Glyphs != GlyphsAll || s.red.caps.Sums && !sums(text) {
		return s.red.glyph(cells.Glyph(r))
	}
	clean := text[:n:n]
	for i := n; i < len(text); i += n {
		if r, n = utf8.DecodeRune(text[i:]); !hostile(r) {
			clean = append(clean, text[i:i+n]...)
		}
	}
	g, ok := s.tab.Glyph(clean)
	if !ok {
		s.full = true
	}
	return g
}

// Restyle maps the style of w cells from x, y by f, and of the other halves of wide
// characters among them.
func (s *Surface) Restyle(x, y, w int, f func(cells.Style) cells.Style) {
	x0, x1 := max(0, x), min(s.cols, x+w)
	if y < 0 || y >= s.rows || x0 >= x1 {
		return
	}
	row := s.Row(y)
	if row[x0].Span == cells.Tail {
		x0--
	}
	if row[x1-1].Span == cells.Wide {
		x1++
	}
	for i := x0; i < x1; i++ {
		row[i].Style = s.style(f(s.tab.Style(row[i].Style)))
	}
	s.dirty[y] = true
	if s.traced != nil {
		s.traced[y].add(x0, x1)
	}
}

// Border is the set of characters of a Box.
type Border struct{ H, V, TL, TR, BL, BR rune }

// The borders of panes and dialogs.
var (
	Light = Border{'─', '│', '┌', '┐', '└', '┘'}
	Heavy = Border{'━', '┃', '┏', '┓', '┗', '┛'}
	Round = Border{'─', '│', '╭', '╮', '╰', '╯'}
)

// Box draws the border of r; nothing if r is smaller than 2x2.
func (s *Surface) Box(r Rect, b Border, st cells.Style) {
	if r.W < 2 || r.H < 2 {
		return
	}
	id := s.style(st)
	set := func(x, y int, c rune) {
		if x >= 0 && x < s.cols && y >= 0 && y < s.rows {
			s.put(x, y, cells.Glyph(c), id, 1)
		}
	}
	for x := r.X + 1; x < r.X+r.W-1; x++ {
		set(x, r.Y, b.H)
		set(x, r.Y+r.H-1, b.H)
	}
	for y := r.Y + 1; y < r.Y+r.H-1; y++ {
		set(r.X, y, b.V)
		set(r.X+r.W-1, y, b.V)
	}
	set(r.X, r.Y, b.TL)
	set(r.X+r.W-1, r.Y, b.TR)
	set(r.X, r.Y+r.H-1, b.BL)
	set(r.X+r.W-1, r.Y+r.H-1, b.BR)
}

// Line draws the horizontal line of b along the first row of r.
func (s *Surface) Line(r Rect, b Border, st cells.Style) {
	id := s.style(st)
	for x := r.X; x < r.X+r.W; x++ {
		if x >= 0 && x < s.cols && r.Y >= 0 && r.Y < s.rows {
			s.put(x, r.Y, cells.Glyph(b.H), id, 1)
		}
	}
}

// The arms of a crossing of rules.
const (
	ArmUp = 1 << iota
	ArmRight
	ArmDown
	ArmLeft
)

// crossings are the characters of crossings by their arms: light ones, then heavy ones.
var crossings = [2][16]rune{
	{' ', '╵', '╶', '└', '╷', '│', '╭', '├', '╴', '┘', '─', '┴', '╮', '┤', '┬', '┼'},
	{' ', '╹', '╺', '┗', '╻', '┃', '┏', '┣', '╸', '┛', '━', '┻', '┓', '┫', '┳', '╋'},
}

// Crossing puts the place where rules meet, which has these arms, into a cell. One with a
// heavy arm is heavy.
func (s *Surface) Crossing(x, y, arms int, heavy bool, st cells.Style) {
	if x < 0 || x >= s.cols || y < 0 || y >= s.rows {
		return
	}
	set := crossings[0]
	if heavy {
		set = crossings[1]
	}
	s.put(x, y, cells.Glyph(set[arms&15]), s.style(st), 1)
}

// Ruled reports whether a cell has a part of a horizontal rule, and whether of a heavy one.
func (s *Surface) Ruled(x, y int) (ruled, heavy bool) {
	if x < 0 || x >= s.cols || y < 0 || y >= s.rows {
		return false, false
	}
	switch rune(s.Row(y)[x].Glyph) {
	case Heavy.H:
		return true, true
	case Light.H:
		return true, false
	}
	return false, false
}

// Dump returns the surface as text, one line per row without trailing blanks, for tests.
func (s *Surface) Dump() string {
	var out []byte
	for y := range s.rows {
		out = s.tab.AppendText(out, s.Row(y))
		out = append(out, '\n')
	}
	return string(out)
}

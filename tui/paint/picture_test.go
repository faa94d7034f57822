package paint

import (
	"fmt"
	"slices"
	"strings"

	"ccdir/internal/cells"
)

// picture is a surface and the model of what it is to be.
type picture struct {
	s     *Surface
	m     *model
	layer Layer
	tab   *cells.Table // of the foreign rows

	over  Patch
	shown *overlay // nil: none is open
}

// overlay is a dialog over the picture.
type overlay struct {
	r    Rect
	st   cells.Style
	rows []int // numbers of texts
}

func (p *picture) resize(cols, rows int) {
	p.s.Resize(cols, rows)
	p.m.resize(cols, rows)
	p.shown = nil
}

func (p *picture) renew() {
	p.s.Renew()
	p.m.clear()
	p.shown = nil
}

func (p *picture) fill(r Rect, st cells.Style) {
	p.s.Fill(r, st)
	for y := r.Y; y < r.Y+r.H; y++ {
		for x := r.X; x < r.X+r.W; x++ {
			p.m.put(x, y, modelCell{w: 1, st: st})
		}
	}
}

func (p *picture) box(r Rect, kind int, st cells.Style) {
	p.s.Box(r, []Border{Light, Heavy, Round}[kind], st)
	if r.W < 2 || r.H < 2 {
		return
	}
	signs := []rune([]string{"┌─┐│└┘", "┏━┓┃┗┛", "╭─╮│╰╯"}[kind])
	right, bottom := r.X+r.W-1, r.Y+r.H-1
	for y := r.Y; y <= bottom; y++ {
		for x := r.X; x <= right; x++ {
			sign := -1
			switch {
			case y == r.Y && x == r.X:
				sign = 0
			case y == r.Y && x == right:
				sign = 2
			case y == bottom && x == r.X:
				sign = 4
			case y == bottom && x == right:
				sign = 5
			case y == r.Y, y == bottom:
				sign = 1
			case x == r.X, x == right:
				sign = 3
			}
			if sign >= 0 {
				p.m.put(x, y, modelCell{string(signs[sign]), 1, st, ""})
			}
		}
	}
}

// text draws one of texts, with a number before it.
func (p *picture) text(x, y, most int, number string, which int, st cells.Style) {
	t := texts[which]
	if (p.m.caps.Glyphs != GlyphsAll || p.m.caps.Sums) && t.clusters {
		t = texts[0]
	}
	p.s.Text(x, y, most, number+t.raw, st)
	n := 0
	for _, c := range number {
		if n < most {
			p.m.put(x+n, y, modelCell{string(c), 1, st, ""})
			n++
		}
	}
	for _, c := range t.parts {
		if n+c.w > most {
			break
		}
		p.m.put(x+n, y, modelCell{c.text, c.w, st, ""})
		n += c.w
	}
}

// row lays in a row of a foreign picture: cells as it has them, whole or not.
func (p *picture) row(x, y, width int, line []modelCell, reverse bool) {
	foreign := make([]cells.Cell, len(line))
	for i, c := range line {
		st := c.st
		if c.uri != "" {
			st.Link, _ = p.tab.Link(c.uri)
		}
		id, _ := p.tab.StyleID(st)
		g, _ := p.tab.Glyph([]byte(c.text))
		foreign[i] = cells.Cell{Style: id, Glyph: g, Span: []cells.Span{cells.Tail, cells.Narrow, cells.Wide}[c.w]}
	}
	p.layer.Row(p.s, x, y, width, p.tab, foreign, reverse)
	if x < 0 || x >= p.m.cols || y < 0 || y >= p.m.rows {
		return
	}
	width = min(width, p.m.cols-x)
	for i := range width {
		p.m.put(x+i, y, modelCell{w: 1, st: reversed(cells.Style{}, reverse)})
	}
	for i := 0; i < min(width, len(line)); i++ {
		c := line[i]
		c.st = reversed(c.st, reverse)
		whole := c.w == 1 || c.w == 2 && i+1 < min(width, len(line)) && line[i+1].w == 0
		switch {
		case !whole:
			c.text, c.w = "", 1
		case c.text == "\a":
			c.text = "␇"
		}
		p.m.put(x+i, y, c)
		if c.w == 2 {
			i++
		}
	}
}

func reversed(st cells.Style, reverse bool) cells.Style {
	if reverse {
		st.Attrs ^= cells.Inverse
	}
	return st
}

// restyle swaps the colours of some columns, as a selection does.
func (p *picture) restyle(x, y, w int) {
	swap := func(st cells.Style) cells.Style { return reversed(st, true) }
	p.s.Restyle(x, y, w, swap)
	if y < 0 || y >= p.m.rows {
		return
	}
	from, to := max(0, x), min(p.m.cols, x+w)
	if from < to && p.m.at(from, y).w == 0 { // a half of a wide character counts as the whole
		from--
	}
	if from < to && p.m.at(to-1, y).w == 2 {
		to++
	}
	for i := from; i < to; i++ {
		p.m.at(i, y).st = p.m.reduced(swap(p.m.at(i, y).st))
	}
}

// move moves rows up or down, as a program that scrolls does, all columns of them or
// those of a pane. Rows of which nothing changes don't count as drawn.
func (p *picture) move(top, bottom, left, n int) {
	s, m := p.s, p.m
	old, was := slices.Clone(s.cells), slices.Clone(m.cells)
	for y := top; y <= bottom; y++ {
		s.mend(y, left, s.cols)
		if left > 0 && m.at(left, y).w == 0 {
			m.open(left, y)
		}
		for x := left; x < s.cols; x++ {
			c, d := cells.Cell{}, modelCell{w: 1}
			if from := y + n; from >= top && from <= bottom {
				c, d = old[from*s.cols+x], was[from*s.cols+x]
			}
			s.cells[y*s.cols+x], *m.at(x, y) = c, d
		}
		if row := s.Row(y); left > 0 && row[left].Span == cells.Tail {
			row[left].Glyph, row[left].Span = 0, cells.Narrow
			m.at(left, y).text, m.at(left, y).w = "", 1
			m.at(left, y).st, m.at(left, y).uri = was[(y+n)*s.cols+left-1].st, was[(y+n)*s.cols+left-1].uri
		}
		s.dirty[y] = s.dirty[y] || !slices.Equal(s.Row(y), old[y*s.cols:(y+1)*s.cols])
	}
}

// open draws a dialog and keeps it; lay draws it again.
func (p *picture) open(o *overlay) {
	p.shown = o
	p.s.Keep(&p.over, func() { p.drawOverlay() })
}

func (p *picture) lay() {
	if p.shown == nil {
		return
	}
	p.s.Lay(&p.over)
	s := p.s
	p.s = NewSurface(s.cols, s.rows, s.red.caps) // the model alone
	p.drawOverlay()
	p.s = s
}

func (p *picture) drawOverlay() {
	o := p.shown
	p.fill(o.r, o.st)
	for i, t := range o.rows {
		p.text(o.r.X, o.r.Y+i, o.r.W, "", t, o.st)
	}
}

// part is a character of a text and its columns.
type part struct {
	text string
	w    int
}

// texts are what is drawn, and the characters that have to be seen of it.
var texts = []struct {
	raw      string
	parts    []part
	clusters bool // that consoles, multiplexers and foot show otherwise than in two columns
}{
	{raw: "a", parts: narrow("a")},
	{raw: "hello world", parts: narrow("hello world")},
	{raw: strings.Repeat("─", 16), parts: narrow(strings.Repeat("─", 16))},
	{raw: "日本語", parts: []part{{"日", 2}, {"本", 2}, {"語", 2}}},
	{raw: "x日y", parts: []part{{"x", 1}, {"日", 2}, {"y", 1}}},
	{raw: "e\u0301a\u0308", parts: []part{{"e\u0301", 1}, {"a\u0308", 1}}},
	{raw: "👩‍🚀👍🏽", parts: []part{{"👩‍🚀", 2}, {"👍🏽", 2}}, clusters: true},
	{raw: "🇩🇪", parts: []part{{"🇩🇪", 2}}, clusters: true},
	{raw: "❤\ufe0f", parts: []part{{"❤\ufe0f", 2}}, clusters: true},
	{raw: strings.Repeat(" ", 12), parts: narrow(strings.Repeat(" ", 12))},
	{raw: strings.Repeat("a", 19), parts: narrow(strings.Repeat("a", 19))},
	{raw: "\x1b[31m", parts: narrow("␛[31m")},
	{raw: "tab\there", parts: narrow("tab␉here")},
	{raw: "\u202eabc", parts: narrow("�abc")},
	{raw: "\ue0b0ﬁ", parts: narrow("\ue0b0ﬁ")},
	{raw: "x\u200bz", parts: []part{{"x\u200b", 1}, {"z", 1}}},
	{raw: "\xff\xfe", parts: narrow("��")},
	{raw: "한글", parts: []part{{"한", 2}, {"글", 2}}},
	{raw: "ก็", parts: []part{{"ก็", 1}}},
}

// narrow are the characters of s, each of one column.
func narrow(s string) (out []part) {
	for _, c := range s {
		out = append(out, part{string(c), 1})
	}
	return out
}

// cellByCell writes s to a cleared screen, each cell by itself: what a picture that
// came about by differences has to be equal to.
func cellByCell(s *Surface) string {
	var b strings.Builder
	b.WriteString("\x1b[m\x1b[H\x1b[2J")
	for y := range s.rows {
		for x, c := range s.Row(y) {
			if c.Span == cells.Tail {
				continue
			}
			st := s.tab.Style(c.Style)
			fmt.Fprintf(&b, "\x1b[%d;%dH\x1b[m", y+1, x+1)
			b.Write(appendSGR(nil, cells.Style{}, st))
			if c.Span == cells.Wide { // of which kernels make one column or two
				fmt.Fprintf(&b, "  \x1b[%d;%dH", y+1, x+1)
			}
			b.Write(s.tab.AppendGlyph(nil, c.Glyph))
		}
	}
	return b.String()
}

package core

import (
	"slices"
	"unicode/utf8"

	"ccdir/internal/cells"
)

// Pos is a cell.
type Pos struct{ Line, Col int }

// Before reports whether p is nearer to the beginning than q.
func (p Pos) Before(q Pos) bool { return p.Line < q.Line || p.Line == q.Line && p.Col < q.Col }

// Page is a run of lines whose cells belong to one table.
type Page struct {
	first, cols, cells int
	table              *cells.Table
	rows               []cells.Row
}

// NewPage makes a page of rows, the first of which has the number first, of a
// screen of cols columns. The page keeps table and rows: they must not change
// any more. Blanks of the default style at the ends of rows are cut.
func NewPage(first, cols int, table *cells.Table, rows []cells.Row) *Page {
	p := &Page{first: first, cols: cols, table: table, rows: rows}
	for i, r := range rows {
		n := len(r.Cells)
		for n > 0 && r.Cells[n-1] == (cells.Cell{}) {
			n--
		}
		rows[i].Cells = r.Cells[:n:n]
		p.cells += n
	}
	return p
}

// Buffer is all lines that are known, without gaps. The zero value is empty.
type Buffer struct{ pages []*Page }

// NewBuffer is a buffer of one page.
func NewBuffer(p *Page) Buffer { return Buffer{[]*Page{p}} }

// Prepend returns the buffer with older lines before it; p's last line must be
// the one before First, else the buffer is returned as it is.
func (b Buffer) Prepend(p *Page) Buffer {
	if len(p.rows) == 0 || p.first+len(p.rows) != b.First() {
		return b
	}
	return Buffer{append([]*Page{p}, b.pages...)}
}

// First is the number of the oldest line, End one past the newest.
func (b Buffer) First() int {
	if len(b.pages) == 0 {
		return 0
	}
	return b.pages[0].first
}

// End is one past the number of the newest line.
func (b Buffer) End() int {
	if len(b.pages) == 0 {
		return 0
	}
	last := b.pages[len(b.pages)-1]
	return last.first + len(last.rows)
}

// Cells is how many cells the buffer holds: its memory, 8 bytes each.
func (b Buffer) Cells() (n int) {
	for _, p := range b.pages {
		n += p.cells
	}
	return n
}

// Row returns line n and the table of its cells; a blank one if there is no
// such line.
func (b Buffer) Row(n int) (cells.Row, *cells.Table) {
	p := b.page(n)
	if p == nil {
		return cells.Row{}, nil
	}
	return p.rows[n-p.first], p.table
}

func (b Buffer) page(n int) *Page {
	if n < b.First() || n >= b.End() {
		return nil
	}
	i, found := slices.BinarySearchFunc(b.pages, n, func(p *Page, n int) int { return p.first - n })
	if !found {
		i--
	}
	return b.pages[i]
}

// Len is how many columns of line n are in use: up to its last character.
func (b Buffer) Len(n int) int {
	r, _ := b.Row(n)
	end := len(r.Cells)
	for end > 0 && r.Cells[end-1].Blank() {
		end--
	}
	return end
}

// wrapped reports whether line n goes on in the next one.
func (b Buffer) wrapped(n int) bool {
	r, _ := b.Row(n)
	return r.Wrapped && n+1 < b.End()
}

// head is p, on the first half of a wide character if it is on the second.
func (b Buffer) head(p Pos) Pos {
	r, _ := b.Row(p.Line)
	if p.Col > 0 && p.Col < len(r.Cells) && r.Cells[p.Col].Span == cells.Tail {
		p.Col--
	}
	return p
}

// last is the last column of the character at p.
func (b Buffer) last(p Pos) int {
	r, _ := b.Row(p.Line)
	if p.Col < len(r.Cells) && r.Cells[p.Col].Span == cells.Wide {
		return p.Col + 1
	}
	return p.Col
}

// After is the column after the character at p.
func (b Buffer) After(p Pos) int { return b.last(b.head(p)) + 1 }

// TextLine is the number, from 1, of the line of AllText that row n is in.
func (b Buffer) TextLine(n int) int {
	line := 1
	for i := b.First(); i < min(n, b.End()); i++ {
		if !b.wrapped(i) {
			line++
		}
	}
	return line
}

// rune is the first rune of the character at p, a space where there is none.
func (b Buffer) rune(p Pos) rune {
	r, t := b.Row(p.Line)
	if p.Col < 0 || p.Col >= len(r.Cells) {
		return ' '
	}
	g := r.Cells[p.Col].Glyph
	switch {
	case g == 0:
		return ' '
	case g.IsCluster():
		c, _ := utf8.DecodeRune(t.AppendGlyph(nil, g))
		return c
	}
	return rune(g)
}

// maxGroup bounds how many rows count as one line of text: a program that never
// ends its line must not make each look at it dear.
const maxGroup = 256

// group is the first and the last row of the line of text that row n belongs to.
func (b Buffer) group(n int) (first, last int) {
	first, last = n, n
	for first > b.First() && n-first < maxGroup && b.wrapped(first-1) {
		first--
	}
	for last-n < maxGroup && b.wrapped(last) {
		last++
	}
	return first, last
}

// Join makes a buffer of pages numbered from 0 on, oldest first, so that line
// number screen becomes 0. Of more than maxCells cells the oldest pages are
// left out; the newest one always stays.
func Join(pages []*Page, screen, maxCells int) Buffer {
	from, cells := len(pages), 0
	for from > 0 && (cells == 0 || cells+pages[from-1].cells <= maxCells) {
		from--
		cells += max(1, pages[from].cells)
	}
	b := Buffer{pages[from:]}
	for _, p := range b.pages {
		p.first -= screen
	}
	return b
}

package core

import (
	"slices"

	"ccdir/internal/cells"
)

// pageRows is how many rows a page of lines that were wrapped anew has at most.
const pageRows = 1000

// Reflow returns the buffer with its lines of text wrapped for a screen of cols columns,
// and a function that tells where a cell of the old buffer is in it. The newest row keeps
// its number.
func (b Buffer) Reflow(cols int) (Buffer, func(Pos) Pos) {
	r := reflow{from: b, cols: max(1, cols)}
	r.starts = make([]Pos, 0, b.End()-b.First())
	for n := b.First(); n < b.End(); n++ {
		r.row(n)
	}
	r.turn()
	first := b.End() - len(r.used)
	for i, p := range r.pages {
		r.pages[i] = NewPage(first, r.cols, p.table, p.rows)
		first += len(p.rows)
	}
	return Buffer{r.pages}, r.at
}

// reflow wraps the rows of a buffer anew, one after the other.
type reflow struct {
	from Buffer
	cols int
	// starts is where each old row begins: the row from 0, and the column. used are how
	// many cells of the text each new row has, wraps which of them go on.
	starts []Pos
	used   []int
	wraps  []bool
	// line is the row that is being filled.
	line  []cells.Cell
	pages []*Page
	rows  []cells.Row // of the page that is being filled
	table *cells.Table
	words *words
}

// row takes an old row in.
func (r *reflow) row(n int) {
	page := r.from.page(n)
	row := page.rows[n-page.first]
	goesOn := r.from.wrapped(n)
	length := len(row.Cells)
	if goesOn {
		length = r.from.wrappedLen(n)
	}
	r.starts = append(r.starts, Pos{len(r.used), len(r.line)})
	for x := range length {
		var cell cells.Cell
		if x < len(row.Cells) {
			cell = row.Cells[x]
		}
		if goesOn && cell.Glyph == 0 && cell.Span == cells.Narrow {
			cell.Glyph = ' ' // written, and not left free for a wide character
		}
		width := 1
		if cell.Span == cells.Wide {
			width = 2
		}
		if len(r.line) > 0 && cell.Span != cells.Tail && len(r.line)+width > r.cols {
			r.end(true)
		}
		r.line = append(r.line, r.into(page, cell))
	}
	if !goesOn {
		r.end(false)
	}
}

// end ends the row that is being filled.
func (r *reflow) end(goesOn bool) {
	r.used, r.wraps = append(r.used, len(r.line)), append(r.wraps, goesOn)
	r.rows = append(r.rows, cells.Row{Cells: slices.Clone(r.line), Wrapped: goesOn})
	r.line = r.line[:0]
	if len(r.rows) >= pageRows && !goesOn {
		r.turn()
	}
}

// turn ends the page that is being filled.
func (r *reflow) turn() {
	if len(r.rows) > 0 {
		r.pages = append(r.pages, &Page{table: r.table, rows: r.rows})
	}
	r.rows, r.table, r.words = nil, nil, nil
}

// at is where a cell of the old buffer is.
func (r *reflow) at(p Pos) Pos {
	i := p.Line - r.from.First()
	if i < 0 || i >= len(r.starts) {
		return p
	}
	row, col := r.starts[i].Line, r.starts[i].Col+p.Col
	for row < len(r.used)-1 && r.wraps[row] && col >= r.used[row] {
		col -= r.used[row]
		row++
	}
	return Pos{r.from.End() - len(r.used) + row, min(col, r.cols-1)}
}

// words are what the cells of a page are in another table.
type words struct {
	page   *Page
	styles map[cells.StyleID]cells.StyleID
	glyphs map[cells.Glyph]cells.Glyph
}

// into is a cell of an old page for the one that is being filled.
func (r *reflow) into(page *Page, c cells.Cell) cells.Cell {
	if r.table == nil {
		r.table = cells.NewTable()
	}
	if r.words == nil || r.words.page != page {
		r.words = &words{page, map[cells.StyleID]cells.StyleID{}, map[cells.Glyph]cells.Glyph{}}
	}
	w := r.words
	c.Style = known(w.styles, c.Style, func(id cells.StyleID) cells.StyleID {
		st := page.table.Style(id)
		st.Link, _ = r.table.Link(page.table.LinkURI(st.Link)) // none, or the default style, if there is no room
		to, _ := r.table.StyleID(st)
		return to
	})
	if c.Glyph.IsCluster() {
		c.Glyph = known(w.glyphs, c.Glyph, func(g cells.Glyph) cells.Glyph {
			to, ok := r.table.Glyph(page.table.AppendGlyph(nil, g))
			if !ok {
				return '\ufffd'
			}
			return to
		})
	}
	return c
}

// known is what the zero value stays and others become, which is found out once.
func known[T comparable](m map[T]T, from T, find func(T) T) (to T) {
	var zero T
	if from == zero {
		return zero
	}
	to, ok := m[from]
	if !ok {
		to = find(from)
		m[from] = to
	}
	return to
}

// Reflow wraps the lines of the view for a screen of cols columns. Cursor and selection
// stay on their characters, and the cursor on its row of the view as far as that goes.
func (s *State) Reflow(cols int) {
	b, at := s.Buf.Reflow(cols)
	below := s.Cursor.Line - s.Top
	s.Buf = b
	s.Cursor, s.Anchor = s.clamp(at(s.Cursor)), s.clamp(at(s.Anchor))
	s.want = s.Cursor.Col
	s.Top, s.Left = s.Cursor.Line-below, 0
	s.clampTop()
	s.follow()
}

package vt

import (
	"unicode/utf8"

	"ccdir/internal/cells"
)

// ascii prints a run of characters from 0x20 to 0x7e. This is the hottest path
// of the engine: nothing is decided per character.
func (t *Terminal) ascii(p []byte) {
	if t.mode.insert || !t.charset.plain() {
		for _, b := range p {
			t.print(rune(b))
		}
		return
	}
	pg := t.cur
	last := rune(p[len(p)-1])
	for len(p) > 0 {
		if pg.x >= t.cols {
			if t.mode.wrap {
				t.wrapLine()
			} else { // each character replaces the one in the last column
				pg.x = t.cols - 1
				p = p[len(p)-1:]
			}
		}
		n := min(len(p), t.cols-pg.x)
		l := pg.line()
		row := l.cells
		splitAt(row, pg.x, t.blank())
		splitAt(row, pg.x+n, t.blank())
		dst := row[pg.x : pg.x+n]
		style := t.pen.id
		for i, b := range p[:n] {
			dst[i] = cells.Cell{Glyph: cells.Glyph(b), Style: style}
		}
		pg.x += n
		t.touchText(l, pg.x)
		p = p[n:]
	}
	t.joiner.Start(cells.PropOf(last))
	t.last = lastCluster{joinable: true, repeat: true, x: pg.x - 1}
}

// printRun prints the three-byte characters at the start of p that are clusters
// of their own (CJK, box drawing), as far as they fit the line, and returns how
// many bytes it took. It is print without what such characters never need.
func (t *Terminal) printRun(p []byte) int {
	if t.mode.insert {
		return 0
	}
	pg := t.cur
	l := pg.line()
	row, style := l.cells, t.pen.id
	x, n := pg.x, 0
	var last cells.RuneProp
	head := x
	for {
		r, ok := threeBytes(p[n:])
		if !ok {
			break
		}
		prop := cells.PropOf(r)
		w := prop.Width()
		if c := prop.Class(); x+w > len(row) || w == 0 ||
			c != cells.ClassOther && (c != cells.ClassHangulLV && c != cells.ClassHangulLVT || n == 0 && t.last.joinable) {
			break
		}
		if n == 0 {
			splitAt(row, x, t.blank())
		}
		head = x
		if w == 2 {
			row[x] = cells.Cell{Glyph: cells.Glyph(r), Style: style, Span: cells.Wide}
			row[x+1] = cells.Cell{Style: style, Span: cells.Tail}
		} else {
			row[x] = cells.Cell{Glyph: cells.Glyph(r), Style: style}
		}
		x += w
		n += 3
		last = prop
	}
	if n == 0 {
		return 0
	}
	if x < len(row) && row[x].Span == cells.Tail { // its head was written over
		row[x] = t.blank()
	}
	pg.x = x
	t.touchText(l, x)
	t.joiner.Start(last)
	t.last = lastCluster{joinable: true, repeat: true, x: head}
	return n
}

// print prints one code point of 0x20 or more.
func (t *Terminal) print(r rune) {
	if r < 0x7f && !t.charset.plain() {
		r = t.charset.translate(r)
	}
	p := cells.PropOf(r)
	if p.Class() == cells.ClassOther || !t.last.joinable {
		t.joiner.Start(p)
	} else if join, widen := t.joiner.Next(r, p); join {
		t.join(r, widen)
		return
	}
	w := p.Width()
	if w == 0 {
		// A mark with nothing to stand on: what is under the cursor is no
		// longer what was printed before it.
		t.joiner.Reset()
		return
	}
	t.put(cells.Glyph(r), w)
}

// put writes a cluster of w columns at the cursor and moves the cursor behind
// it.
func (t *Terminal) put(g cells.Glyph, w int) {
	pg := t.cur
	if pg.x+w > t.cols && !t.makeRoom(&w) {
		t.last = lastCluster{}
		return
	}
	l := pg.line()
	row, x := l.cells, pg.x
	if t.mode.insert {
		t.insertCells(row, x, w)
	}
	if row[x].Span == cells.Tail {
		splitAt(row, x, t.blank())
	}
	if e := x + w; e < len(row) && row[e].Span == cells.Tail {
		splitAt(row, e, t.blank())
	}
	if w == 2 {
		row[x] = cells.Cell{Glyph: g, Style: t.pen.id, Span: cells.Wide}
		row[x+1] = cells.Cell{Style: t.pen.id, Span: cells.Tail}
	} else {
		row[x] = cells.Cell{Glyph: g, Style: t.pen.id}
	}
	pg.x = x + w
	if t.mode.insert {
		t.touchLine(l)
	} else {
		t.touchText(l, pg.x)
	}
	t.last = lastCluster{joinable: true, repeat: true, x: x}
}

// makeRoom finds a place for a cluster of *w columns that does not fit behind
// the cursor: in the next line, or, without autowrap, in the last column. It
// reports whether there is one.
func (t *Terminal) makeRoom(w *int) bool {
	pg := t.cur
	if t.cols == 1 {
		*w = 1
	}
	switch {
	case pg.x+*w <= t.cols:
	case t.mode.wrap:
		if pg.x < t.cols { // a wide one, and only the last column is left
			splitAt(pg.line().cells, pg.x, t.blank())
			fill(pg.line().cells[pg.x:], t.blank())
		}
		t.wrapLine()
	default:
		pg.x = t.cols - 1
		return *w == 1 // a wide one is lost, as in xterm
	}
	return true
}

// wrapLine goes to the start of the next line because the text goes on there.
func (t *Terminal) wrapLine() {
	pg := t.cur
	pg.x = 0
	if pg.y == t.rows-1 && pg.y != pg.bottom {
		return // below the scroll region: the last row is written over
	}
	l := pg.line()
	l.wrapped = true
	t.touchText(l, t.cols)
	if pg.y == pg.bottom {
		t.scrollUp(pg.top, pg.bottom, 1, t.pen.blank, true)
		if pg.bottom > pg.top {
			// Scrolling cuts the line off from what stood below the region; the
			// text goes on in the fresh line.
			pg.lines[pg.bottom-1].wrapped = true
		}
	} else {
		pg.y++
	}
}

// join adds r to the last cluster, which takes two columns from now on if
// widen.
func (t *Terminal) join(r rune, widen bool) {
	pg := t.cur
	row := pg.line().cells
	x := t.last.x
	if x >= len(row) {
		return
	}
	t.last.repeat = true
	if g := t.joined(row[x].Glyph, r); g != row[x].Glyph {
		row[x].Glyph = g
		t.touchText(pg.line(), 0)
	}
	if widen && row[x].Span == cells.Narrow {
		t.widen(x)
	}
}

// joined is the cluster of g's text and r: g itself if that is too long or has
// no room.
func (t *Terminal) joined(g cells.Glyph, r rune) cells.Glyph {
	e := &t.intern.joins[(uint32(g)*0x9e3779b1^uint32(r)*0x85ebca6b)>>26]
	if e.from == g && e.with == r {
		return e.to
	}
	var buf [cells.MaxClusterBytes + utf8.UTFMax]byte
	text := t.table.AppendGlyph(buf[:0], g)
	text = utf8.AppendRune(text, r)
	if len(text) > cells.MaxClusterBytes {
		return g
	}
	table := t.table
	to, ok := t.clusterGlyph(text)
	switch {
	case !ok:
		return t.cur.line().cells[t.last.x].Glyph // g, as a new table may call it
	case t.table == table:
		e.from, e.with, e.to = g, r, to
	}
	return to
}

// widen makes the narrow cluster at column x of the cursor's line, the last
// one printed, two columns wide. At the right edge it moves to the next line.
func (t *Terminal) widen(x int) {
	pg := t.cur
	head := pg.line().cells[x]
	if x+1 >= t.cols {
		if !t.mode.wrap || t.cols == 1 {
			return
		}
		pg.line().cells[x] = t.blank()
		t.wrapLine()
		x = 0
	}
	row := pg.line().cells
	splitAt(row, x, t.blank())
	splitAt(row, x+2, t.blank())
	head.Span = cells.Wide
	row[x] = head
	row[x+1] = cells.Cell{Style: head.Style, Span: cells.Tail}
	t.touch()
	pg.x = x + 2
	t.last.x = x
}

// repeat is REP (CSI b): the last cluster n more times, if nothing came after
// it. A number that would fill more than the screen is cut, so that what can be
// seen stays the same.
func (t *Terminal) repeat(n int) {
	if !t.last.repeat {
		return
	}
	cell := t.cur.line().cells[t.last.x]
	w := 1
	if cell.Span == cells.Wide {
		w = 2
	}
	perLine := max(1, t.cols/w)
	if most := max(2048, t.cols*(t.rows+1)) / perLine * perLine; n > most {
		n = most + n%perLine
	}
	for ; n > 0; n-- {
		t.put(cell.Glyph, w)
	}
}

package vt

import (
	"unicode/utf8"

	"ccdir/internal/grid"
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
		cells := pg.line().cells
		splitAt(cells, pg.x, t.blank())
		splitAt(cells, pg.x+n, t.blank())
		dst := cells[pg.x : pg.x+n]
		style := t.pen.id
		for i, b := range p[:n] {
			dst[i] = grid.Cell{Glyph: grid.Glyph(b), Style: style}
		}
		t.touch()
		pg.x += n
		p = p[n:]
	}
	t.joiner.Start(grid.PropOf(last))
	t.last = lastCluster{joinable: true, repeat: true, x: pg.x - 1}
}

// print prints one code point of 0x20 or more.
func (t *Terminal) print(r rune) {
	if r < 0x7f && !t.charset.plain() {
		r = t.charset.translate(r)
	}
	p := grid.PropOf(r)
	if t.last.joinable {
		if join, widen := t.joiner.Next(r, p); join {
			t.join(r, widen)
			return
		}
	} else {
		t.joiner.Start(p)
	}
	w := p.Width()
	if w == 0 {
		// A mark with nothing to stand on: what is under the cursor is no
		// longer what was printed before it.
		t.joiner.Reset()
		return
	}
	t.put(grid.Glyph(r), w)
}

// put writes a cluster of w columns at the cursor and moves the cursor behind
// it.
func (t *Terminal) put(g grid.Glyph, w int) {
	pg := t.cur
	if t.cols == 1 {
		w = 1
	}
	if pg.x+w > t.cols {
		if t.mode.wrap {
			if pg.x < t.cols { // a wide one, and only the last column is left
				splitAt(pg.line().cells, pg.x, t.blank())
				fill(pg.line().cells[pg.x:], t.blank())
			}
			t.wrapLine()
		} else {
			pg.x = t.cols - 1
			if w == 2 { // no room: lost, as in xterm
				t.last = lastCluster{}
				return
			}
		}
	}
	cells := pg.line().cells
	x := pg.x
	if t.mode.insert {
		t.insertCells(cells, x, w)
	}
	splitAt(cells, x, t.blank())
	splitAt(cells, x+w, t.blank())
	if w == 2 {
		cells[x] = grid.Cell{Glyph: g, Style: t.pen.id, Span: grid.Wide}
		cells[x+1] = grid.Cell{Style: t.pen.id, Span: grid.Tail}
	} else {
		cells[x] = grid.Cell{Glyph: g, Style: t.pen.id}
	}
	t.touch()
	pg.x = x + w
	t.last = lastCluster{joinable: true, repeat: true, x: x}
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
	t.touchLine(l)
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
	cells := pg.line().cells
	x := t.last.x
	if x >= len(cells) {
		return
	}
	t.last.repeat = true
	var buf [grid.MaxClusterBytes + utf8.UTFMax]byte
	text := t.table.AppendGlyph(buf[:0], cells[x].Glyph)
	text = utf8.AppendRune(text, r)
	if len(text) <= grid.MaxClusterBytes { // else the mark is dropped
		if g, ok := t.clusterGlyph(text); ok {
			cells[x].Glyph = g
			t.touch()
		}
	}
	if widen && cells[x].Span == grid.Narrow {
		t.widen(x)
	}
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
	cells := pg.line().cells
	splitAt(cells, x, t.blank())
	splitAt(cells, x+2, t.blank())
	head.Span = grid.Wide
	cells[x] = head
	cells[x+1] = grid.Cell{Style: head.Style, Span: grid.Tail}
	t.touch()
	pg.x = x + 2
	t.last.x = x
}

// repeat is REP (CSI b): the last cluster n more times, if nothing came after
// it. A number that would fill the screen several times over is cut, so that
// what can be seen stays the same.
func (t *Terminal) repeat(n int) {
	if !t.last.repeat {
		return
	}
	cell := t.cur.line().cells[t.last.x]
	w := 1
	if cell.Span == grid.Wide {
		w = 2
	}
	perLine := max(1, t.cols/w)
	if most := max(2048, 4*t.cols*t.rows) / perLine * perLine; n > most {
		n = most + n%perLine
	}
	for ; n > 0; n-- {
		t.put(cell.Glyph, w)
	}
}

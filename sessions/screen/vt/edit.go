package vt

import "ccdir/internal/cells"

// insertCells shifts the cells from x right by n, dropping what leaves the row,
// and blanks the gap. No half of a wide character stays behind.
func (t *Terminal) insertCells(cells []cells.Cell, x, n int) {
	blank := t.blank()
	n = min(n, len(cells)-x)
	splitAt(cells, x, blank)
	splitAt(cells, len(cells)-n, blank)
	copy(cells[x+n:], cells[x:len(cells)-n])
	fill(cells[x:x+n], blank)
}

// deleteCells removes n cells from x, shifting the rest left.
func (t *Terminal) deleteCells(cells []cells.Cell, x, n int) {
	blank := t.blank()
	n = min(n, len(cells)-x)
	splitAt(cells, x, blank)
	splitAt(cells, x+n, blank)
	copy(cells[x:], cells[x+n:])
	fill(cells[len(cells)-n:], blank)
}

// insertChars is ICH.
func (t *Terminal) insertChars(n int) {
	t.clampX()
	t.insertCells(t.cur.line().cells, t.cur.x, n)
	t.touch()
}

// deleteChars is DCH.
func (t *Terminal) deleteChars(n int) {
	t.clampX()
	t.deleteCells(t.cur.line().cells, t.cur.x, n)
	t.touch()
}

// eraseChars is ECH.
func (t *Terminal) eraseChars(n int) {
	t.clampX()
	x := t.cur.x
	t.eraseCells(t.cur.line(), x, x+min(n, t.cols-x), false)
}

// eraseCells blanks the columns from to end of a line. selective leaves
// protected cells alone (DECSCA). Erasing up to the right edge ends a soft wrap.
func (t *Terminal) eraseCells(l *line, from, end int, selective bool) {
	from, end = min(from, t.cols), min(end, t.cols)
	if from >= end {
		return
	}
	blank := t.blank()
	used := l.used
	t.touchLine(l)
	if selective && t.protects {
		t.eraseSelectively(l, from, end)
		return
	}
	splitAt(l.cells, from, blank)
	splitAt(l.cells, end, blank)
	fill(l.cells[from:end], blank)
	if end == t.cols {
		l.wrapped = false
	}
	if blank == (cells.Cell{}) {
		if l.used = used; end >= used {
			l.used = min(used, from)
		}
	}
}

func (t *Terminal) eraseSelectively(l *line, from, end int) {
	blank := t.blank()
	id, protected := cells.StyleID(0), false // of the last cell: runs are long
	for x := from; x < end; x++ {
		if c := l.cells[x]; c.Style != id {
			id = c.Style
			protected = t.table.Style(id).Attrs&cells.Protected != 0
		}
		if protected {
			continue
		}
		splitAt(l.cells, x, blank)
		splitAt(l.cells, x+1, blank)
		l.cells[x] = blank
	}
}

// eraseLine is EL and DECSEL.
func (t *Terminal) eraseLine(how int, selective bool) {
	pg := t.cur
	switch how {
	case 0:
		t.eraseCells(pg.line(), pg.x, t.cols, selective)
		if pg.x == 0 {
			t.cutWrap(pg.y - 1)
		}
	case 1:
		t.eraseCells(pg.line(), 0, pg.x+1, selective)
	case 2:
		t.eraseCells(pg.line(), 0, t.cols, selective)
		t.cutWrap(pg.y - 1)
	}
}

// eraseDisplay is ED and DECSED; 3 erases the history alone.
func (t *Terminal) eraseDisplay(how int, selective bool) {
	pg := t.cur
	switch how {
	case 0:
		t.eraseLine(0, selective)
		t.eraseRows(pg.y+1, t.rows, selective)
	case 1:
		t.eraseRows(0, pg.y, selective)
		t.eraseCells(pg.line(), 0, pg.x+1, selective)
		t.cutWrap(pg.y - 1)
	case 2:
		t.eraseRows(0, t.rows, selective)
	case 3:
		t.hist.reset()
	}
}

// eraseRows erases the rows from to end-1 wholly.
func (t *Terminal) eraseRows(from, end int, selective bool) {
	for y := from; y < end; y++ {
		l := t.cur.lines[y]
		t.eraseCells(l, 0, t.cols, selective)
		l.wrapped = false
	}
}

// alignmentTest is DECALN: the screen full of E in the pen's style.
func (t *Terminal) alignmentTest() {
	t.moveOrigin(0, 0)
	for _, l := range t.cur.lines {
		fill(l.cells, cells.Cell{Glyph: 'E', Style: t.pen.id})
		l.wrapped = false
		t.touchLine(l)
	}
}

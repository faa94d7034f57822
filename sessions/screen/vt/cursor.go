package vt

import "ccdir/internal/cells"

// moveTo puts the cursor at column x and row y, clamped to the screen, or in
// origin mode to the scroll region. Rows are absolute.
func (t *Terminal) moveTo(x, y int) {
	pg := t.cur
	pg.x = max(0, min(x, t.cols-1))
	top, bottom := 0, t.rows-1
	if t.mode.origin {
		top, bottom = pg.top, pg.bottom
	}
	pg.y = max(top, min(y, bottom))
}

// moveOrigin is moveTo with a row that counts from the top of the scroll region
// in origin mode.
func (t *Terminal) moveOrigin(x, y int) {
	if t.mode.origin {
		y += t.cur.top
	}
	t.moveTo(x, y)
}

// clampX takes back a pending wrap.
func (t *Terminal) clampX() { t.cur.x = min(t.cur.x, t.cols-1) }

// up is CUU: not past the top margin if the cursor is below it.
func (t *Terminal) up(n int) {
	t.clampX()
	pg := t.cur
	y := pg.y - n
	if pg.y >= pg.top {
		y = max(y, pg.top)
	}
	t.moveTo(pg.x, y)
}

// down is CUD: not past the bottom margin if the cursor is above it.
func (t *Terminal) down(n int) {
	t.clampX()
	pg := t.cur
	y := pg.y + n
	if pg.y <= pg.bottom {
		y = min(y, pg.bottom)
	}
	t.moveTo(pg.x, y)
}

// right is CUF, and left with a negative n.
func (t *Terminal) right(n int) {
	t.clampX()
	t.moveTo(t.cur.x+n, t.cur.y)
}

// lineFeed is LF, VT and FF.
func (t *Terminal) lineFeed() {
	pg := t.cur
	if t.mode.newLine {
		pg.x = 0
	}
	if pg.y != pg.bottom {
		if l := pg.line(); l.wrapped {
			l.wrapped = false
			t.touchText(l, 0)
		}
	}
	t.index()
}

// index is IND: down one row, scrolling at the bottom margin.
func (t *Terminal) index() {
	t.clampX()
	pg := t.cur
	if pg.y == pg.bottom {
		t.scrollUp(pg.top, pg.bottom, 1, t.pen.blank, true)
	} else if pg.y < t.rows-1 {
		pg.y++
	}
}

// reverseIndex is RI: up one row, scrolling at the top margin.
func (t *Terminal) reverseIndex() {
	t.clampX()
	pg := t.cur
	if pg.y == pg.top {
		t.scrollDown(pg.top, pg.bottom, 1, t.pen.blank)
	} else if pg.y > 0 {
		pg.y--
	}
}

// backspace is BS. With reverse wraparound (mode 45) it goes back over a soft
// wrap.
func (t *Terminal) backspace() {
	pg := t.cur
	if !t.mode.reverseWrap {
		t.clampX()
		pg.x = max(0, pg.x-1)
		return
	}
	if pg.x > 0 {
		pg.x--
		return
	}
	if pg.y <= pg.top || pg.y > pg.bottom || !pg.lines[pg.y-1].wrapped {
		return
	}
	pg.y--
	l := pg.line()
	l.wrapped = false
	t.touchLine(l)
	pg.x = t.cols - 1
	if pg.x > 0 && l.cells[pg.x] == (cells.Cell{}) && !pg.lines[pg.y+1].blank() && pg.lines[pg.y+1].cells[0].Span == cells.Wide {
		pg.x-- // the column that a wide character left free
	}
}

// blank reports whether nothing was ever written to the line, or all of it was
// erased.
func (l *line) blank() bool { return contentLen(l.cells) == 0 }

// contentLen is the number of cells up to the last one that was written;
// written spaces count.
func contentLen(row []cells.Cell) int {
	n := len(row)
	for n > 0 && row[n-1].Glyph == 0 && row[n-1].Span != cells.Tail {
		n--
	}
	return n
}

package vt

import "ccdir/internal/cells"

// scrollUp moves the rows top to bottom of the active page up by n; blank rows
// of style blank come in below. Rows that leave the top of the main screen go
// to the history if keep.
func (t *Terminal) scrollUp(top, bottom, n int, blank cells.StyleID, keep bool) {
	pg := t.cur
	height := bottom - top + 1
	n = min(n, height)
	if keep && top == 0 && pg == &t.main {
		for _, l := range pg.lines[:n] {
			t.hist.push(t.table, l.cells[:l.used], l.wrapped)
		}
	} else {
		t.cutWrap(top - 1)
	}
	if n == 1 {
		first := pg.lines[top]
		copy(pg.lines[top:bottom], pg.lines[top+1:bottom+1])
		pg.lines[bottom] = first
	} else {
		rotate(pg.lines[top:bottom+1], n)
	}
	if keep := height - n; keep > 0 {
		t.cutWrap(top + keep - 1)
	}
	t.blankLines(bottom-n+1, bottom, blank)
	t.damage.scroll(top, bottom, n)
}

// scrollDown moves the rows top to bottom down by n; blank rows come in above.
func (t *Terminal) scrollDown(top, bottom, n int, blank cells.StyleID) {
	pg := t.cur
	n = min(n, bottom-top+1)
	t.cutWrap(top - 1)
	rotate(pg.lines[top:bottom+1], bottom-top+1-n)
	t.cutWrap(bottom)
	t.blankLines(top, top+n-1, blank)
	t.damage.scroll(top, bottom, -n)
}

// rotate moves the lines up by n, the first ones coming in at the end.
func rotate(lines []*line, n int) {
	reverse(lines[:n])
	reverse(lines[n:])
	reverse(lines)
}

func reverse(lines []*line) {
	for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
		lines[i], lines[j] = lines[j], lines[i]
	}
}

// blankLines erases the rows top to bottom.
func (t *Terminal) blankLines(top, bottom int, style cells.StyleID) {
	for _, l := range t.cur.lines[top : bottom+1] {
		l.wrapped = false
		if style == 0 {
			clear(l.cells[:l.used])
			l.used = 0
			t.touchText(l, 0)
			continue
		}
		fill(l.cells, cells.Cell{Style: style})
		t.touchLine(l)
	}
}

// cutWrap ends the soft wrap of row y: what follows it is not its text now.
// Row -1 is the newest line of the history.
func (t *Terminal) cutWrap(y int) {
	if y < 0 {
		if t.cur == &t.main {
			t.hist.cutWrap()
		}
		return
	}
	if l := t.cur.lines[y]; l.wrapped {
		l.wrapped = false
		t.touchText(l, 0)
	}
}

// insertLines is IL: only inside the scroll region.
func (t *Terminal) insertLines(n int) {
	pg := t.cur
	if pg.y < pg.top || pg.y > pg.bottom {
		t.clampX()
		return
	}
	t.scrollDown(pg.y, pg.bottom, n, t.pen.blank)
	pg.x = 0
}

// deleteLines is DL: only inside the scroll region. Nothing goes to the
// history.
func (t *Terminal) deleteLines(n int) {
	pg := t.cur
	if pg.y < pg.top || pg.y > pg.bottom {
		t.clampX()
		return
	}
	t.scrollUp(pg.y, pg.bottom, n, t.pen.blank, false)
	pg.x = 0
}

// setMargins is DECSTBM. Rows are one-based; 0 is the default.
func (t *Terminal) setMargins(top, bottom int) {
	top = max(top, 1)
	if bottom == 0 || bottom > t.rows {
		bottom = t.rows
	}
	if bottom <= top {
		return
	}
	t.cur.top, t.cur.bottom = top-1, bottom-1
	t.moveOrigin(0, 0)
}

// columns shifts the rest of every row of the scroll region right by n columns
// from column x (left if n is negative): SL, SR, DECIC, DECDC.
func (t *Terminal) columns(x, n int) {
	pg := t.cur
	if pg.y < pg.top || pg.y > pg.bottom {
		return
	}
	x = min(x, t.cols-1)
	for y := pg.top; y <= pg.bottom; y++ {
		cells := pg.lines[y].cells
		if n > 0 {
			t.insertCells(cells, x, n)
		} else {
			t.deleteCells(cells, x, -n)
		}
		pg.lines[y].wrapped = false
		t.touchLine(pg.lines[y])
	}
}

package vt

import "ccdir/internal/cells"

// Resize implements [screen.Engine].
//
// Main screen: rows change first. A lower screen loses the rows below the
// cursor, then pushes rows from its top into the history; a higher one takes
// rows back from the history if the cursor is in the last row, else gets blank
// ones. Then columns change: soft-wrapped lines are wrapped anew, history
// included, and the cursor and the saved cursor stay at their characters. Text that a lower screen cut
// off below the cursor comes back when the screen grows, unless the application
// has drawn in between.
//
// The alternate screen is clipped and padded; its application redraws.
//
// Margins and a pending wrap are reset, as in xterm.js.
func (t *Terminal) Resize(cols, rows int) {
	cols, rows = clampSize(cols, rows)
	if cols == t.cols && rows == t.rows {
		return
	}
	before := t.State()
	t.damage.next = t.damage.gen + 1
	oldCols := t.cols
	t.resizeMainRows(rows)
	t.resizeAlt(cols, rows)
	t.rows = rows
	if cols != oldCols {
		t.cols = cols
		t.reflow(oldCols)
		t.tabs = resizeTabs(t.tabs, cols)
	} else {
		t.main.x, t.main.saved.x = min(t.main.x, cols-1), min(t.main.saved.x, cols-1)
	}
	t.alt.x, t.alt.saved.x = min(t.alt.x, cols-1), min(t.alt.saved.x, cols-1)
	for _, pg := range []*page{&t.main, &t.alt} {
		pg.top, pg.bottom = 0, rows-1
		pg.y = min(pg.y, rows-1)
	}
	t.switched()
	t.settle(before)
}

// resizeMainRows gives the main screen another height at the old width.
func (t *Terminal) resizeMainRows(rows int) {
	pg := &t.main
	old := len(pg.lines)
	switch {
	case rows < old:
		drop := min(old-rows, old-1-pg.y)
		t.cutOff(pg.lines[old-drop:])
		pg.lines = pg.lines[:old-drop]
		up := len(pg.lines) - rows
		for _, l := range pg.lines[:up] {
			t.hist.push(t.table, l.cells, l.wrapped)
		}
		pg.lines = pg.lines[up:]
		pg.y -= up
		pg.saved.shift(-up)
	case rows > old:
		for pg.y == len(pg.lines)-1 && len(t.below) == 0 && len(pg.lines) < rows && t.hist.len() > 0 {
			row, full := t.hist.pop(t.table)
			t.intern.wanted = t.intern.wanted || full
			l := &line{cells: fitCells(row.Cells, t.cols), wrapped: row.Wrapped}
			pg.lines = append([]*line{l}, pg.lines...)
			pg.y++
			pg.saved.shift(1)
		}
		for len(pg.lines) < rows {
			pg.lines = append(pg.lines, t.takeBelow())
		}
	}
	t.settleLines(pg)
}

// settleLines packs the page's lines into memory of its own size, so that
// neither old cells nor old heads are kept, and dates them.
func (t *Terminal) settleLines(pg *page) {
	if len(pg.lines) == 0 {
		return
	}
	old := *pg
	pg.alloc(len(old.lines[0].cells), len(old.lines))
	for y, l := range old.lines {
		copy(pg.lines[y].cells, l.cells)
		pg.lines[y].wrapped = l.wrapped
		pg.lines[y].edited = t.damage.next
	}
}

// cutOff keeps the cells of lines that the screen loses at its bottom, up to
// the last one with text, in front of those lost before.
func (t *Terminal) cutOff(lines []*line) {
	var keep []wrappedRow
	for _, l := range lines {
		keep = append(keep, wrappedRow{l.cells, l.wrapped})
	}
	t.below = trimBelow(append(keep, t.below...))
}

// trimBelow drops blank lines at the end, and everything beyond a bound.
func trimBelow(lines []wrappedRow) []wrappedRow {
	const most = 1000
	lines = lines[:min(len(lines), most)]
	for len(lines) > 0 && contentLen(lines[len(lines)-1].cells) == 0 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// takeBelow returns the next line to stand at the bottom: one cut off before,
// or a blank one.
func (t *Terminal) takeBelow() *line {
	if len(t.below) == 0 {
		return &line{cells: make([]cells.Cell, t.cols)}
	}
	r := t.below[0]
	t.below = t.below[1:]
	return &line{cells: fitCells(r.cells, t.cols), wrapped: r.wrapped}
}

// resizeAlt clips and pads the alternate screen. Rows go below the cursor
// first, then from the top.
func (t *Terminal) resizeAlt(cols, rows int) {
	pg := &t.alt
	if len(pg.lines) == 0 {
		return
	}
	if t.cur != pg { // shown blank when it is entered
		pg.lines = nil
		return
	}
	old := *pg
	up := max(0, pg.y-rows+1)
	pg.alloc(cols, rows)
	for y, l := range pg.lines {
		if y+up < len(old.lines) {
			copy(l.cells, fitCells(old.lines[y+up].cells, cols))
		}
		l.edited = t.damage.next
	}
	pg.y -= up
	pg.saved.shift(-up)
}

// fitCells returns a copy of cells with n columns, clipped or padded. A wide
// character is not cut in half.
func fitCells(row []cells.Cell, n int) []cells.Cell {
	out := make([]cells.Cell, n)
	copy(out, row)
	if n < len(row) && row[n].Span == cells.Tail {
		out[n-1] = cells.Cell{}
	}
	return out
}

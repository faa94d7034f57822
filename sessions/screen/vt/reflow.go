package vt

import "ccdir/internal/cells"

// reflow wraps the main screen and the history anew for t.cols columns; they
// were wrapped for oldCols. The page has t.rows lines of oldCols cells.
func (t *Terminal) reflow(oldCols int) {
	pg := &t.main
	hadHistory := t.hist.len() > 0
	rest := t.reflowHistory(oldCols)

	// The screen's lines and those cut off below it, as logical lines.
	w := wrapper{cols: t.cols, oldCols: oldCols, cursorRow: -1}
	w.cells, w.inWrapped = rest, len(rest) > 0
	for y, l := range pg.lines {
		if y == pg.y {
			w.markCursor(pg.x)
		}
		w.add(l.cells, l.wrapped)
	}
	if len(t.below) == 0 {
		w.flush()
	}
	total := len(w.rows)
	for _, r := range t.below {
		w.add(r.cells, r.wrapped)
	}
	w.flush()

	off := t.reflowOffset(w.cursorRow, total, oldCols, hadHistory)
	for ; off < 0 && t.hist.len() > 0; off++ {
		row, full := t.hist.pop(t.table)
		t.intern.wanted = t.intern.wanted || full
		w.rows = append([]wrappedRow{{fitCells(row.Cells, t.cols), row.Wrapped}}, w.rows...)
		w.cursorRow++
	}
	off = max(0, off)
	for _, r := range w.rows[:off] {
		t.hist.push(t.table, r.cells, r.wrapped)
	}
	w.rows = w.rows[off:]
	t.placeRows(w.rows, w.cursorRow-off, w.cursorX)
}

// reflowOffset says how many of the wrapped rows, of which total belong to the
// screen, go to the history; negative: how many come back from it. As in
// xterm.js, the screen's bottom stays where it is when there is history, else
// its top; the cursor stays visible.
func (t *Terminal) reflowOffset(cursor, total, oldCols int, hadHistory bool) int {
	off := total - t.rows
	if !hadHistory && t.cols < oldCols {
		off = cursor - (t.rows - 1)
	}
	if !hadHistory || t.hist.len() == 0 {
		off = max(off, 0)
	}
	return min(off, cursor)
}

// placeRows makes rows the lines of the main screen; what does not fit is kept
// below it.
func (t *Terminal) placeRows(rows []wrappedRow, cursorRow, cursorX int) {
	pg := &t.main
	shift := cursorRow - pg.y
	saved := pg.saved
	saved.y += shift
	pg.alloc(t.cols, t.rows)
	for y, l := range pg.lines {
		if y < len(rows) {
			copy(l.cells, rows[y].cells)
			l.wrapped = rows[y].wrapped
		}
		l.edited = t.damage.next
	}
	t.below = nil
	if len(rows) > t.rows {
		t.below = trimBelow(rows[t.rows:])
	}
	pg.x, pg.y = cursorX, cursorRow
	pg.saved = saved
}

// wrappedRow is one row of the new width.
type wrappedRow struct {
	cells   []cells.Cell
	wrapped bool
}

// wrapper joins soft-wrapped rows to logical lines and wraps those for another
// width.
type wrapper struct {
	cols, oldCols int
	rows          []wrappedRow
	cells         []cells.Cell // the logical line so far

	cursorAt           int // the cursor's index in cells + 1; 0: not in this line
	cursorRow, cursorX int
	inWrapped          bool // the last row added wraps
}

// markCursor notes that the next row added has the cursor, in column x.
func (w *wrapper) markCursor(x int) { w.cursorAt = len(w.cells) + x + 1 }

// add appends a row to the logical line and ends that if the row does not wrap.
func (w *wrapper) add(row []cells.Cell, wrapped bool) {
	w.close(row)
	if wrapped {
		w.cells = append(w.cells, row...)
		for range w.oldCols - len(row) { // the history cuts blanks off
			w.cells = append(w.cells, cells.Cell{})
		}
		w.inWrapped = true
		return
	}
	if !w.inWrapped && len(w.cells) == 0 && contentLen(row) <= w.cols {
		w.addWhole(row)
		return
	}
	w.cells = append(w.cells, row[:contentLen(row)]...)
	w.end()
}

// close takes the last column off the logical line if it had to stay free
// because next, the row that goes on, begins with a wide character.
func (w *wrapper) close(next []cells.Cell) {
	last := len(w.cells) - 1
	if !w.inWrapped || last < 0 || w.cells[last].Glyph != 0 || w.cells[last].Span != cells.Narrow ||
		len(next) == 0 || next[0].Span != cells.Wide {
		return
	}
	w.cells = w.cells[:last]
	if w.cursorAt > last+1 {
		w.cursorAt--
	}
}

// flush ends a logical line that was still going on.
func (w *wrapper) flush() {
	if w.inWrapped || len(w.cells) > 0 {
		w.end()
	}
}

// addWhole takes a row that fits as it is, its erased cells with their
// background included.
func (w *wrapper) addWhole(cells []cells.Cell) {
	if w.cursorAt > 0 {
		w.setCursor(len(w.rows), min(w.cursorAt-1, w.cols-1))
	}
	w.rows = append(w.rows, wrappedRow{cells: fitCells(cells, w.cols)})
}

func (w *wrapper) setCursor(row, x int) {
	w.cursorRow, w.cursorX, w.cursorAt = row, x, 0
}

// end wraps the logical line.
func (w *wrapper) end() {
	run := w.cells
	at := 0
	for first := true; first || at < len(run); first = false {
		n := w.fits(run[at:])
		used := n
		if at+n < len(run) && run[at+n].Span == cells.Tail {
			used++ // one column: the second half has no place
		}
		last := at+used == len(run)
		if w.cursorAt > 0 && (w.cursorAt-1 < at+used || last) {
			x := w.cursorAt - 1 - at
			if x != n { // right after the text a wrap may be pending
				x = min(x, w.cols-1)
			}
			w.setCursor(len(w.rows), x)
		}
		row := make([]cells.Cell, w.cols)
		copy(row, run[at:at+n])
		if w.cols == 1 {
			narrow(row)
		}
		w.rows = append(w.rows, wrappedRow{row, !last})
		at += used
	}
	w.cells = w.cells[:0]
	w.inWrapped = false
}

// fits says how many of the cells go into one row.
func (w *wrapper) fits(row []cells.Cell) int {
	n := min(w.cols, len(row))
	if n > 1 && n < len(row) && row[n].Span == cells.Tail {
		n--
	}
	return n
}

// narrow makes wide characters fit a screen of one column.
func narrow(row []cells.Cell) {
	for i := range row {
		row[i].Span = cells.Narrow
	}
}

// reflowHistory wraps the history anew. What belongs to a logical line that goes
// on in the screen is returned instead, to be wrapped with it.
func (t *Terminal) reflowHistory(oldCols int) (rest []cells.Cell) {
	old := t.hist
	if old.len() == 0 {
		return nil
	}
	h := newHistory(old.maxLines, old.maxBytes)
	h.first, h.total = old.first, old.first
	h.epoch = old.epoch + 1
	table := cells.NewTable()
	w := wrapper{cols: t.cols, oldCols: oldCols, cursorRow: -1}
	for i := range old.len() {
		c, k := old.find(i)
		raw := c.line(k)
		if !w.inWrapped && len(c.links) == 0 && shortLine(raw, t.cols) {
			h.pushRaw(c, k)
			continue
		}
		if !w.inWrapped && tableStrained(table) {
			table = cells.NewTable()
		}
		row, _ := old.row(i, table)
		w.add(row.Cells, row.Wrapped)
		for _, r := range w.rows {
			h.push(table, r.cells, r.wrapped)
		}
		w.rows = w.rows[:0]
	}
	t.hist = h
	if !w.inWrapped {
		return nil
	}
	m := remap{from: table, to: t.table, styles: map[cells.StyleID]cells.StyleID{0: 0}, glyphs: map[cells.Glyph]cells.Glyph{}}
	m.cells(w.cells)
	return w.cells
}

// tableStrained reports whether a table that only serves re-wrapping should be
// replaced before the next line.
func tableStrained(t *cells.Table) bool {
	return t.Styles() > cells.MaxStyles/2 || t.Clusters() > cells.MaxClusters/2
}

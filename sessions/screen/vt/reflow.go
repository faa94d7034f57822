package vt

import "ccdir/internal/cells"

// reflow wraps the main screen and the history anew for t.cols columns; they
// were wrapped for oldCols. The page has t.rows lines of oldCols cells.
func (t *Terminal) reflow(oldCols int) {
	pg := &t.main
	hadHistory := t.hist.len() > 0
	rest := t.reflowHistory(oldCols)

	// The screen's lines and those cut off below it, as logical lines.
	w := wrapper{cols: t.cols, oldCols: oldCols}
	w.cells, w.inWrapped = rest, len(rest) > 0
	cursor, saved := &w.marks[0], &w.marks[1]
	for y, l := range pg.lines {
		if y == pg.y {
			w.mark(cursor, pg.x)
		}
		if y == pg.saved.y {
			w.mark(saved, pg.saved.x)
		}
		w.add(l.cells, l.wrapped)
	}
	if len(t.below) == 0 {
		w.flush()
	}
	total := len(w.rows)
	for i, r := range t.below {
		if len(pg.lines)+i == pg.saved.y {
			w.mark(saved, pg.saved.x)
		}
		w.add(r.cells, r.wrapped)
	}
	w.flush()
	if !saved.placed { // in the history, or below all text
		saved.row, saved.x = pg.saved.y+cursor.row-pg.y, min(pg.saved.x, t.cols-1)
	}

	off := t.reflowOffset(cursor.row, total, oldCols, hadHistory)
	for ; off < 0 && t.hist.len() > 0; off++ {
		row, full := t.hist.pop(t.table)
		t.intern.wanted = t.intern.wanted || full
		w.rows = append([]wrappedRow{{fitCells(row.Cells, t.cols), row.Wrapped}}, w.rows...)
		cursor.row++
		saved.row++
	}
	off = max(0, off)
	for _, r := range w.rows[:off] {
		t.hist.push(t.table, r.cells, r.wrapped)
	}
	t.placeRows(w.rows[off:])
	pg.x, pg.y = cursor.x, cursor.row-off
	if pg.saved.kept {
		pg.saved.x, pg.saved.y = saved.x, saved.row-off
	}
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
func (t *Terminal) placeRows(rows []wrappedRow) {
	pg := &t.main
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

	marks     [2]mark // the cursor's and the saved cursor's
	inWrapped bool    // the last row added wraps
}

// mark is a position that stays at its character.
type mark struct {
	at     int // index in the wrapper's cells + 1; 0: not in this line
	row, x int // where it is in the wrapper's rows
	placed bool
}

func (m *mark) place(row, x int) { *m = mark{row: row, x: x, placed: true} }

// mark notes that m is in the next row added, in column x.
func (w *wrapper) mark(m *mark, x int) { m.at = len(w.cells) + x + 1 }

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
	for i := range w.marks {
		if m := &w.marks[i]; m.at > last+1 {
			m.at--
		}
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
	for i := range w.marks {
		if m := &w.marks[i]; m.at > 0 {
			m.place(len(w.rows), min(m.at-1, w.cols-1))
		}
	}
	w.rows = append(w.rows, wrappedRow{cells: fitCells(cells, w.cols)})
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
		w.placeMarks(at, n, used, last)
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

// placeMarks places the marks in the next row: n cells of the logical line from index at,
// which take used of its cells; last: it is the line's last row.
func (w *wrapper) placeMarks(at, n, used int, last bool) {
	for i := range w.marks {
		m := &w.marks[i]
		if m.at == 0 || m.at-1 >= at+used && !last {
			continue
		}
		x := m.at - 1 - at
		if x != n { // right after the text a wrap may be pending
			x = min(x, w.cols-1)
		}
		m.place(len(w.rows), x)
	}
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
	w := wrapper{cols: t.cols, oldCols: oldCols}
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

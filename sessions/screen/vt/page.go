package vt

import "ccdir/internal/cells"

// line is one row of a page. Scrolling moves the pointer, not the cells.
type line struct {
	cells   []cells.Cell
	edited  uint64 // generation of the last change of cells or wrapped
	wrapped bool   // the text goes on in the next row

	// used bounds the cells that were written: those from here on are zero.
	// Only printing and scrolling keep it exact; it spares them work.
	used int
}

// page is one of the two screens: its lines, its cursor and its scroll region.
type page struct {
	lines []*line
	moved []uint64 // generation at which another line came to stand in a row

	// x is the cursor's column, 0 to cols: cols means that the last column is
	// filled and the next character wraps.
	x, y        int
	top, bottom int // scroll region, inclusive
	saved       savedCursor
}

// alloc gives the page blank lines; one allocation holds all cells.
func (p *page) alloc(cols, rows int) {
	all := make([]cells.Cell, cols*rows)
	heads := make([]line, rows)
	p.lines = make([]*line, rows)
	p.moved = make([]uint64, rows)
	for y := range p.lines {
		heads[y].used = cols
		heads[y].cells = all[y*cols : (y+1)*cols : (y+1)*cols]
		p.lines[y] = &heads[y]
	}
	p.top, p.bottom = 0, rows-1
}

func (p *page) home() { p.x, p.y = 0, 0 }

// line returns the cursor's line.
func (p *page) line() *line { return p.lines[p.y] }

// fill sets cells to c.
func fill(all []cells.Cell, c cells.Cell) {
	if c == (cells.Cell{}) {
		clear(all)
		return
	}
	for i := range all {
		all[i] = c
	}
}

// splitAt makes sure that no wide character spans the columns x-1 and x: both
// halves of one that does are blanked, keeping their style's background.
func splitAt(row []cells.Cell, x int, blank cells.Cell) {
	if x > 0 && x < len(row) && row[x].Span == cells.Tail {
		row[x-1], row[x] = blank, blank
	}
}

// switched marks that the active page shows something else altogether.
func (t *Terminal) switched() {
	t.last = lastCluster{}
	t.damage.barrier()
	t.touchAll()
}

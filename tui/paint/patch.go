package paint

import (
	"slices"

	"ccdir/internal/cells"
)

// Patch keeps cells that were drawn over a Surface, to draw them again after something
// below them has changed. The zero value is empty. It is valid for one surface, with the
// size and table of the time of Keep.
type Patch struct {
	rows  []span
	cells []cells.Cell
}

// span is a range of columns from x0 up to, not including, x1.
type span struct{ x0, x1 int }

func (p *span) add(x0, x1 int) {
	switch {
	case x0 >= x1:
	case p.x0 == p.x1:
		*p = span{x0, x1}
	default:
		p.x0, p.x1 = min(p.x0, x0), max(p.x1, x1)
	}
}

// Keep calls draw and copies into p, for each row, the cells from the first to the last one
// that it has drawn.
func (s *Surface) Keep(p *Patch, draw func()) {
	p.rows = slices.Grow(p.rows[:0], s.rows)[:s.rows]
	clear(p.rows)
	s.traced = p.rows
	draw()
	s.traced = nil
	p.cells = p.cells[:0]
	for y, at := range p.rows {
		p.cells = append(p.cells, s.Row(y)[at.x0:at.x1]...)
	}
}

// Lay draws p again over the rows that have changed since the last frame.
func (s *Surface) Lay(p *Patch) {
	from := 0
	for y, at := range p.rows {
		n := at.x1 - at.x0
		if n > 0 && s.dirty[y] {
			s.mend(y, at.x0, at.x1)
			copy(s.Row(y)[at.x0:at.x1], p.cells[from:from+n])
		}
		from += n
	}
}

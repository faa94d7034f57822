package paint

import (
	"slices"

	"ccdir/internal/cells"
)

// Patch is what was drawn over a Surface, to be laid over it again when something
// below was drawn anew. The zero value is empty. It holds for the surface, its size
// and its table that it was kept of.
type Patch struct {
	rows  []span
	cells []cells.Cell
}

// span are columns of a row: from x0 up to x1, none if those are equal.
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

// Keep calls draw and puts into p what it has drawn: of each row everything from
// the first cell to the last.
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

package tiling

import (
	"slices"

	"ccdir/tui/paint"
)

// Side is a side of a pane, and a direction.
type Side int

// The sides.
const (
	Left Side = iota
	Down
	Up
	Right
)

// Border is the border behind a line, or behind a cell of it.
type Border struct {
	// Line is the number of the line, Cell that of the cell in it, or -1 for the
	// border behind the whole line.
	Line, Cell int
	// Upright: it is moved to the left and right, else up and down.
	Upright bool
	// At is where what is behind it begins, in cells of the terminal.
	At int
}

// border is the Border behind a cell of a line, or behind the line itself (cell -1).
func (p Plan) border(line, cell int) Border {
	b := Border{Line: line, Cell: cell, Upright: p.Shape.Columns == (cell < 0)}
	if cell < 0 {
		b.At = p.lines[line+1]
	} else {
		b.At = p.cells[line][cell+1]
	}
	if b.Upright {
		b.At += p.area.X
	} else {
		b.At += p.area.Y
	}
	return b
}

// index is the line and cell of pane i.
func (p Plan) index(i int) (line, cell int) {
	for line, n := range p.Shape.Cells {
		if i < n {
			return line, i
		}
		i -= n
	}
	return -1, -1
}

// BorderOf is the border that a person moves when the focus is in pane i: the
// one at its right or lower side, else the one at its left or upper side.
func (p Plan) BorderOf(i int, upright bool) (Border, bool) {
	line, cell := p.index(i)
	if line < 0 {
		return Border{}, false
	}
	if p.Shape.Columns == upright { // between lines
		switch {
		case line+1 < len(p.Shape.Cells):
			return p.border(line, -1), true
		case line > 0:
			return p.border(line-1, -1), true
		}
		return Border{}, false
	}
	switch {
	case cell+1 < p.Shape.Cells[line]:
		return p.border(line, cell), true
	case cell > 0:
		return p.border(line, cell-1), true
	}
	return Border{}, false
}

// BorderAt is the border below a cell of the terminal: the rule at the right of a pane,
// which is its last column here, or the row of its title, the rule between it and the pane
// above.
func (p Plan) BorderAt(x, y int) (Border, bool) {
	if !p.area.Contains(x, y) {
		return Border{}, false
	}
	i := slices.IndexFunc(p.Panes, func(r paint.Rect) bool { return r.Contains(x, y) })
	if i < 0 {
		return Border{}, false
	}
	r := p.Panes[i]
	line, cell := p.index(i)
	// Before and behind the pane among the lines, and among the cells of its line.
	title, rule := y == r.Y, x == r.X+r.W-1
	before, cellBefore, behind, cellBehind := title, false, false, rule
	if p.Shape.Columns {
		before, cellBefore, behind, cellBehind = false, title, rule, false
	}
	switch {
	case cellBehind && cell+1 < p.Shape.Cells[line]:
		return p.border(line, cell), true
	case behind && line+1 < len(p.Shape.Cells):
		return p.border(line, -1), true
	case cellBefore && cell > 0:
		return p.border(line, cell-1), true
	case before && line > 0:
		return p.border(line-1, -1), true
	}
	return Border{}, false
}

// Move returns the sizes of the plan's shape with a border moved to a position
// on the terminal, as far as the panes at its sides stay large enough. Other
// borders stay.
func (p Plan) Move(b Border, to int) Sizes {
	out := p.sizes()
	along, across := p.area.H, p.area.W
	least, leastCell := p.limits.MinH, p.limits.MinW
	if p.Shape.Columns {
		along, across, least, leastCell = across, along, leastCell, least
	}
	origin := p.area.Y
	if b.Upright {
		origin = p.area.X
	}
	to -= origin
	switch {
	case b.Line < 0 || b.Line >= len(p.Shape.Cells):
	case b.Cell < 0 && b.Line+1 < len(p.Shape.Cells):
		out.Lines[b.Line] = parts(between(p.lines, b.Line, to, least), along)
	case b.Cell >= 0 && b.Cell+1 < p.Shape.Cells[b.Line]:
		out.Cells[b.Line][b.Cell] = parts(between(p.cells[b.Line], b.Cell, to, leastCell), across)
	}
	return out
}

// between keeps least cells between a border and those beside it.
func between(at []int, i, to, least int) int {
	lo, hi := at[i]+least, at[i+2]-least
	if lo > hi {
		return at[i+1] // no room to move
	}
	return min(max(to, lo), hi)
}

// sizes are the plan's borders in parts.
func (p Plan) sizes() Sizes {
	along, across := p.area.H, p.area.W
	if p.Shape.Columns {
		along, across = across, along
	}
	out := Sizes{Lines: inner(p.lines, along)}
	for _, c := range p.cells {
		out.Cells = append(out.Cells, inner(c, across))
	}
	return out
}

func inner(at []int, total int) []int {
	out := make([]int, 0, max(0, len(at)-2))
	for i := 1; i < len(at)-1; i++ {
		p := parts(at[i], total)
		if n := len(out); n > 0 { // strictly increasing, whatever the rounding
			p = max(p, out[n-1]+1)
		}
		out = append(out, min(p, whole-len(at)+1+i))
	}
	return out
}

package tiling

import (
	"ccdir/api"
	"ccdir/tui/paint"
)

// whole is the size of an area in the units of Sizes.
const whole = api.GridWhole

// Sizes are where the borders of a shape are. What has another number of
// borders than the shape is not used.
type Sizes = api.GridSizes

// mainShare is the part of the main pane.
const mainShare = 5_800

// Plan is an area divided into panes.
type Plan struct {
	Kind  Kind
	Shape Shape
	// Panes are the panes in order: line by line.
	Panes  []paint.Rect
	area   paint.Rect
	limits Limits
	lines  []int   // boundaries of the lines, both ends included
	cells  [][]int // of each line's cells
}

// Arrange divides an area among n panes (at least 1). sizes may be nil.
func Arrange(k Kind, area paint.Rect, n int, sizes map[string]Sizes, l Limits) Plan {
	p := Plan{Kind: k, Shape: k.shape(max(1, n), area, l), area: area, limits: l}
	own := sizes[p.Key()]
	if len(own.Lines) == 0 && k == Main {
		own.Lines = mainLines(len(p.Shape.Cells))
	}
	along, across := area.H, area.W
	minAlong, minAcross := l.MinH, l.MinW
	if p.Shape.Columns {
		along, across, minAlong, minAcross = across, along, minAcross, minAlong
	}
	p.lines = boundaries(along, len(p.Shape.Cells), own.Lines, minAlong)
	for i, n := range p.Shape.Cells {
		var cuts []int
		if i < len(own.Cells) {
			cuts = own.Cells[i]
		}
		p.cells = append(p.cells, boundaries(across, n, cuts, minAcross))
	}
	p.place()
	return p
}

// Key is the key of the plan's saved sizes: layout and shape.
func (p Plan) Key() string { return string(p.Kind) + " " + p.Shape.Key() }

// mainLines gives the first line the main share and the others equal parts.
func mainLines(n int) (cuts []int) {
	for i := 1; i < n; i++ {
		cuts = append(cuts, mainShare+(whole-mainShare)*(i-1)/(n-1))
	}
	return cuts
}

// place makes the rectangles.
func (p *Plan) place() {
	p.Panes = p.Panes[:0]
	for i, cells := range p.cells {
		for j := range len(cells) - 1 {
			p.Panes = append(p.Panes, p.rect(p.lines[i], p.lines[i+1], cells[j], cells[j+1]))
		}
	}
}

// rect is the rectangle between two boundaries of lines and two of cells.
func (p *Plan) rect(a0, a1, b0, b1 int) paint.Rect {
	if p.Shape.Columns {
		return paint.Rect{X: p.area.X + a0, Y: p.area.Y + b0, W: a1 - a0, H: b1 - b0}
	}
	return paint.Rect{X: p.area.X + b0, Y: p.area.Y + a0, W: b1 - b0, H: a1 - a0}
}

// boundaries divides total cells into n parts of at least least cells, as cuts
// say if they are as many as there are borders, else equally. It returns n+1
// positions.
func boundaries(total, n int, cuts []int, least int) []int {
	total, least = max(0, total), max(1, least)
	at := make([]int, n+1)
	at[n] = total
	own := len(cuts) == n-1
	for i := 1; i < n; i++ {
		at[i] = total * i / n
		if own {
			at[i] = cells(cuts[i-1], total)
		}
	}
	if total < n*least {
		for i := range n {
			at[i] = total * i / n
		}
		return at
	}
	for i := 1; i < n; i++ {
		at[i] = max(at[i], at[i-1]+least)
	}
	for i := n - 1; i > 0; i-- {
		at[i] = min(at[i], at[i+1]-least)
	}
	return at
}

// cells is a position in cells, parts the same in parts of whole. Of an area of
// at most whole/2 cells, cells(parts(x)) is x.
func cells(parts, total int) int { return (parts*total + whole/2) / whole }

func parts(at, total int) int {
	return min(max((at*whole+total/2)/max(1, total), 1), whole-1)
}

package tiling

import (
	"strconv"
	"strings"

	"ccdir/tui/paint"
)

// Kind is the name of a layout.
type Kind string

// The layouts, in the order in which a person cycles through them.
const (
	Tiled      Kind = "tiled"
	OneByOne   Kind = "1x1"
	TwoByOne   Kind = "2x1"
	TwoByTwo   Kind = "2x2"
	ThreeByTwo Kind = "3x2"
	Columns    Kind = "columns"
	Rows       Kind = "rows"
	Main       Kind = "main"
	// Spotlight gives the session in focus a large pane and the others a row of text. It
	// is what the automatic layout becomes where there are many.
	Spotlight Kind = "spotlight"
)

// Kinds lists all layouts.
var Kinds = []Kind{Tiled, OneByOne, TwoByOne, TwoByTwo, ThreeByTwo, Columns, Rows, Main, Spotlight}

// Known is the layout of that name; the automatic one if there is none.
func Known(name string) Kind {
	for _, k := range Kinds {
		if string(k) == name {
			return k
		}
	}
	return Tiled
}

// Next is the layout after k.
func (k Kind) Next() Kind {
	for i, other := range Kinds {
		if other == k {
			return Kinds[(i+1)%len(Kinds)]
		}
	}
	return Tiled
}

// String is the layout's name for people.
func (k Kind) String() string {
	switch k {
	case Main:
		return "main + stack"
	case Spotlight:
		return "focus + list"
	}
	return string(k)
}

// Limits are the sizes of panes in cells, frames included.
type Limits struct {
	// MinW and MinH: smaller panes go to the next page.
	MinW, MinH int
	// UseW and UseH: panes below are too small to work in. The automatic layout has
	// them only where a page would otherwise have one row or one column; 0 is no limit.
	UseW, UseH int
	// GoodW and GoodH is what the automatic layout tries to give.
	GoodW, GoodH int
}

// grid is how many columns and rows a layout has at most; 0 is no limit.
func (k Kind) grid() (columns, rows int) {
	switch k {
	case OneByOne:
		return 1, 1
	case TwoByOne:
		return 2, 1
	case TwoByTwo:
		return 2, 2
	case ThreeByTwo:
		return 3, 2
	case Columns:
		return 0, 1
	case Rows:
		return 1, 0
	}
	return 0, 0
}

// room is how many columns and rows of panes an area has room for, at least
// one each.
func (l Limits) room(area paint.Rect) (columns, rows int) {
	return max(1, area.W/max(1, l.MinW)), max(1, area.H/max(1, l.MinH))
}

// useful is how many columns and rows of panes to work in an area has room for. Two
// of each it has as long as their panes are not below the least size: to see four
// sessions at a glance is worth more than the last lines of each.
func (l Limits) useful(area paint.Rect) (columns, rows int) {
	columns, rows = l.room(area)
	if l.UseW > 0 {
		columns = max(min(columns, 2), area.W/l.UseW)
	}
	if l.UseH > 0 {
		rows = max(min(rows, 2), area.H/l.UseH)
	}
	return columns, rows
}

// PerPage is how many panes a page of that layout has, at least 1.
func (k Kind) PerPage(area paint.Rect, l Limits) int {
	columns, rows := l.room(area)
	if k == Tiled {
		columns, rows = l.useful(area)
	}
	if k == Main {
		if columns > 1 {
			return 1 + rows
		}
		return rows
	}
	c, r := k.grid()
	if c > 0 {
		columns = min(columns, c)
	}
	if r > 0 {
		rows = min(rows, r)
	}
	return columns * rows
}

// Shape is lines of cells: rows from top to bottom, or, with Columns, columns
// from left to right. Cells has the number of each line's, none is 0.
type Shape struct {
	Columns bool
	Cells   []int
}

// Key is the shape in a few characters: "r2.2" is two rows of two.
func (s Shape) Key() string {
	var b strings.Builder
	b.WriteByte('r')
	if s.Columns {
		b.Reset()
		b.WriteByte('c')
	}
	for i, n := range s.Cells {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}

// shape is the shape of n panes (at least 1) in an area.
func (k Kind) shape(n int, area paint.Rect, l Limits) Shape {
	columns, _ := l.room(area)
	if k == Tiled {
		return tiled(n, area, l)
	}
	if k == Main {
		if n > 1 && columns > 1 {
			return Shape{Columns: true, Cells: []int{1, n - 1}}
		}
		columns = 1
	}
	if c, _ := k.grid(); c > 0 {
		columns = min(columns, c)
	}
	// As even as possible, the longer lines first.
	lines := (n + columns - 1) / columns
	s := Shape{Cells: make([]int, lines)}
	for i := range lines {
		s.Cells[i] = (n + lines - 1 - i) / lines
	}
	return s
}

// tooSmall is the part of a good size below which a pane is of little use.
const tooSmall = 0.4

// tiled is the shape of the automatic layout: of all numbers of columns the one
// whose smallest pane is nearest to a good size. Panes of less than a part of that, in
// one direction, count less still: a wide one of five lines is of less use than one of
// half its width and twice its height.
func tiled(n int, area paint.Rect, l Limits) Shape {
	best, bestScore := 1, -3.0
	for c := 1; c <= n; c++ {
		r := (n + c - 1) / c
		if (r-1)*c >= n {
			continue // the last line would be empty
		}
		w, h := area.W/c, area.H/r
		fitW, fitH := fit(w, l.GoodW), fit(h, l.GoodH)
		score := fitW * fitH * min(1, min(fitW, fitH)/tooSmall)
		switch { // only where nothing else fits
		case w < l.MinW || h < l.MinH:
			score -= 2
		case w < l.UseW || h < l.UseH:
			score--
		}
		if score > bestScore {
			best, bestScore = c, score
		}
	}
	lines := (n + best - 1) / best
	s := Shape{Cells: make([]int, lines)}
	for i := range lines {
		s.Cells[i] = min(best, n-i*best)
	}
	return s
}

// fit is how near a size is to a good one, at most a little over 1: room beyond
// the good size counts a tenth.
func fit(have, good int) float64 {
	f := float64(have) / float64(max(1, good))
	if f > 1 {
		return 1 + (f-1)/10
	}
	return f
}

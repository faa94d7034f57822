package conversation

import (
	"slices"

	"ccdir/api"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/turns"
)

// gutter is the room left of the rows for the cursor.
const gutter = 2

// place is a row by what it belongs to: it stays when rows above it come and go.
type place struct {
	turn int
	path string
	// off is how many rows below the head of the thing at path, or of the turn.
	off int
	// below is how many rows below the top of the view it is.
	below int
}

// box is nearly the whole screen.
func (d dialog) box(env ui.Env) paint.Rect {
	return modal.Middle(env.Cols, max(0, env.Rows-1), env.Cols, env.Rows)
}

// inside is the room for the rows.
func (d dialog) inside(env ui.Env) paint.Rect {
	box := d.box(env)
	return paint.Rect{X: box.X + 1, Y: box.Y + 1, W: max(0, box.W-3), H: max(0, box.H-3)}
}

// laid is the view with the rows that are missing, for the screen as it is.
func (d dialog) laid(env ui.Env) dialog {
	in := d.inside(env)
	at := d.here()
	changed := d.height != max(1, in.H)
	d.height = max(1, in.H)
	if w := in.W - gutter; d.layout.Width != w || d.layout.Theme != env.Theme {
		d.layout = turns.Layout{Theme: env.Theme, Width: w, Now: env.Now}
		d.blocks = slices.Clone(d.blocks)
		for i := range d.blocks {
			d.blocks[i].rows = nil
		}
	}
	opened := d.opened
	d.layout.Open = func(path string) bool { return opened[path] }
	var before *api.Turn
	for i, b := range d.blocks {
		if b.rows == nil {
			if !changed {
				d.blocks, changed = slices.Clone(d.blocks), true
			}
			d.blocks[i].rows = d.layout.Rows(b.turn, before)
		}
		before = &b.turn
	}
	if !changed && len(d.starts) == len(d.blocks)+1 {
		return d
	}
	d.starts = make([]int, 1, len(d.blocks)+1)
	for i, b := range d.blocks {
		d.starts = append(d.starts, d.starts[i]+len(b.rows))
	}
	return d.restored(at)
}

// restored puts the cursor where it belongs after rows have changed.
func (d dialog) restored(at *place) dialog {
	if d.wanted != nil {
		at = d.wanted
		if n := len(d.blocks); n > 0 && d.blocks[n-1].turn.Turn >= at.turn {
			d.wanted = nil
		}
	}
	switch {
	case d.follows:
		return d.to(d.end() - 1)
	case at != nil:
		row := d.rowOf(*at)
		d.top = row - at.below
		return d.to(row)
	}
	return d.to(d.cursor)
}

// end is how many rows there are.
func (d dialog) end() int {
	if len(d.starts) == 0 {
		return 0
	}
	return d.starts[len(d.starts)-1]
}

// at finds a row: its block and its number in that.
func (d dialog) at(row int) (b, i int, ok bool) {
	if row < 0 || row >= d.end() {
		return 0, 0, false
	}
	b, found := slices.BinarySearch(d.starts, row)
	if !found {
		b--
	}
	for b+1 < len(d.starts) && d.starts[b+1] == d.starts[b] {
		b++
	}
	return b, row - d.starts[b], true
}

// row is a row, the zero value if there is none.
func (d dialog) row(n int) turns.Row {
	if b, i, ok := d.at(n); ok && i < len(d.blocks[b].rows) {
		return d.blocks[b].rows[i]
	}
	return turns.Row{}
}

// here is the cursor's place, nil if there is none.
func (d dialog) here() *place {
	b, i, ok := d.at(d.cursor)
	if !ok {
		return nil
	}
	rows := d.blocks[b].rows
	if i >= len(rows) {
		return nil
	}
	p := place{turn: d.blocks[b].turn.Turn, path: rows[i].Path, off: i, below: d.cursor - d.top}
	if p.path != "" {
		p.off = i - headOf(rows, i)
	}
	return &p
}

// headOf is the first row of the thing that row i belongs to.
func headOf(rows []turns.Row, i int) int {
	path := rows[i].Path
	for at := i; at >= 0; at-- {
		if rows[at].Path == path && rows[at].Head {
			return at
		}
	}
	return i
}

// rowOf is the row of a place, or the nearest one.
func (d dialog) rowOf(p place) int {
	for b, block := range d.blocks {
		if block.turn.Turn < p.turn && b < len(d.blocks)-1 {
			continue
		}
		i := min(max(p.off, d.header(b)-d.starts[b]), max(0, len(block.rows)-1))
		if p.path != "" {
			for at, r := range block.rows {
				if r.Path == p.path && r.Head {
					i = at
					for n := 0; n < p.off && i+1 < len(block.rows) && block.rows[i+1].Path == p.path; n++ {
						i++
					}
					break
				}
			}
		}
		return d.starts[b] + i
	}
	return 0
}

// to puts the cursor on a row and the view around it.
func (d dialog) to(row int) dialog {
	d.cursor = min(max(row, 0), max(0, d.end()-1))
	d.top = min(max(d.top, d.cursor-d.height+1), d.cursor)
	return d.clamped()
}

// clamped keeps the view within the rows.
func (d dialog) clamped() dialog {
	d.top = max(0, min(d.top, d.end()-d.height))
	return d
}

// moved is the view after the person has moved the cursor: it follows if that is at the end.
func (d dialog) moved(row int) dialog {
	d.wanted = nil
	d = d.to(row)
	d.follows = d.cursor >= d.end()-1
	return d
}

// scrolled moves the view by rows; the cursor stays in it.
func (d dialog) scrolled(by int) dialog {
	d.wanted = nil
	d.top += by
	d = d.clamped()
	d.cursor = min(max(d.cursor, d.top), max(d.top, min(d.top+d.height, d.end())-1))
	d.follows = d.top+d.height >= d.end()
	if d.follows {
		d.cursor = max(0, d.end()-1)
	}
	return d
}

// turnAt is the block of the cursor, -1 if there is none.
func (d dialog) turnAt() int {
	if b, _, ok := d.at(d.cursor); ok {
		return b
	}
	return -1
}

// toTurn shows a turn from its beginning.
func (d dialog) toTurn(b int) dialog {
	d.wanted = nil
	d.follows = false
	row := d.header(b)
	d.cursor, d.top = row, row
	return d.clamped()
}

// header is the row of a turn's first line.
func (d dialog) header(b int) int {
	return d.starts[b] + max(0, slices.IndexFunc(d.blocks[b].rows, func(r turns.Row) bool { return r.Head }))
}

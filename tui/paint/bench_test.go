package paint

import (
	"fmt"
	"testing"

	"ccdir/internal/cells"
)

// benchSizes are a small terminal and the largest that is meant to be worked in.
var benchSizes = []struct{ cols, rows int }{{80, 24}, {500, 150}}

// BenchmarkDiff is what the writer takes to find what differs and to make the bytes
// of it (diff and emit), for what changes between two frames: nothing in rows that
// were drawn anew, one cell, two cells of every row, a line more, every cell.
func BenchmarkDiff(b *testing.B) {
	tab := cells.NewTable()
	id, _ := tab.StyleID(cells.Style{FG: cells.Indexed(2)})
	row := func(cols, y, n int) []cells.Cell {
		run := make([]cells.Cell, cols)
		for x := range run {
			c := fmt.Sprintf("%d the quick brown fox %d jumps %d ", n+y, (n+y)*7, y)[x%24]
			run[x] = cells.Cell{Glyph: cells.Glyph(c), Style: id * cells.StyleID(x/8%2)}
		}
		return run
	}
	kinds := []struct {
		name string
		cell func(n, x, y int) bool // whether it differs in frame n, from 0 or 1
		line bool                   // all rows move up by one
	}{
		{name: "nothing", cell: func(_, _, _ int) bool { return false }},
		{name: "cell", cell: func(n, x, y int) bool { return n == 1 && x == 7 && y == 3 }},
		{name: "apart", cell: func(n, x, _ int) bool { return n == 1 && (x == 1 || x == 70) }},
		{name: "all", cell: func(n, _, _ int) bool { return n == 1 }},
		{name: "line", line: true},
	}
	for _, size := range benchSizes {
		for _, kind := range kinds {
			b.Run(fmt.Sprintf("%s/%dx%d", kind.name, size.cols, size.rows), func(b *testing.B) {
				frames := [2][][]cells.Cell{}
				for n := range frames {
					for y := range size.rows {
						run := row(size.cols, y, 0)
						for x := range run {
							if kind.cell != nil && kind.cell(n, x, y) {
								run[x].Glyph++
							}
						}
						frames[n] = append(frames[n], run)
					}
				}
				lines := frames[0]
				for n := range 7 {
					lines = append(lines, row(size.cols, size.rows+n, 100))
				}
				s, w, layer := NewSurface(size.cols, size.rows, allCaps), NewWriter(allCaps), &Layer{}
				n := 0
				frame := func() {
					for y := range size.rows {
						from := frames[n%2][y]
						if kind.line {
							from = lines[(y+n)%len(lines)]
						}
						layer.Row(s, 0, y, size.cols, tab, from, false)
						s.LinkURLs(Rect{Y: y, W: size.cols, H: 1})
					}
					n++
					w.Frame(s, Cursor{})
				}
				frame()
				frame()
				b.ReportAllocs()
				before := w.Bytes
				for b.Loop() {
					frame()
				}
				b.ReportMetric(float64(w.Bytes-before)/float64(b.N), "bytes/frame")
			})
		}
	}
}

// BenchmarkFirstFrame is a whole picture for a terminal of which nothing is known:
// what an attach or a redraw takes.
func BenchmarkFirstFrame(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(fmt.Sprintf("%dx%d", size.cols, size.rows), func(b *testing.B) {
			s, w := NewSurface(size.cols, size.rows, allCaps), NewWriter(allCaps)
			for y := range size.rows {
				s.Text(0, y, size.cols, fmt.Sprintf("row %d of a full screen, %s", y, "日本語 and more of it, in one style"), cells.Style{FG: cells.Indexed(uint8(y % 8))})
			}
			b.ReportAllocs()
			for b.Loop() {
				w.Clear()
				w.Frame(s, Cursor{})
			}
			b.ReportMetric(float64(w.Bytes)/float64(w.Frames), "bytes/frame")
		})
	}
}

// TestFramesAllocateNothing: a picture that was drawn before is drawn again, and its
// difference written, without any allocation.
func TestFramesAllocateNothing(t *testing.T) {
	tab := cells.NewTable()
	s, w, layer := NewSurface(100, 30, allCaps), NewWriter(allCaps), &Layer{}
	rows := [2][]cells.Cell{}
	for n := range rows {
		id, _ := tab.StyleID(cells.Style{FG: cells.Indexed(uint8(n)), Attrs: cells.Bold})
		for x := range 100 {
			rows[n] = append(rows[n], cells.Cell{Glyph: cells.Glyph('a' + (x+n)%26), Style: id})
		}
	}
	n := 0
	frame := func() {
		n++
		for y := range 30 {
			layer.Row(s, 0, y, 100, tab, rows[(n+y)%2], false)
		}
		w.Frame(s, Cursor{X: n % 100, Visible: true})
	}
	for range 4 {
		frame()
	}
	if got := testing.AllocsPerRun(50, frame); got > 0 {
		t.Errorf("%.1f allocations a frame", got)
	}
}

package wire

import (
	"math/rand/v2"
	"testing"

	"ccdir/internal/grid"
)

// randomRow makes a valid row of every sort of cell.
func randomRow(r *rand.Rand, t *grid.Table, cols int) grid.Row {
	cells := make([]grid.Cell, 0, cols)
	for len(cells) < cols {
		var s grid.Style
		if r.IntN(3) == 0 {
			s = grid.Style{FG: grid.Indexed(uint8(r.IntN(16))), Attrs: grid.Attr(r.IntN(256)), Underline: grid.Underline(r.IntN(6))}
			if r.IntN(4) == 0 {
				s.BG = grid.RGB(1, 2, uint8(r.IntN(9)))
				s.UnderlineColor = grid.RGB(9, 9, 9)
				s.Link, _ = t.Link("https://example.org/" + string(rune('a'+r.IntN(5))))
			}
		}
		id, _ := t.StyleID(s)
		n := min(1+r.IntN(8), cols-len(cells))
		same := r.IntN(3) == 0
		g := grid.Glyph('a' + r.IntN(26))
		switch kind := r.IntN(6); {
		case kind == 0:
			for range n {
				cells = append(cells, grid.Cell{Style: id})
			}
		case kind == 1 && n >= 2:
			w := grid.Glyph('世')
			if r.IntN(2) == 0 {
				w, _ = t.Glyph([]byte("👩‍💻"))
			}
			cells = append(cells, grid.Cell{Glyph: w, Style: id, Span: grid.Wide}, grid.Cell{Style: id, Span: grid.Tail})
		case kind == 2:
			c, _ := t.Glyph([]byte("e\u0301"))
			cells = append(cells, grid.Cell{Glyph: c, Style: id})
		default:
			for range n {
				if !same {
					g = []grid.Glyph{'x', 'é', '─', 0, 'Z', '✳'}[r.IntN(6)]
				}
				cells = append(cells, grid.Cell{Glyph: g, Style: id})
			}
		}
	}
	return grid.Row{Cells: cells, Wrapped: r.IntN(2) == 0}
}

// sameCell compares across tables.
func sameCell(t1 *grid.Table, a grid.Cell, t2 *grid.Table, b grid.Cell) bool {
	s1, s2 := t1.Style(a.Style), t2.Style(b.Style)
	l1, l2 := t1.LinkURI(s1.Link), t2.LinkURI(s2.Link)
	s1.Link, s2.Link = 0, 0
	return a.Span == b.Span && s1 == s2 && l1 == l2 &&
		string(t1.AppendGlyph(nil, a.Glyph)) == string(t2.AppendGlyph(nil, b.Glyph))
}

func TestRowsRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		src, dst := grid.NewTable(), grid.NewTable()
		cols := 1 + r.IntN(90)
		rows := make([]grid.Row, 1+r.IntN(4))
		for i := range rows {
			rows[i] = randomRow(r, src, cols)
		}
		data := encodeRows(nil, src, rows)
		seen := 0
		err := DecodeRows(data, dst, func(i int, got grid.Row) bool {
			if i != seen || got.Wrapped != rows[i].Wrapped {
				t.Fatalf("row %d: index %d wrapped %v", seen, i, got.Wrapped)
			}
			seen++
			for x, c := range rows[i].Cells {
				var g grid.Cell
				if x < len(got.Cells) {
					g = got.Cells[x]
				}
				if !sameCell(src, c, dst, g) {
					t.Fatalf("row %d col %d: %+v became %+v", i, x, c, g)
				}
			}
			return true
		})
		if err != nil || seen != len(rows) {
			t.Fatalf("decoded %d of %d rows: %v", seen, len(rows), err)
		}
	}
}

// encodeRows encodes rows under the indices 0, 1, …, as RowEncoder does.
func encodeRows(dst []byte, table *grid.Table, rows []grid.Row) []byte {
	var e RowEncoder
	e.Reset(table)
	for i, r := range rows {
		e.Add(i, r)
	}
	return e.AppendTo(dst)
}

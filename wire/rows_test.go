package wire

import (
	"math/rand/v2"
	"testing"

	"ccdir/internal/cells"
)

// randomRow makes a valid row of every sort of cell.
func randomRow(r *rand.Rand, t *cells.Table, cols int) cells.Row {
	row := make([]cells.Cell, 0, cols)
	for len(row) < cols {
		var s cells.Style
		if r.IntN(3) == 0 {
			s = cells.Style{FG: cells.Indexed(uint8(r.IntN(16))), Attrs: cells.Attr(r.IntN(256)), Underline: cells.Underline(r.IntN(6))}
			if r.IntN(4) == 0 {
				s.BG = cells.RGB(1, 2, uint8(r.IntN(9)))
				s.UnderlineColor = cells.RGB(9, 9, 9)
				s.Link, _ = t.Link("https://example.org/" + string(rune('a'+r.IntN(5))))
			}
		}
		id, _ := t.StyleID(s)
		n := min(1+r.IntN(8), cols-len(row))
		same := r.IntN(3) == 0
		g := cells.Glyph('a' + r.IntN(26))
		switch kind := r.IntN(6); {
		case kind == 0:
			for range n {
				row = append(row, cells.Cell{Style: id})
			}
		case kind == 1 && n >= 2:
			w := cells.Glyph('世')
			if r.IntN(2) == 0 {
				w, _ = t.Glyph([]byte("👩‍💻"))
			}
			row = append(row, cells.Cell{Glyph: w, Style: id, Span: cells.Wide}, cells.Cell{Style: id, Span: cells.Tail})
		case kind == 2:
			c, _ := t.Glyph([]byte("e\u0301"))
			row = append(row, cells.Cell{Glyph: c, Style: id})
		default:
			for range n {
				if !same {
					g = []cells.Glyph{'x', 'é', '─', 0, 'Z', '✳'}[r.IntN(6)]
				}
				row = append(row, cells.Cell{Glyph: g, Style: id})
			}
		}
	}
	return cells.Row{Cells: row, Wrapped: r.IntN(2) == 0}
}

// sameCell compares across tables.
func sameCell(t1 *cells.Table, a cells.Cell, t2 *cells.Table, b cells.Cell) bool {
	s1, s2 := t1.Style(a.Style), t2.Style(b.Style)
	l1, l2 := t1.LinkURI(s1.Link), t2.LinkURI(s2.Link)
	s1.Link, s2.Link = 0, 0
	return a.Span == b.Span && s1 == s2 && l1 == l2 &&
		string(t1.AppendGlyph(nil, a.Glyph)) == string(t2.AppendGlyph(nil, b.Glyph))
}

func TestRowsRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		src, dst := cells.NewTable(), cells.NewTable()
		cols := 1 + r.IntN(90)
		rows := make([]cells.Row, 1+r.IntN(4))
		for i := range rows {
			rows[i] = randomRow(r, src, cols)
		}
		data := encodeRows(nil, src, rows)
		seen := 0
		err := DecodeRows(data, dst, func(i int, got cells.Row) bool {
			if i != seen || got.Wrapped != rows[i].Wrapped {
				t.Fatalf("row %d: index %d wrapped %v", seen, i, got.Wrapped)
			}
			seen++
			for x, c := range rows[i].Cells {
				var g cells.Cell
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
func encodeRows(dst []byte, table *cells.Table, rows []cells.Row) []byte {
	var e RowEncoder
	e.Reset(table)
	for i, r := range rows {
		e.Add(i, r)
	}
	return e.AppendTo(dst)
}

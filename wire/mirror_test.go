package wire

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ccdir/internal/cells"
)

// full makes a full frame of rows.
func full(t *cells.Table, cols int, rows []cells.Row) *Frame {
	return &Frame{Full: true, Cols: cols, Rows: len(rows), Data: encodeRows(nil, t, rows)}
}

func textRow(s string, cols int) cells.Row {
	row := make([]cells.Cell, cols)
	for i, r := range s {
		row[i].Glyph = cells.Glyph(r)
	}
	return cells.Row{Cells: row}
}

func rowText(m *Mirror, y int) string {
	return string(m.Table().AppendText(nil, m.Row(y).Cells))
}

func TestMirrorScroll(t *testing.T) {
	table := cells.NewTable()
	for _, test := range []struct {
		top, bottom, n int
		want           string
	}{
		{0, 4, 1, "bcde "}, {0, 4, -1, " abcd"}, {1, 3, 1, "acd e"}, {1, 3, -2, "a  be"},
		{0, 4, 5, "     "}, {0, 4, -5, "     "}, {0, 4, 900, "     "}, {2, 2, 1, "ab de"},
	} {
		var rows []cells.Row
		for _, s := range []string{"a", "b", "c", "d", "e"} {
			rows = append(rows, textRow(s, 3))
		}
		m := NewMirror()
		if err := m.Apply(full(table, 3, rows)); err != nil {
			t.Fatal(err)
		}
		f := &Frame{Cols: 3, Rows: 5, ScrollTop: test.top, ScrollBottom: test.bottom, ScrollN: test.n, Data: []byte{0, 0}}
		if err := m.Apply(f); err != nil {
			t.Fatal(err)
		}
		got := ""
		for y := range 5 {
			s := rowText(m, y)
			if s == "" {
				s = " "
			}
			got += s
			if in := y >= test.top && y <= test.bottom; in != (m.Row(y).Gen == m.Gen()) {
				t.Errorf("%+v: row %d has generation %d of %d", test, y, m.Row(y).Gen, m.Gen())
			}
		}
		if got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}

func TestMirrorRefresh(t *testing.T) {
	table := cells.NewTable()
	m := NewMirror()
	if !m.NeedsRefresh() {
		t.Error("a new mirror needs no refresh")
	}
	part := &Frame{Cols: 1, Rows: 1, Data: []byte{0, 0}}
	if err := m.Apply(part); err != nil || !m.NeedsRefresh() || m.Gen() != 0 {
		t.Errorf("a partial frame before the first: %v", err)
	}
	if err := m.Apply(full(table, 4, []cells.Row{textRow("abcd", 4)})); err != nil || m.NeedsRefresh() {
		t.Errorf("a full frame: %v", err)
	}
	if err := m.Apply(&Frame{Cols: 5, Rows: 1, Data: []byte{0, 0}}); err == nil || !m.NeedsRefresh() {
		t.Error("a partial frame of another size was taken")
	}
	if err := m.Apply(&Frame{Full: true, Cols: 4, Rows: 2, Data: encodeRows(nil, table, []cells.Row{textRow("x", 4)})}); err == nil {
		t.Error("a full frame without all rows was taken")
	}
	if cols, rows := m.Size(); cols != 4 || rows != 2 || rowText(m, 0) != "" {
		t.Errorf("after a malformed frame: %dx%d, %q", cols, rows, rowText(m, 0))
	}
}

// TestMirrorTableFull: styles without end make the mirror start over instead of
// growing.
func TestMirrorTableFull(t *testing.T) {
	m := NewMirror()
	src := cells.NewTable()
	if err := m.Apply(full(src, 250, []cells.Row{textRow("x", 250)})); err != nil {
		t.Fatal(err)
	}
	asked, color := false, 0
	for range 2 * cells.MaxStyles / 250 {
		src := cells.NewTable()
		row := textRow("x", 250)
		for x := range row.Cells {
			row.Cells[x].Glyph = 'x'
			row.Cells[x].Style, _ = src.StyleID(cells.Style{FG: cells.RGB(uint8(color>>16), uint8(color>>8), uint8(color))})
			color++
		}
		f := full(src, 250, []cells.Row{row})
		f.Full = m.NeedsRefresh()
		asked = asked || f.Full
		if err := m.Apply(f); err != nil {
			t.Fatal(err)
		}
		if !m.NeedsRefresh() {
			if got := m.Table().Style(m.Row(0).Cells[7].Style); got != src.Style(row.Cells[7].Style) {
				t.Fatalf("colour %d is %+v", color, got)
			}
		}
	}
	if !asked {
		t.Error("the table never ran full")
	}
}

// TestMirrorFollows: partial frames bring the mirror to the same cells as the
// source, and no others change their generation.
func TestMirrorFollows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	src := cells.NewTable()
	const cols, height = 40, 12
	rows := make([]cells.Row, height)
	for y := range rows {
		rows[y] = randomRow(r, src, cols)
	}
	m := NewMirror()
	if err := m.Apply(full(src, cols, rows)); err != nil {
		t.Fatal(err)
	}
	var enc RowEncoder
	for step := range 500 {
		enc.Reset(src)
		changed := map[int]bool{}
		for range r.IntN(4) {
			y := r.IntN(height)
			rows[y] = randomRow(r, src, cols)
			changed[y] = true
		}
		for y := range rows {
			if changed[y] {
				enc.Add(y, rows[y])
			}
		}
		f := &Frame{Cols: cols, Rows: height, Cursor: Cursor{X: step % cols}, Flags: FrameFlags(step), Data: enc.AppendTo(nil)}
		if err := m.Apply(f); err != nil {
			t.Fatal(err)
		}
		for y, row := range rows {
			got := m.Row(y)
			if changed[y] != (got.Gen == m.Gen()) || got.Wrapped != row.Wrapped {
				t.Fatalf("step %d row %d: generation %d of %d", step, y, got.Gen, m.Gen())
			}
			for x, c := range row.Cells {
				if !sameCell(src, c, m.Table(), got.Cells[x]) {
					t.Fatalf("step %d row %d col %d: %+v, want %+v", step, y, x, got.Cells[x], c)
				}
			}
		}
		if m.Cursor().X != step%cols || m.Flags() != FrameFlags(step) {
			t.Fatal("cursor or flags")
		}
	}
}

// screenRows is a screen as a coding agent draws it, for allocations and speed.
func screenRows(t *cells.Table, cols, height int) []cells.Row {
	rows := make([]cells.Row, height)
	for y := range rows {
		s := fmt.Sprintf("● line %d of the answer, with some text in it, and a path like wire/mirror.go", y)
		row := textRow("", cols)
		x := 0
		id, _ := t.StyleID(cells.Style{FG: cells.Indexed(uint8(y % 16))})
		for _, r := range s {
			if x < cols {
				row.Cells[x] = cells.Cell{Glyph: cells.Glyph(r), Style: id}
				x++
			}
		}
		rows[y] = row
	}
	return rows
}

func TestSteadyStateAllocations(t *testing.T) {
	src := cells.NewTable()
	rows := screenRows(src, 200, 50)
	m := NewMirror()
	var enc RowEncoder
	var wire, data []byte
	step := func() {
		enc.Reset(src)
		for y, r := range rows {
			enc.Add(y, r)
		}
		data = enc.AppendTo(data[:0])
		wire = (&Frame{Full: true, Cols: 200, Rows: 50, ScrollTop: 1, ScrollBottom: 40, ScrollN: 2, Data: data}).append(wire[:0])
		var f Frame
		if err := f.decode(wire); err != nil {
			t.Fatal(err)
		}
		if err := m.Apply(&f); err != nil {
			t.Fatal(err)
		}
	}
	step()
	if n := testing.AllocsPerRun(100, step); n > 0 {
		t.Errorf("%v allocations per frame", n)
	}
}

func BenchmarkFrame(b *testing.B) {
	src := cells.NewTable()
	rows := screenRows(src, 200, 50)
	var enc RowEncoder
	var data []byte
	encode := func() {
		enc.Reset(src)
		for y, r := range rows {
			enc.Add(y, r)
		}
		data = enc.AppendTo(data[:0])
	}
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			encode()
		}
		b.ReportMetric(float64(len(data)), "bytes/frame")
	})
	b.Run("apply", func(b *testing.B) {
		b.ReportAllocs()
		encode()
		m := NewMirror()
		f := &Frame{Full: true, Cols: 200, Rows: 50, Data: data}
		for b.Loop() {
			if err := m.Apply(f); err != nil {
				b.Fatal(err)
			}
		}
	})
}

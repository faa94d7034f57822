package wire

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"ccdir/internal/cells"
)

// FuzzConn: no bytes make Receive panic or hang.
func FuzzConn(f *testing.F) {
	for _, m := range goldenMessages() {
		b, err := AppendMessage(nil, m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c := NewConn(&stream{in: b})
		m := NewMirror()
		for range len(b) + 1 {
			msg, err := c.Receive()
			if err != nil {
				return
			}
			if fr, ok := msg.(*Frame); ok && m.Apply(fr) == nil {
				checkMirror(t, m)
			}
			if _, err := AppendMessage(nil, msg); err != nil {
				t.Errorf("%+v was read but cannot be written: %v", msg, err)
			}
		}
	})
}

// FuzzFrame: a mirror stays sound whatever frames come.
func FuzzFrame(f *testing.F) {
	for _, m := range goldenMessages() {
		if fr, ok := m.(*Frame); ok {
			f.Add(fr.append(nil), fr.append(nil))
		}
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		m := NewMirror()
		for _, p := range [][]byte{a, b, a} {
			var fr Frame
			if fr.decode(p) != nil {
				continue
			}
			_ = m.Apply(&fr)
			checkMirror(t, m)
		}
		_ = DecodeRows(a, cells.NewTable(), func(_ int, r cells.Row) bool {
			checkCells(t, cells.NewTable(), r.Cells)
			return true
		})
	})
}

// checkMirror: cells are well formed and show no control characters.
func checkMirror(t *testing.T, m *Mirror) {
	t.Helper()
	cols, rows := m.Size()
	if cur := m.Cursor(); cur.X >= cols || cur.Y >= rows || cur.X < 0 || cur.Y < 0 {
		// A frame that broke off may leave a cursor of its own size.
		if !m.NeedsRefresh() {
			t.Fatalf("cursor %+v on %dx%d", cur, cols, rows)
		}
	}
	for y := range rows {
		if n := len(m.Row(y).Cells); n != cols {
			t.Fatalf("row %d has %d of %d cells", y, n, cols)
		}
		checkCells(t, m.Table(), m.Row(y).Cells)
	}
}

func checkCells(t *testing.T, table *cells.Table, row []cells.Cell) {
	t.Helper()
	for x, c := range row {
		if (c.Span == cells.Wide) != (x+1 < len(row) && row[x+1].Span == cells.Tail) {
			t.Fatalf("half a wide character at %d", x)
		}
		if c.Span == cells.Tail && (x == 0 || row[x-1].Span != cells.Wide) {
			t.Fatalf("a tail without head at %d", x)
		}
		text := table.AppendGlyph(nil, c.Glyph)
		if !utf8.Valid(text) || bytes.ContainsFunc(text, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
			t.Fatalf("cell %d shows %q", x, text)
		}
	}
}

// FuzzInput: what is read can be written and is then read the same.
func FuzzInput(f *testing.F) {
	for _, m := range goldenMessages() {
		if in, ok := m.(*Input); ok {
			f.Add(in.append(nil))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var in, back Input
		if in.decode(b) != nil {
			return
		}
		if err := back.decode(in.append(nil)); err != nil || in.Type != back.Type || in.Mouse != back.Mouse ||
			in.Focused != back.Focused || !bytes.Equal(in.Text, back.Text) {
			t.Errorf("%+v became %+v, %v", in, back, err)
		}
	})
}

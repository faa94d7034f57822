package core

import (
	"strings"
	"testing"

	"ccdir/internal/cells"
)

// rowsOf are the rows of a buffer as text; "\\" ends those that go on.
func rowsOf(b Buffer) string {
	var out []string
	for n := b.First(); n < b.End(); n++ {
		r, table := b.Row(n)
		text := string(table.AppendText(nil, r.Cells))
		if r.Wrapped {
			text += "\\"
		}
		out = append(out, text)
	}
	return strings.Join(out, "|")
}

func TestReflow(t *testing.T) {
	for _, c := range []struct {
		cols int
		rows []string
		to   int
		want string
	}{
		{6, []string{"abcdef\\", "ghi", "", "x"}, 4, "abcd\\|efgh\\|i||x"},
		{6, []string{"abcdef\\", "ghi", "", "x"}, 20, "abcdefghi||x"},
		{5, []string{"abcd\\", "日x"}, 20, "abcd日x"},
		{5, []string{"abc  \\", "x"}, 20, "abc  x"},
		{20, []string{"a日本x"}, 2, "a\\|日\\|本\\|x"},
		{4, []string{"日本"}, 1, "日\\|本"},
		{4, []string{"abcd\\"}, 2, "ab\\|cd"},
	} {
		b, _ := buffer(-1, c.cols, c.rows...).Reflow(c.to)
		if got := rowsOf(b); got != c.want {
			t.Errorf("%q for %d columns: %q, want %q", c.rows, c.to, got, c.want)
		}
		if b.End() != len(c.rows)-1 {
			t.Errorf("%q: the newest row has the number %d", c.rows, b.End()-1)
		}
	}
}

// TestReflowOfPages: a line that goes on in another page, whose cells are in another
// table, keeps its characters, styles and links.
func TestReflowOfPages(t *testing.T) {
	make := func(first int, color cells.Color, text string, wrapped bool) *Page {
		table := cells.NewTable()
		link, _ := table.Link("https://example.org/" + text)
		id, _ := table.StyleID(cells.Style{FG: color, Link: link})
		g, _ := table.Glyph([]byte(text + "\u0301"))
		return NewPage(first, 2, table, []cells.Row{{Wrapped: wrapped, Cells: []cells.Cell{{Glyph: g, Style: id}, {Glyph: 'x', Style: id}}}})
	}
	b := NewBuffer(make(0, cells.Indexed(2), "b", false)).Prepend(make(-1, cells.Indexed(1), "a", true))
	b, _ = b.Reflow(4)
	if got := rowsOf(b); got != "a\u0301xb\u0301x" {
		t.Fatalf("%q", got)
	}
	row, table := b.Row(0)
	for x, want := range []struct {
		color cells.Color
		link  string
	}{{cells.Indexed(1), "a"}, {cells.Indexed(1), "a"}, {cells.Indexed(2), "b"}, {cells.Indexed(2), "b"}} {
		st := table.Style(row.Cells[x].Style)
		if st.FG != want.color || table.LinkURI(st.Link) != "https://example.org/"+want.link {
			t.Errorf("column %d: %+v %q", x, st, table.LinkURI(st.Link))
		}
	}
}

// TestReflowKeepsPlaces: cursor and selection stay on their characters, the cursor on its
// row of the view.
func TestReflowKeepsPlaces(t *testing.T) {
	s := New(buffer(-3, 6, "one", "abcdef\\", "ghijkl\\", "mn", "two", "three"), 6, 3, Pos{})
	s.Jump(Pos{-1, 4}) // k
	s.Select(Char)
	s.Anchor = Pos{-2, 1} // b
	s.Show(-2, 0)
	text := s.Text()
	for _, cols := range []int{4, 20, 3, 6, 80, 1} {
		s.Resize(cols, 3)
		s.Reflow(cols)
		if got := s.Buf.rune(s.Cursor); got != 'k' || s.Text() != text {
			t.Errorf("%d columns: on %q, selected %q, want %q", cols, got, s.Text(), text)
		}
		if s.Cursor.Line < s.Top || s.Cursor.Line >= s.Top+s.H {
			t.Errorf("%d columns: the cursor is not in view: %+v, top %d", cols, s.Cursor, s.Top)
		}
	}
}

// FuzzReflow: at every width the text is the same, and so is the character at each place.
func FuzzReflow(f *testing.F) {
	f.Add("foo 日本\\\nbar\n\n x", 3, 9)
	f.Add("        \\\n日", 1, 2)
	f.Fuzz(func(t *testing.T, text string, cols, then int) {
		lines := strings.Split(text, "\n")
		if cols < 1 || cols > 100 || len(lines) > 50 || len(text) > 2000 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' }) {
			return
		}
		old := buffer(-len(lines)/2, 8, lines...)
		b, at := old.Reflow(cols)
		want := trimmed(old)
		if got := trimmed(b); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
		for n := old.First(); n < old.End(); n++ {
			for x := range old.Len(n) {
				from := old.head(Pos{n, x})
				if p := b.head(at(from)); p.Line < b.First() || p.Line >= b.End() || old.rune(from) != b.rune(p) {
					t.Fatalf("%d,%d is %q; at %v it is %q", n, x, old.rune(from), p, b.rune(p))
				}
			}
		}
		if again, _ := b.Reflow(max(1, min(then, 100))); trimmed(again) != want {
			t.Errorf("wrapped again: %q", again.AllText())
		}
	})
}

// trimmed is the text of a buffer without blanks at the ends of lines and of all.
func trimmed(b Buffer) string {
	lines := strings.Split(string(b.AllText()), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

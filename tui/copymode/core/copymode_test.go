package core

import (
	"context"
	"strings"
	"testing"

	"ccdir/internal/cells"
)

// buffer makes lines of text; a line that ends in "\\" goes on in the next one,
// and characters from U+3000 on are wide.
func buffer(first, cols int, lines ...string) Buffer { return NewBuffer(page(first, cols, lines...)) }

func page(first, cols int, lines ...string) *Page {
	var rows []cells.Row
	for _, l := range lines {
		text, wrapped := strings.CutSuffix(l, "\\")
		r := cells.Row{Wrapped: wrapped}
		for _, c := range text {
			cell := cells.Cell{Glyph: cells.Glyph(c)}
			if c >= 0x3000 {
				cell.Span = cells.Wide
				r.Cells = append(r.Cells, cell, cells.Cell{Span: cells.Tail})
				continue
			}
			r.Cells = append(r.Cells, cell)
		}
		for len(r.Cells) < cols {
			r.Cells = append(r.Cells, cells.Cell{})
		}
		rows = append(rows, r)
	}
	return NewPage(first, cols, cells.NewTable(), rows)
}

func TestMotions(t *testing.T) {
	b := buffer(-2, 12, "old one", "", "foo.bar  baz\\", "qux 日本 x", "  end", "")
	for _, c := range []struct {
		from Pos
		m    Motion
		n    int
		want Pos
	}{
		{Pos{0, 0}, WordForward, 0, Pos{0, 3}}, {Pos{0, 0}, WordForward, 2, Pos{0, 4}}, {Pos{0, 4}, WordForward, 0, Pos{0, 9}},
		{Pos{0, 9}, WordForward, 0, Pos{1, 4}}, // bazqux is one word over the soft wrap
		{Pos{0, 9}, WordEnd, 0, Pos{1, 2}}, {Pos{1, 4}, WordBack, 0, Pos{0, 9}}, {Pos{1, 4}, WordEnd, 0, Pos{1, 6}},
		{Pos{-2, 4}, WordForward, 0, Pos{-1, 0}}, {Pos{0, 0}, WordBack, 0, Pos{-1, 0}},
		{Pos{1, 4}, Right, 0, Pos{1, 6}}, {Pos{1, 6}, Left, 0, Pos{1, 4}}, {Pos{1, 7}, Left, 0, Pos{1, 4}},
		{Pos{2, 4}, LineStart, 0, Pos{2, 0}}, {Pos{2, 4}, LineText, 0, Pos{2, 2}}, {Pos{1, 0}, LineEnd, 0, Pos{1, 9}},
		{Pos{1, 0}, First, 0, Pos{-2, 0}}, {Pos{0, 0}, Last, 0, Pos{3, 0}}, {Pos{0, 0}, Last, 2, Pos{-1, 0}},
		{Pos{2, 0}, PreviousPara, 0, Pos{-1, 0}}, {Pos{-1, 0}, NextPara, 0, Pos{3, 0}},
		{Pos{1, 5}, Up, 0, Pos{0, 4}}, {Pos{0, 5}, Down, 0, Pos{1, 4}}, {Pos{3, 0}, Down, 5, Pos{3, 0}},
		{Pos{1, 0}, ViewTop, 0, Pos{0, 0}}, {Pos{1, 0}, ViewBottom, 0, Pos{3, 0}},
	} {
		s := New(b, 12, 4, c.from)
		s.Move(c.m, c.n)
		if s.Cursor != c.want {
			t.Errorf("motion %d x%d from %v: %v, want %v", c.m, c.n, c.from, s.Cursor, c.want)
		}
		if s.Cursor.Line < s.Top || s.Cursor.Line >= s.Top+s.H {
			t.Errorf("motion %d from %v: the cursor is out of view", c.m, c.from)
		}
	}
}

func TestSelections(t *testing.T) {
	b := buffer(0, 10, "one two   ", "wrapped ab\\", "c 日本 end", "", "last")
	for _, c := range []struct {
		kind     Kind
		from, to Pos
		want     string
	}{
		{Char, Pos{0, 0}, Pos{0, 2}, "one"},
		{Char, Pos{0, 4}, Pos{1, 6}, "two\nwrapped"},
		{Char, Pos{1, 8}, Pos{2, 0}, "abc"},
		{Char, Pos{2, 3}, Pos{2, 5}, "日本"}, // from the second half of one to the first of the other
		{Char, Pos{2, 9}, Pos{0, 0}, "one two\nwrapped abc 日本 end"},
		{Char, Pos{0, 0}, Pos{0, 3}, "one "},
		{Char, Pos{2, 7}, Pos{4, 1}, "end\n\nla"},
		{Lines, Pos{2, 3}, Pos{2, 3}, "wrapped abc 日本 end\n"},
		{Lines, Pos{3, 0}, Pos{4, 0}, "\nlast\n"},
		{Block, Pos{0, 6}, Pos{1, 4}, "two\nped"},
		{Words, Pos{1, 9}, Pos{1, 9}, "abc"},
		{Words, Pos{0, 1}, Pos{0, 5}, "one two"},
	} {
		s := New(b, 10, 5, c.from)
		s.Select(c.kind)
		s.Jump(c.to)
		if got := s.Text(); got != c.want {
			t.Errorf("kind %d from %v to %v: %q, want %q", c.kind, c.from, c.to, got, c.want)
		}
	}
	if got := string(b.AllText()); got != "one two\nwrapped abc 日本 end\n\nlast\n" {
		t.Errorf("all: %q", got)
	}
	if n := b.TextLine(4); n != 4 {
		t.Errorf("line 4 is in line %d of the text", n)
	}
}

// TestWrapBeforeWide: the cell that is left because a wide character does not
// fit is no text.
func TestWrapBeforeWide(t *testing.T) {
	if got := string(buffer(0, 5, "abcd\\", "日x").AllText()); got != "abcd日x\n" {
		t.Errorf("%q", got)
	}
	if got := string(buffer(0, 5, "abc  \\", "x").AllText()); got != "abc  x\n" {
		t.Errorf("%q", got)
	}
}

func TestScan(t *testing.T) {
	b := buffer(-1, 6, "Foo fo\\", "o日本x", "foofoo")
	ctx := context.Background()
	got := Scan(ctx, b, "foo")
	want := []Match{{Pos{-1, 0}, Pos{-1, 2}}, {Pos{-1, 4}, Pos{0, 0}}, {Pos{1, 0}, Pos{1, 2}}, {Pos{1, 3}, Pos{1, 5}}}
	if len(got) != len(want) {
		t.Fatal(got)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("match %d: %v, want %v", i, got[i], want[i])
		}
	}
	if got := Scan(ctx, b, "Foo"); len(got) != 1 {
		t.Errorf("with upper case: %v", got)
	}
	if got := Scan(ctx, b, "本"); len(got) != 1 || got[0].From != (Pos{0, 3}) || b.After(got[0].To) != 5 {
		t.Errorf("wide: %v", got)
	}
	if got := Scan(ctx, b, ""); got != nil {
		t.Errorf("nothing: %v", got)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if got := Scan(over, b, "foo"); len(got) != 0 {
		t.Errorf("cancelled: %v", got)
	}
	for _, c := range []struct {
		p        Pos
		back, at bool
		want     int
	}{
		{Pos{-1, 0}, false, false, 1}, {Pos{-1, 0}, false, true, 0}, {Pos{-1, 0}, true, false, 3},
		{Pos{0, 1}, true, false, 1}, {Pos{1, 3}, false, false, 0}, {Pos{1, 4}, true, true, 3},
	} {
		if i := Near(want, c.p, c.back, c.at); i != c.want {
			t.Errorf("near %v back %v at %v: %d, want %d", c.p, c.back, c.at, i, c.want)
		}
	}
	if in := In(want, 0, 1); len(in) != 1 || in[0] != want[1] {
		t.Errorf("in line 0: %v", in)
	}
}

// TestPrependKeepsPlaces: older lines change no number, no view, no selection.
func TestPrependKeepsPlaces(t *testing.T) {
	s := New(buffer(0, 5, "a", "b", "c"), 5, 2, Pos{1, 0})
	s.Select(Char)
	top, text := s.Top, s.Text()
	s.Prepend(page(-2, 5, "y", "z"))
	s.Prepend(page(-9, 5, "gap"))
	if s.Top != top || s.Cursor != (Pos{1, 0}) || s.Text() != text || s.Buf.First() != -2 {
		t.Errorf("top %d cursor %v first %d", s.Top, s.Cursor, s.Buf.First())
	}
	s.Scroll(-100)
	if s.Top != -2 || s.Above() != 3 || s.AtBottom() {
		t.Errorf("scrolled to %d, %d above", s.Top, s.Above())
	}
	if got := Join([]*Page{page(0, 5, "1", "2"), page(2, 5, "3"), page(3, 5, "4")}, 3, 2); got.First() != -1 || got.End() != 1 {
		t.Errorf("joined from %d to %d", got.First(), got.End())
	}
}

// FuzzMotions: no sequence of motions leaves the lines or panics.
func FuzzMotions(f *testing.F) {
	f.Add("foo 日本\\\nbar\n\n x", []byte{4, 5, 6, 21, 22, 10, 200})
	f.Fuzz(func(t *testing.T, text string, moves []byte) {
		lines := strings.Split(text, "\n")
		if len(lines) > 50 || len(text) > 2000 {
			return
		}
		s := New(buffer(-len(lines)/2, 8, lines...), 6, 3, Pos{})
		for i, m := range moves[:min(len(moves), 100)] {
			switch {
			case m >= 128:
				s.Select(Kind(m % 5))
			default:
				s.Move(Motion(m%23), i%4)
			}
			if p := s.Cursor; p.Line < s.Buf.First() || p.Line >= s.Buf.End() || p.Line < s.Top || p.Line >= s.Top+s.H {
				t.Fatalf("cursor %v, lines %d to %d, top %d", p, s.Buf.First(), s.Buf.End(), s.Top)
			}
			s.Text()
			for n := s.Top; n < s.Top+s.H; n++ {
				s.Selected(n)
			}
		}
		Scan(context.Background(), s.Buf, text[:min(len(text), 2)])
	})
}

func BenchmarkScan(b *testing.B) {
	var lines []string
	for range 10_000 {
		lines = append(lines, strings.Repeat("some text of a line ", 4))
	}
	buf := buffer(0, 80, lines...)
	b.ReportAllocs()
	for b.Loop() {
		if len(Scan(context.Background(), buf, "needle")) != 0 {
			b.Fatal("found")
		}
	}
}

package core

import (
	"strings"

	"ccdir/internal/cells"
)

// Select begins a selection of that shape at the cursor, changes the shape of
// the one there is, or ends it if it has that shape already.
func (s *State) Select(k Kind) {
	switch s.Kind {
	case k:
		s.Kind = None
	case None:
		s.Anchor, s.Kind = s.Cursor, k
	default:
		s.Kind = k
	}
}

// Swap exchanges the ends of the selection (o).
func (s *State) Swap() {
	if s.Kind != None {
		s.Cursor, s.Anchor = s.Anchor, s.Cursor
		s.want = s.Cursor.Col
		s.follow()
	}
}

// Bounds are the first and the last cell of the selection; of a Block its
// corners. ok is false if there is none.
func (s State) Bounds() (from, to Pos, ok bool) {
	if s.Kind == None {
		return from, to, false
	}
	from, to = s.Anchor, s.Cursor
	if to.Before(from) {
		from, to = to, from
	}
	switch s.Kind {
	case Words:
		from, _ = s.Buf.Word(from)
		_, to = s.Buf.Word(to)
	case Lines:
		from.Line, _ = s.Buf.group(from.Line)
		_, to.Line = s.Buf.group(to.Line)
		return Pos{from.Line, 0}, Pos{to.Line, max(0, s.Buf.Len(to.Line)-1)}, true
	case Block:
		from.Col, to.Col = min(s.Anchor.Col, s.Cursor.Col), max(s.Buf.last(s.Anchor), s.Buf.last(s.Cursor))
		return from, to, true
	}
	to.Col = s.Buf.last(to)
	return from, to, true
}

// Selected tells which columns of line n are selected: from x0 up to x1,
// exclusive; none if they are equal. A line that is selected beyond its end
// counts up to the end of its text, at least one cell, so that an empty line
// shows.
func (s State) Selected(n int) (x0, x1 int) {
	from, to, ok := s.Bounds()
	if !ok || n < from.Line || n > to.Line {
		return 0, 0
	}
	if s.Kind == Block {
		x0, x1 = from.Col, to.Col+1
	} else {
		if n == from.Line {
			x0 = from.Col
		}
		x1 = max(s.Buf.Len(n), x0+1)
		if n == to.Line && s.Kind != Lines {
			x1 = to.Col + 1
		}
	}
	return s.whole(n, x0, x1)
}

// whole widens columns to whole characters.
func (s State) whole(n, x0, x1 int) (int, int) {
	x0 = s.Buf.head(Pos{n, x0}).Col
	if x1 > x0 {
		x1 = s.Buf.last(s.Buf.head(Pos{n, x1 - 1})) + 1
	}
	return x0, x1
}

// Text is what the selection holds: lines ended by line feeds except the last
// (whole lines: all), soft wraps undone, blanks at line ends cut.
func (s State) Text() string {
	from, to, ok := s.Bounds()
	if !ok {
		return ""
	}
	var out []byte
	for n := from.Line; n <= to.Line; n++ {
		x0, x1 := s.Selected(n)
		joined := s.Kind != Block && s.Buf.wrapped(n) && n < to.Line
		if joined {
			out = s.Buf.appendWrapped(out, n, x0)
			continue
		}
		out = append(out, s.cut(n, x0, x1, n < to.Line || s.Kind != Char)...)
		if n < to.Line || s.Kind == Lines {
			out = append(out, '\n')
		}
	}
	return string(out)
}

// cut is the text of columns of line n; its blanks at the end are cut where the
// selection reaches the end of the line's text or trim says so.
func (s State) cut(n, x0, x1 int, trim bool) string {
	text := string(s.Buf.appendCells(nil, n, x0, x1))
	if trim || x1 >= s.Buf.Len(n) {
		text = strings.TrimRight(text, " ")
	}
	return text
}

// appendCells appends the text of columns x0 to x1 of line n.
func (b Buffer) appendCells(dst []byte, n, x0, x1 int) []byte {
	r, t := b.Row(n)
	for x := x0; x < min(x1, len(r.Cells)); x++ {
		if c := r.Cells[x]; c.Span != cells.Tail {
			dst = t.AppendGlyph(dst, c.Glyph)
		}
	}
	return dst
}

// appendWrapped appends row n from column x0 to the screen's edge: the blanks
// there belong to the text, which goes on in the next row; not so the one that
// is left because a wide character did not fit.
func (b Buffer) appendWrapped(dst []byte, n, x0 int) []byte {
	r, _ := b.Row(n)
	cols := b.wrappedLen(n)
	dst = b.appendCells(dst, n, x0, cols)
	for x := max(x0, len(r.Cells)); x < cols; x++ {
		dst = append(dst, ' ')
	}
	return dst
}

// AllText is the whole buffer as text, every line ended by a line feed and soft
// wraps undone; blank lines at the end are left out.
func (b Buffer) AllText() []byte {
	var out []byte
	kept := 0
	for n := b.First(); n < b.End(); n++ {
		if b.wrapped(n) {
			out = b.appendWrapped(out, n, 0)
			continue
		}
		out = b.appendCells(out, n, 0, b.Len(n))
		if len(out) > kept && out[len(out)-1] != '\n' {
			kept = len(out) + 1
		}
		out = append(out, '\n')
	}
	return out[:min(kept, len(out))]
}

// wrappedLen is how many columns of row n, which goes on in the next one, are text: not
// the last one if it was left free for a wide character.
func (b Buffer) wrappedLen(n int) int {
	r, _ := b.Row(n)
	cols := max(b.page(n).cols, len(r.Cells)) // a row that was longer loses nothing
	next, _ := b.Row(n + 1)
	if cols > 0 && len(next.Cells) > 0 && next.Cells[0].Span == cells.Wide && (len(r.Cells) < cols || r.Cells[cols-1].Glyph == 0) {
		cols--
	}
	return cols
}

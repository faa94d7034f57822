package paint

import (
	"unicode/utf8"

	"ccdir/internal/cells"
)

// Terminals differ in the width of some characters: older tables give an emoji one column,
// newer ones give some symbols two, and terminals without clusters give each part of one
// its own columns. The rest of the row must not move because of that: after a doubtful
// character the cursor is placed again, cells that the character may leave unwritten are
// blanked first, and cells that it may cover are written again.

// doubtful reports whether terminals may differ in the width of c.
func (w *Writer) doubtful(c cells.Cell) bool {
	switch {
	case c.Glyph.IsCluster():
		return true
	case c.Span != cells.Wide:
		return widened(rune(c.Glyph))
	}
	return w.caps.Glyphs != GlyphsAll || !alwaysWide(rune(c.Glyph))
}

// alwaysWide reports whether r is wide in every table of widths: East Asian scripts as of
// Unicode 5.
func alwaysWide(r rune) bool {
	switch {
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0x303e, r >= 0x3041 && r <= 0x4dbf, r >= 0x4e00 && r <= 0xa4cf,
		r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff01 && r <= 0xff60,
		r >= 0xffe0 && r <= 0xffe6, r >= 0x20000 && r <= 0x3fffd:
		return true
	}
	return false
}

// widened reports whether r is a symbol that Unicode 16 made wide. It is narrow here, but
// wide in Windows Terminal of 2026.
func widened(r rune) bool {
	switch {
	case r < 0x2630:
		return false
	case r <= 0x2637, r >= 0x268a && r <= 0x268f, r >= 0x4dc0 && r <= 0x4dff, r >= 0x1d300 && r <= 0x1d376:
		return true
	}
	return false
}

// apart is the most columns that the parts of a character take separately: some terminals
// give even joiners and marks one.
func (w *Writer) apart(s *Surface, g cells.Glyph) int {
	n := 0
	for text := s.tab.AppendGlyph(nil, g); len(text) > 0; {
		r, size := utf8.DecodeRune(text)
		n += max(1, cells.RuneWidth(r))
		if widened(r) {
			n++
		}
		text = text[size:]
	}
	return n
}

// inDoubt writes a character at column x that may take more columns than its cell has. If
// its parts may reach over the right border, automatic wrapping is switched off: in the
// last row a wrap would scroll the whole picture.
func (w *Writer) inDoubt(s *Surface, g cells.Glyph, x int) {
	if x+w.apart(s, g) <= w.cols {
		w.buf = s.tab.AppendGlyph(w.buf, g)
		return
	}
	w.buf = append(w.buf, "\x1b[?7l"...)
	w.buf = s.tab.AppendGlyph(w.buf, g)
	w.buf = append(w.buf, "\x1b[?7h"...)
}

// inLastColumn writes such a character into the last column of row y: it writes it one
// column before and then inserts a cell (ICH). In the last column a wide character has no
// room, and Windows Terminal joins a letter's marks to another character.
func (w *Writer) inLastColumn(s *Surface, back []cells.Cell, y int) {
	x := w.cols - 1
	w.buf = appendCUP(w.buf, x-1, y)
	w.inDoubt(s, back[x].Glyph, x-1)
	w.buf = append(appendCUP(w.buf, x-1, y), "\x1b[@"...)
	if x--; back[x].Span == cells.Tail {
		x--
	}
	w.buf = appendCUP(w.buf, x, y)
	w.setPen(s, back[x].Style)
	w.inDoubt(s, back[x].Glyph, x)
}

// sums reports whether a cluster takes as many columns as its parts together, as wcswidth
// adds them up (each half of a flag counts one). It is true for clusters other than emoji:
// dropping a part of these would drop a letter.
func sums(cluster []byte) bool {
	_, width := Next(string(cluster))
	n, emoji := 0, false
	for _, r := range string(cluster) {
		switch {
		case r >= 0x1f1e6 && r <= 0x1f1ff:
			n++
			continue
		case r >= 0x1f000 && r < 0x20000, r == 0xfe0f:
			emoji = true
		}
		n += cells.RuneWidth(r)
	}
	return n == width || !emoji
}

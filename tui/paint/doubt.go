package paint

import (
	"unicode/utf8"

	"ccdir/internal/cells"
)

// Terminals differ on how many columns a character takes: those with older tables
// give an emoji one, those with newer ones some symbols two, those that don't keep
// clusters together give each of its parts its own. Nothing on the row may move for that: after a character in doubt
// the cursor is placed anew, what it may have left is blanked before, and what it
// may have covered is written again.

// doubtful reports whether terminals may differ on the columns of c.
func (w *Writer) doubtful(c cells.Cell) bool {
	switch {
	case c.Glyph.IsCluster():
		return true
	case c.Span != cells.Wide:
		return widened(rune(c.Glyph))
	}
	return w.caps.Glyphs != GlyphsAll || !alwaysWide(rune(c.Glyph))
}

// alwaysWide reports whether every table of widths has r as wide: the scripts of
// East Asia as Unicode 5 had them.
func alwaysWide(r rune) bool {
	switch {
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0x303e, r >= 0x3041 && r <= 0x4dbf, r >= 0x4e00 && r <= 0xa4cf,
		r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff01 && r <= 0xff60,
		r >= 0xffe0 && r <= 0xffe6, r >= 0x20000 && r <= 0x3fffd:
		return true
	}
	return false
}

// widened reports whether r is a symbol that Unicode 16 made wide, and which counts as
// narrow here: in Windows Terminal of 2026 it is wide.
func widened(r rune) bool {
	switch {
	case r < 0x2630:
		return false
	case r <= 0x2637, r >= 0x268a && r <= 0x268f, r >= 0x4dc0 && r <= 0x4dff, r >= 0x1d300 && r <= 0x1d376:
		return true
	}
	return false
}

// apart is how many columns the parts of a character take each for itself, at most: on
// terminals that give also joiners and marks one.
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

// inDoubt writes a character at column x that may take more columns than it has. If it
// may reach over the right border, or its parts, each by itself, the terminal must not go on with them in the next row: below the
// last one it would move the whole picture.
func (w *Writer) inDoubt(s *Surface, g cells.Glyph, x int) {
	if x+w.apart(s, g) <= w.cols {
		w.buf = s.tab.AppendGlyph(w.buf, g)
		return
	}
	w.buf = append(w.buf, "\x1b[?7l"...)
	w.buf = s.tab.AppendGlyph(w.buf, g)
	w.buf = append(w.buf, "\x1b[?7h"...)
}

// inLastColumn writes such a character in the last column of row y: in the column
// before, which is then inserted anew (ICH). Where it takes two it has no room, and
// Windows Terminal gives the marks of a letter there to another character.
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

// sums reports whether a cluster takes as many columns as its parts do together,
// as wcswidth adds them up. Of a flag each half has one. Only emoji are asked about:
// of others a part that is not shown would be a letter.
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

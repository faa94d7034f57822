package modal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ccdir/internal/cells"
	"ccdir/tui/paint"
	"ccdir/tui/widget/theme"
)

// Mark shows the words of a search inverse where they stand in a drawn row.
func Mark(s *paint.Surface, x, y, w int, words []string) {
	cols, rows := s.Size()
	if y < 0 || y >= rows {
		return
	}
	x, end := max(x, 0), min(x+w, cols)
	// The row in small letters, a cell a rune, so that a place in it is a column.
	row := make([]rune, 0, max(0, end-x))
	var text []byte
	for _, c := range s.Row(y)[min(x, end):end] {
		text = s.Table().AppendGlyph(text[:0], c.Glyph)
		r, _ := utf8.DecodeRune(text)
		switch {
		case c.Span == cells.Tail:
			r = 0
		case len(text) == 0:
			r = ' '
		}
		row = append(row, unicode.ToLower(r))
	}
	for _, word := range words {
		find := wideRunes(word)
		for i := 0; len(find) > 0 && i+len(find) <= len(row); i++ {
			if string(row[i:i+len(find)]) == string(find) {
				s.Restyle(x+i, y, len(find), theme.Selected)
				i += len(find) - 1
			}
		}
	}
}

// wideRunes is a word as its cells: after a wide character comes an empty one.
func wideRunes(word string) (out []rune) {
	for _, r := range strings.ToLower(word) {
		out = append(out, r)
		if paint.Width(string(r)) == 2 {
			out = append(out, 0)
		}
	}
	return out
}

package render

import (
	"ccdir/internal/cells"
	"ccdir/sessions/screen"
)

// Text appends the screen's rows to dst, a line each, trailing blanks cut.
func Text(dst []byte, e screen.Engine) []byte {
	_, rows := e.Size()
	for y := range rows {
		dst = e.Table().AppendText(dst, e.Row(y).Cells)
		dst = append(dst, '\n')
	}
	return dst
}

// ANSI appends the screen's rows to dst, a line each, with their renditions as
// SGR sequences. Every line begins and ends in the default rendition.
func ANSI(dst []byte, e screen.Engine) []byte {
	_, rows := e.Size()
	for y := range rows {
		dst = Row(dst, e.Table(), e.Row(y).Cells)
		dst = append(dst, '\n')
	}
	return dst
}

// Row appends one row with its renditions. Blanks at the end that show nothing
// are cut.
func Row(dst []byte, t *cells.Table, row []cells.Cell) []byte {
	for len(row) > 0 && row[len(row)-1].Blank() && !drawsBlank(t.Style(row[len(row)-1].Style)) {
		row = row[:len(row)-1]
	}
	var now cells.Style
	id := cells.StyleID(0)
	for _, c := range row {
		if c.Span == cells.Tail {
			continue
		}
		if c.Style != id {
			id = c.Style
			next := t.Style(id)
			dst = appendChange(dst, t, now, next)
			now = next
		}
		dst = t.AppendGlyph(dst, c.Glyph)
	}
	return appendChange(dst, t, now, cells.Style{})
}

// drawsBlank reports whether a blank in style s can be seen.
func drawsBlank(s cells.Style) bool {
	return !s.BG.IsDefault() || s.Underline != 0 || s.Attrs&(cells.Inverse|cells.Strike|cells.Overline) != 0
}

// appendChange appends what turns rendition from into to.
func appendChange(dst []byte, t *cells.Table, from, to cells.Style) []byte {
	if from.Link != to.Link {
		dst = append(dst, "\x1b]8;;"...)
		dst = append(dst, t.LinkURI(to.Link)...)
		dst = append(dst, "\x1b\\"...)
	}
	from.Link, to.Link = 0, 0
	from.Attrs &^= cells.Protected
	to.Attrs &^= cells.Protected
	if from == to {
		return dst
	}
	start := len(dst)
	dst = append(dst, "\x1b[0"...)
	dst = append(to.AppendSGR(dst), 'm')
	return cells.BoundSGR(dst, start)
}

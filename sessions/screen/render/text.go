package render

import (
	"ccdir/internal/grid"
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
func Row(dst []byte, t *grid.Table, cells []grid.Cell) []byte {
	for len(cells) > 0 && cells[len(cells)-1].Blank() && !drawsBlank(t.Style(cells[len(cells)-1].Style)) {
		cells = cells[:len(cells)-1]
	}
	var now grid.Style
	id := grid.StyleID(0)
	for _, c := range cells {
		if c.Span == grid.Tail {
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
	return appendChange(dst, t, now, grid.Style{})
}

// drawsBlank reports whether a blank in style s can be seen.
func drawsBlank(s grid.Style) bool {
	return !s.BG.IsDefault() || s.Underline != 0 || s.Attrs&(grid.Inverse|grid.Strike|grid.Overline) != 0
}

// appendChange appends what turns rendition from into to.
func appendChange(dst []byte, t *grid.Table, from, to grid.Style) []byte {
	if from.Link != to.Link {
		dst = append(dst, "\x1b]8;;"...)
		dst = append(dst, t.LinkURI(to.Link)...)
		dst = append(dst, "\x1b\\"...)
	}
	from.Link, to.Link = 0, 0
	from.Attrs &^= grid.Protected
	to.Attrs &^= grid.Protected
	if from == to {
		return dst
	}
	start := len(dst)
	dst = append(dst, "\x1b[0"...)
	dst = append(to.AppendSGR(dst), 'm')
	return grid.BoundSGR(dst, start)
}

package render

import (
	"bytes"
	"encoding/xml"
	"fmt"

	"ccdir/internal/cells"
	"ccdir/sessions/screen"
)

// Measures of the picture, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 18
	baseline   = 13.5
	margin     = 8
)

// Default colours of the picture.
const (
	svgForeground = "#d8dee9"
	svgBackground = "#14171c"
)

// SVG appends a picture of the screen, with its cursor, to dst.
func SVG(dst []byte, e screen.Engine) []byte {
	cols, rows := e.Size()
	w := svgWriter{table: e.Table(), reverse: e.State().Modes.ReverseVideo}
	width, height := float64(cols)*cellWidth+2*margin, rows*cellHeight+2*margin
	fmt.Fprintf(&w.b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.1f" height="%d" viewBox="0 0 %.1f %d">`+"\n", width, height, width, height)
	_, bg := w.colors(cells.Style{})
	fmt.Fprintf(&w.b, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", bg)
	fmt.Fprintf(&w.b, `<g transform="translate(%d %d)" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">`+"\n", margin, margin)
	for y := range rows {
		w.row(e.Row(y).Cells, y)
	}
	if c := e.State().Cursor; c.Visible {
		fmt.Fprintf(&w.b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s" fill-opacity="0.5"/>`+"\n",
			float64(c.X)*cellWidth, c.Y*cellHeight, cellWidth, cellHeight, svgForeground)
	}
	w.b.WriteString("</g>\n</svg>\n")
	return append(dst, w.b.Bytes()...)
}

type svgWriter struct {
	b       bytes.Buffer
	table   *cells.Table
	reverse bool // DECSCNM
	text    []byte
}

// row draws the runs of equal style of one row. The words of each are stretched to their
// columns, so that a font of other widths does not move what follows.
func (w *svgWriter) row(cells []cells.Cell, y int) {
	for x := 0; x < len(cells); {
		end := x + 1
		for end < len(cells) && cells[end].Style == cells[x].Style {
			end++
		}
		w.run(cells[x:end], x, y)
		x = end
	}
}

func (w *svgWriter) run(row []cells.Cell, x, y int) {
	s := w.table.Style(row[0].Style)
	fg, bg := w.colors(s)
	if _, plain := w.colors(cells.Style{}); bg != plain {
		fmt.Fprintf(&w.b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n",
			float64(x)*cellWidth, y*cellHeight, float64(len(row))*cellWidth, cellHeight, bg)
	}
	if s.Attrs&cells.Hidden != 0 {
		return
	}
	// Blanks are not drawn, unless a line goes through them: viewers make one of several, and
	// would stretch the words around them.
	if s.Underline != 0 || s.Attrs&(cells.Strike|cells.Overline) != 0 {
		w.words(row, x, y, fg, s)
		return
	}
	for len(row) > 0 {
		n := wordsEnd(row)
		if n > 0 {
			w.words(row[:n], x, y, fg, s)
		}
		for n < len(row) && row[n].Blank() {
			n++
		}
		row, x = row[n:], x+n
	}
}

// wordsEnd is where the words at the beginning of a row end: before two blanks, or those at its end.
func wordsEnd(row []cells.Cell) int {
	for i, c := range row {
		if c.Blank() && (i == 0 || i+1 == len(row) || row[i+1].Blank()) {
			return i
		}
	}
	return len(row)
}

// words draws a text, stretched to its columns.
func (w *svgWriter) words(row []cells.Cell, x, y int, fg string, s cells.Style) {
	w.text = w.text[:0]
	for _, c := range row {
		if c.Span != cells.Tail {
			w.text = w.table.AppendGlyph(w.text, c.Glyph)
		}
	}
	fmt.Fprintf(&w.b, `<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"%s>`,
		float64(x)*cellWidth, float64(y*cellHeight)+baseline, float64(len(row))*cellWidth, fg, svgAttrs(s))
	_ = xml.EscapeText(&w.b, w.text) // a bytes.Buffer does not fail
	w.b.WriteString("</text>\n")
}

func svgAttrs(s cells.Style) string {
	out := ""
	if s.Attrs&cells.Bold != 0 {
		out += ` font-weight="bold"`
	}
	if s.Attrs&cells.Italic != 0 {
		out += ` font-style="italic"`
	}
	if s.Attrs&cells.Dim != 0 {
		out += ` opacity="0.6"`
	}
	lines := ""
	if s.Underline != 0 {
		lines += " underline"
	}
	if s.Attrs&cells.Strike != 0 {
		lines += " line-through"
	}
	if s.Attrs&cells.Overline != 0 {
		lines += " overline"
	}
	if lines != "" {
		out += ` text-decoration="` + lines[1:] + `"`
	}
	return out
}

// colors gives the colours as drawn, inverse and reverse video applied.
func (w *svgWriter) colors(s cells.Style) (fg, bg string) {
	fg, bg = svgColor(s.FG, svgForeground), svgColor(s.BG, svgBackground)
	if (s.Attrs&cells.Inverse != 0) != w.reverse {
		fg, bg = bg, fg
	}
	return fg, bg
}

func svgColor(c cells.Color, def string) string {
	r, g, b, ok := c.RGB()
	if i, indexed := c.Index(); indexed {
		r, g, b = cells.PaletteRGB(i)
	} else if !ok {
		return def
	}
	return fmt.Sprintf("#%02x%02x%02x", r, g, b)
}

package sgr

import (
	"strings"

	"ccdir/internal/cells"
	"ccdir/tui/paint"
)

// Screen is a screen of lines with styles.
type Screen struct {
	Table *cells.Table
	Rows  []cells.Row
	Cols  int
}

// Bounds of a screen, in cells.
const (
	maxCols = 1000
	maxRows = 1000
)

// Parse reads lines of text with SGR sequences, as the daemon gives the last screen of a
// session (format=ansi), into a screen of at least cols by rows cells. Other sequences
// are dropped, and so are the first lines of more than a thousand.
func Parse(text string, cols, rows int) Screen {
	s := Screen{Table: cells.NewTable(), Cols: max(1, min(cols, maxCols))}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) > maxRows {
		lines = lines[len(lines)-maxRows:]
	}
	var pen cells.Style
	for _, l := range lines {
		var row []cells.Cell
		row, pen = s.line(strings.TrimSuffix(l, "\r"), pen)
		s.Rows = append(s.Rows, cells.Row{Cells: row, Gen: 1})
		s.Cols = max(s.Cols, len(row))
	}
	for len(s.Rows) < min(rows, maxRows) {
		s.Rows = append(s.Rows, cells.Row{Gen: 1})
	}
	return s
}

// line is a line in cells, and the style that it ends with.
func (s Screen) line(l string, pen cells.Style) ([]cells.Cell, cells.Style) {
	var row []cells.Cell
	for l != "" && len(row) < maxCols {
		if l[0] == 0x1b {
			n, params, ok := Sequence(l)
			if ok {
				pen = applySGR(pen, params)
			}
			l = l[n:]
			continue
		}
		end := strings.IndexByte(l, 0x1b)
		if end < 0 {
			end = len(l)
		}
		id, _ := s.Table.StyleID(pen)
		for text := l[:end]; text != "" && len(row) < maxCols; {
			n, w := paint.Next(text)
			glyph, _ := s.Table.Glyph([]byte(text[:n]))
			if text = text[n:]; w <= 0 {
				continue
			}
			c := cells.Cell{Glyph: glyph, Style: id}
			if w >= 2 {
				c.Span = cells.Wide
				row = append(row, c, cells.Cell{Style: id, Span: cells.Tail})
				continue
			}
			row = append(row, c)
		}
		l = l[end:]
	}
	return row, pen
}

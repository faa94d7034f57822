package edit

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ccdir/tui/paint"
)

// Row is one row of the wrapped text: the bytes From…To of a line.
type Row struct {
	Line, From, To int
}

// View is the part of the wrapped text around the cursor.
type View struct {
	Rows []Row
	// X and Y are the cursor's cell, relative to the first row.
	X, Y int
	// Above and Below tell whether there is more.
	Above, Below bool
}

// View wraps the text at width columns, one of which is kept for the cursor,
// and chooses at most height rows around the cursor.
func (b Buffer) View(width, height int) View {
	width, height = max(width, 2), max(height, 1)
	here := b.wrapLine(b.row, width)
	at := b.rowAt(here)
	rows := here
	y := at
	// Lines above and below as far as there can be room.
	first, last := b.row, b.row
	for first > 0 && y < height {
		first--
		above := b.wrapLine(first, width)
		rows = append(above, rows...)
		y += len(above)
	}
	for last+1 < len(b.lines) && len(rows) < y+height {
		last++
		rows = append(rows, b.wrapLine(last, width)...)
	}
	// The cursor's row is the last one shown, or all rows are.
	top := max(0, min(y-height+1, len(rows)-height))
	end := min(len(rows), top+height)
	v := View{Rows: rows[top:end:end], Y: y - top, Above: top > 0 || first > 0, Below: end < len(rows) || last+1 < len(b.lines)}
	// A label can be wider than the row.
	v.X = min(b.width(b.Line(b.row)[here[at].From:b.off]), width-1)
	return v
}

// Height is how many rows the text takes at that width, at most max.
func (b Buffer) Height(width, max int) int {
	n := 0
	for i := range b.lines {
		if n += len(b.wrapLine(i, width)); n >= max {
			return max
		}
	}
	if n < 1 {
		return 1
	}
	return n
}

// rowAt is which of its line's rows the cursor is in.
func (b Buffer) rowAt(rows []Row) int {
	for i, r := range rows {
		if b.off < r.To || i == len(rows)-1 {
			return i
		}
	}
	return 0
}

// wrapLine breaks a line after blanks, or where the width ends. Every cluster
// keeps its place, blanks too.
func (b Buffer) wrapLine(line, width int) []Row {
	text, room := b.Line(line), max(width, 2)-1
	var rows []Row
	from, used := 0, 0
	brk := 0 // behind the last blank of the row
	for at := 0; at < len(text); {
		n, w := b.next(text[at:])
		for used+w > room && at > from {
			to := at
			if brk > from {
				to = brk
			}
			rows = append(rows, Row{line, from, to})
			from, used = to, b.width(text[to:at])
			brk = from
		}
		used += w
		at += n
		if text[at-1] == ' ' || text[at-1] == '\t' {
			brk = at
		}
	}
	return append(rows, Row{line, from, len(text)})
}

// next measures a cluster as it is shown.
func (b Buffer) next(s string) (size, width int) {
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1, 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if isFold(r) {
		return n, paint.Width(b.label(r))
	}
	return paint.Next(s)
}

func (b Buffer) width(s string) int {
	w := 0
	for len(s) > 0 {
		n, cw := b.next(s)
		w, s = w+cw, s[n:]
	}
	return w
}

// Piece is text to be drawn in one style.
type Piece struct {
	Text string
	// Fold: it is a label.
	Fold bool
}

// Pieces is a row for the screen: folds by their labels, tabs as a sign.
func (b Buffer) Pieces(r Row) []Piece {
	text := b.Line(r.Line)[r.From:r.To]
	var out []Piece
	for {
		i := strings.IndexFunc(text, isFold)
		if i < 0 {
			break
		}
		f, n := utf8.DecodeRuneInString(text[i:])
		if i > 0 {
			out = append(out, Piece{Text: tabs(text[:i])})
		}
		out = append(out, Piece{Text: b.label(f), Fold: true})
		text = text[i+n:]
	}
	if text != "" {
		out = append(out, Piece{Text: tabs(text)})
	}
	return out
}

func tabs(s string) string { return strings.ReplaceAll(s, "\t", "→") }

// label is the text that stands for a fold.
func (b Buffer) label(fold rune) string {
	text := b.folds[fold-firstFold]
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	size := fmt.Sprintf("%d bytes", len(text))
	switch {
	case len(text) >= 1<<20:
		size = fmt.Sprintf("%.1f MB", float64(len(text))/(1<<20))
	case len(text) >= 1<<10:
		size = fmt.Sprintf("%d KB", len(text)>>10)
	}
	if lines == 1 {
		return "[paste: " + size + "]"
	}
	return fmt.Sprintf("[paste: %d lines, %s]", lines, size)
}

// vertical moves the cursor by a row.
func (b Buffer) vertical(by, width int) (Buffer, bool) {
	rows := b.wrapLine(b.row, width)
	at := b.rowAt(rows)
	goal := b.goal - 1
	if goal < 0 {
		goal = b.width(b.Line(b.row)[rows[at].From:b.off])
	}
	row, to := b.row, at+by
	switch {
	case to < 0 && row == 0, to >= len(rows) && row+1 >= len(b.lines):
		return b, false
	case to < 0:
		row--
		rows = b.wrapLine(row, width)
		to = len(rows) - 1
	case to >= len(rows):
		row++
		rows, to = b.wrapLine(row, width), 0
	}
	b.row, b.off, b.goal = row, b.offAt(rows[to], goal, to+1 < len(rows)), goal+1
	return b, true
}

// offAt is the place in a row that is nearest to a column; wrapped: the line goes
// on in the next row.
func (b Buffer) offAt(r Row, column int, wrapped bool) int {
	text, off, used := b.Line(r.Line), r.From, 0
	for off < r.To {
		n, w := b.next(text[off:])
		if used+w > column || off+n == r.To && wrapped {
			break // the end of a wrapped row is the beginning of the next
		}
		off, used = off+n, used+w
	}
	return off
}

// At puts the cursor into column x of a row of a View.
func (b Buffer) At(r Row, x int) Buffer {
	return b.to(r.Line, b.offAt(r, x, r.To < len(b.Line(r.Line))))
}

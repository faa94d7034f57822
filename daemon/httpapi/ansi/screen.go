package ansi

import (
	"slices"
	"strconv"

	"ccdir/internal/cells"
	"ccdir/wire"
)

// Screen keeps a copy of a session's screen and of the client's terminal, and draws
// the differences with escape sequences of xterm-like terminals. It draws cells only: no
// escape sequence of the application reaches the client. Not safe for concurrent use.
type Screen struct {
	mirror *wire.Mirror
	// cols and rows are the size of the client's terminal; 0: not known.
	cols, rows int

	// table, cells, flags and cursor are the content of the client's terminal; table nil:
	// not known.
	table  *cells.Table
	cells  [][]cells.Cell
	flags  wire.FrameFlags
	cursor wire.Cursor
	// scroll is how many rows the region top to bottom moved up since the last draw.
	top, bottom, scroll int
}

func NewScreen(cols, rows int) *Screen {
	return &Screen{mirror: wire.NewMirror(), cols: cols, rows: rows}
}

// NeedsRefresh reports whether a frame did not fit the copy, so that the host must send a
// whole one (Mirror.NeedsRefresh).
func (s *Screen) NeedsRefresh() bool { return s.mirror.NeedsRefresh() }

// Resize sets the client's size. After a change the content of its terminal is not known.
func (s *Screen) Resize(cols, rows int) {
	s.cols, s.rows = cols, rows
	s.Forget()
}

// Forget makes the next draw a complete one.
func (s *Screen) Forget() { s.table, s.scroll = nil, 0 }

// Apply updates the session's screen by a frame.
func (s *Screen) Apply(f *wire.Frame) error {
	switch {
	case f.ScrollN == 0 || f.Full:
		if f.Full {
			s.scroll = 0
		}
	case s.scroll == 0:
		s.top, s.bottom, s.scroll = f.ScrollTop, f.ScrollBottom, f.ScrollN
	case s.top == f.ScrollTop && s.bottom == f.ScrollBottom && (s.scroll > 0) == (f.ScrollN > 0):
		s.scroll += f.ScrollN
	default:
		s.scroll = 0 // more than one movement: rows are drawn instead
	}
	return s.mirror.Apply(f)
}

// Draw returns the bytes that bring the client's terminal up to date; none before the
// first frame.
func (s *Screen) Draw() []byte {
	if s.mirror.NeedsRefresh() {
		return nil
	}
	cols, rows := s.mirror.Size()
	if s.cols > 0 {
		cols, rows = min(cols, s.cols), min(rows, s.rows)
	}
	dst := []byte("\x1b[?2026h\x1b[?25l")
	empty := len(dst)
	if s.table != s.mirror.Table() || len(s.cells) != rows || rows > 0 && len(s.cells[0]) != cols {
		dst = s.startOver(dst, cols, rows)
	}
	dst = s.modes(dst)
	dst = s.move(dst)
	for y := range rows {
		dst = s.row(dst, y, s.mirror.Row(y).Cells[:cols])
	}
	cursor := s.mirror.Cursor()
	if len(dst) == empty && cursor == s.cursor {
		return nil
	}
	s.cursor = cursor
	if cursor.Shape != 0 {
		dst = append(strconv.AppendUint(append(dst, "\x1b["...), uint64(cursor.Shape), 10), " q"...)
	}
	dst = place(dst, min(cursor.X, max(cols-1, 0)), min(cursor.Y, max(rows-1, 0)))
	if cursor.Visible && cursor.X < cols && cursor.Y < rows {
		dst = append(dst, "\x1b[?25h"...)
	}
	return append(dst, "\x1b[?2026l"...)
}

// startOver sets the terminal to a known state: no wrapping at the right margin, no
// scrolling region, cleared.
func (s *Screen) startOver(dst []byte, cols, rows int) []byte {
	s.table, s.scroll = s.mirror.Table(), 0
	s.cells = make([][]cells.Cell, rows)
	for y := range s.cells {
		s.cells[y] = make([]cells.Cell, cols)
	}
	dst = append(dst, "\x1b[?7l\x1b[r\x1b[m"...)
	for _, m := range modeFlags {
		dst = append(append(dst, m.number...), 'l')
	}
	if s.flags&wire.FlagAlt != 0 {
		dst = append(dst, "\x1b[?1049l"...)
	}
	s.flags = 0
	return append(dst, "\x1b[H\x1b[2J"...)
}

// modeFlags are the application's modes that the client's terminal needs, with the
// sequences that set and reset them.
var modeFlags = []struct {
	flag   wire.FrameFlags
	number string
}{
	{wire.FlagReverse, "\x1b[?5"},
	{wire.FlagBracketed, "\x1b[?2004"},
	{wire.FlagFocusReports, "\x1b[?1004"},
	{wire.FlagMouse, "\x1b[?1006;1000"},
	{wire.FlagMouseMotion, "\x1b[?1002"},
	{wire.FlagMouseAny, "\x1b[?1003"},
}

// modes appends the changes of the application's modes.
func (s *Screen) modes(dst []byte) []byte {
	flags := s.mirror.Flags()
	if flags == s.flags {
		return dst
	}
	if changed := flags ^ s.flags; changed&wire.FlagAlt != 0 {
		on := byte('l')
		if flags&wire.FlagAlt != 0 {
			on = 'h'
		}
		dst = append(dst, "\x1b[?1049"...)
		dst = append(dst, on)
		dst = append(dst, "\x1b[m\x1b[H\x1b[2J"...)
		for _, row := range s.cells {
			clear(row)
		}
		s.scroll = 0
	}
	for _, m := range modeFlags {
		switch {
		case flags&m.flag != 0 && s.flags&m.flag == 0:
			dst = append(append(dst, m.number...), 'h')
		case flags&m.flag == 0 && s.flags&m.flag != 0:
			dst = append(append(dst, m.number...), 'l')
		}
	}
	s.flags = flags
	return dst
}

// move scrolls like the application did, so that lines that leave the screen enter the
// terminal's own history.
func (s *Screen) move(dst []byte) []byte {
	n := s.scroll
	s.scroll = 0
	_, whole := s.mirror.Size()
	if n == 0 || whole != len(s.cells) || s.top < 0 || s.bottom >= len(s.cells) || s.top >= s.bottom {
		return dst
	}
	part := s.cells[s.top : s.bottom+1]
	n = max(min(n, len(part)), -len(part))
	region := s.top > 0 || s.bottom < len(s.cells)-1
	if region {
		dst = append(dst, "\x1b["...)
		dst = strconv.AppendInt(dst, int64(s.top+1), 10)
		dst = append(dst, ';')
		dst = append(strconv.AppendInt(dst, int64(s.bottom+1), 10), 'r')
	}
	switch {
	case n > 0 && s.top == 0:
		dst = place(dst, 0, s.bottom)
		for range n {
			dst = append(dst, '\n')
		}
	case n > 0:
		dst = append(strconv.AppendInt(append(dst, "\x1b["...), int64(n), 10), 'S')
	default:
		dst = append(strconv.AppendInt(append(dst, "\x1b["...), int64(-n), 10), 'T')
	}
	if region {
		dst = append(dst, "\x1b[r"...)
	}
	shift := ((n % len(part)) + len(part)) % len(part)
	copy(part, append(slices.Clone(part[shift:]), part[:shift]...))
	free := part[:max(-n, 0)]
	if n > 0 {
		free = part[len(part)-n:]
	}
	for _, row := range free {
		clear(row)
	}
	return dst
}

// row draws the differences of one row.
func (s *Screen) row(dst []byte, y int, want []cells.Cell) []byte {
	have := s.cells[y]
	first, last := 0, len(want)-1
	for first < len(want) && have[first] == want[first] {
		first++
	}
	if first == len(want) {
		return dst
	}
	for have[last] == want[last] {
		last--
	}
	for first > 0 && want[first].Span == cells.Tail {
		first--
	}
	for last+1 < len(want) && want[last+1].Span == cells.Tail {
		last++
	}
	copy(have[first:last+1], want[first:last+1])
	return appendCells(place(dst, first, y), s.table, want[first:last+1], first)
}

// appendCells draws cells from column x on, beginning and ending in the default rendition.
// After characters whose width differs among terminals it sets the cursor.
func appendCells(dst []byte, t *cells.Table, row []cells.Cell, x int) []byte {
	style := cells.StyleID(0)
	link := ""
	for i, c := range row {
		if c.Span == cells.Tail {
			continue
		}
		if c.Style != style {
			s := t.Style(c.Style)
			if uri := safeLink(t.LinkURI(s.Link)); uri != link {
				dst = append(append(append(dst, "\x1b]8;;"...), uri...), "\x1b\\"...)
				link = uri
			}
			start := len(dst)
			dst = append(s.AppendSGR(append(dst, "\x1b[0"...)), 'm')
			dst = cells.BoundSGR(dst, start)
			style = c.Style
		}
		if c.Span == cells.Wide && i+1 >= len(row) {
			dst = append(dst, ' ') // its other half is outside
			continue
		}
		dst = t.AppendGlyph(dst, c.Glyph)
		if (c.Span == cells.Wide || c.Glyph.IsCluster()) && i+1 < len(row) {
			next := x + i + 1
			if c.Span == cells.Wide {
				next++
			}
			dst = append(strconv.AppendInt(append(dst, "\x1b["...), int64(next+1), 10), 'G')
		}
	}
	if link != "" {
		dst = append(dst, "\x1b]8;;\x1b\\"...)
	}
	if style != 0 {
		dst = append(dst, "\x1b[m"...)
	}
	return dst
}

// safeLink returns the link, or "" if it may not be drawn.
func safeLink(uri string) string {
	if cells.SafeLink(uri) {
		return uri
	}
	return ""
}

// place puts the cursor.
func place(dst []byte, x, y int) []byte {
	dst = append(dst, "\x1b["...)
	dst = strconv.AppendInt(dst, int64(y+1), 10)
	dst = append(dst, ';')
	return append(strconv.AppendInt(dst, int64(x+1), 10), 'H')
}

// AppendHistory appends history lines so that they scroll into the terminal's own history,
// above a screen of that many rows.
func AppendHistory(dst, data []byte, rows int) ([]byte, error) {
	if len(data) == 0 {
		return dst, nil
	}
	table := cells.NewTable()
	lines := 0
	dst = append(dst, "\x1b[?7l\x1b[r\x1b[m\x1b[H\x1b[2J"...)
	err := wire.DecodeRows(data, table, func(_ int, row cells.Row) bool {
		dst = append(appendCells(dst, table, row.Cells, 0), "\r\n"...)
		lines++
		return true
	})
	dst = place(dst, 0, rows-1)
	for range min(lines, rows-1) {
		dst = append(dst, '\n')
	}
	return dst, err
}

package paint

import (
	"strconv"
	"unicode/utf8"

	"ccdir/internal/cells"
)

// Sizes from which an escape sequence is shorter than its alternative.
const (
	// gapCells: up to so many unchanged cells are written again instead of being skipped
	// by a cursor move of three or more bytes.
	gapCells = 3
	// eraseCells: ECH and the move after it cost about as much as so many blanks.
	eraseCells = 9
	// repeatCells: REP and its character cost about as much as so many characters. tmux
	// repeats only ASCII.
	repeatCells = 6
	// syncBytes: frames of at least this size get a synchronized update (16 bytes);
	// smaller ones reach the terminal in one read anyway.
	syncBytes = 128
)

// unknown is the span of a cell whose content on the terminal is not known: it differs
// from every cell of a surface.
const unknown cells.Span = 0xff

// Cursor is the wanted cursor of the terminal, in cells from 0.
type Cursor struct {
	X, Y    int
	Visible bool
	// Shape is the DECSCUSR number; 0: the terminal's own.
	Shape uint8
}

// Writer produces the bytes that change what the terminal shows into a surface. The zero
// value is not ready; see NewWriter.
type Writer struct {
	caps       Caps
	cols, rows int
	front      []cells.Cell
	cleared    bool // front is what the terminal shows

	buf    []byte
	pen    cells.Style
	penOK  bool // the terminal's rendition is pen
	penID  int  // StyleID of pen in the surface's table; -1: not known
	x, y   int  // the terminal's cursor; -1: not known
	spans  int  // runs of cells in this frame
	cursor Cursor
	body   int // where the frame's own bytes begin in buf

	// Buffers of findShift.
	blank []cells.Cell
	rowAt map[uint64]int
	votes map[int]int

	// Bytes counts the bytes of all frames, Frames the frames that were not empty.
	Bytes, Frames uint64
}

// NewWriter makes a writer for a terminal whose content is not known: the first frame
// clears the screen.
func NewWriter(caps Caps) *Writer {
	return &Writer{caps: caps, x: -1, y: -1, penID: -1, cursor: Cursor{Visible: true}}
}

// SetSync says whether the terminal has synchronized updates.
func (w *Writer) SetSync(on bool) { w.caps.Sync = on }

// Clear makes the next frame clear the terminal and draw everything: after a resize, or
// after another program has written to the terminal.
func (w *Writer) Clear() { w.cleared, w.cols, w.rows = false, 0, 0 }

// Forget makes the next frame write every cell, without clearing first.
func (w *Writer) Forget() {
	for i := range w.front {
		w.front[i] = cells.Cell{Span: unknown}
	}
	w.x, w.y, w.penID, w.penOK = -1, -1, -1, false
}

// Frame returns the bytes that make the terminal show s with the cursor at cur; none if it
// does already. They are valid until the next call and have to be written whole: the rows
// of s count as shown from now on.
func (w *Writer) Frame(s *Surface, cur Cursor) []byte {
	const syncOn, hide = "\x1b[?2026h", "\x1b[?25l"
	w.buf = append(w.buf[:0], syncOn+hide...)
	w.body, w.spans = len(w.buf), 0
	if w.cols != s.cols || w.rows != s.rows || !w.cleared {
		w.fit(s)
	} else if w.caps.Scroll {
		w.scrolls(s)
	}
	for y := range s.rows {
		if s.dirty[y] {
			w.row(s, y)
			s.dirty[y] = false
		}
	}
	w.link(s, 0)
	painted := len(w.buf) > w.body
	hidden := painted && w.spans > 1 && w.cursor.Visible && !w.caps.Sync
	if hidden {
		w.cursor.Visible = false
	}
	w.place(cur)
	if len(w.buf) == w.body {
		return nil
	}
	out := w.buf[w.body:]
	switch {
	case painted && w.caps.Sync && len(out) >= syncBytes:
		copy(w.buf[len(hide):], syncOn)
		w.buf = append(w.buf, "\x1b[?2026l"...)
		out = w.buf[len(hide):]
	case hidden:
		out = w.buf[len(syncOn):]
	}
	w.Bytes += uint64(len(out))
	w.Frames++
	return out
}

// fit starts again with a cleared screen of the surface's size.
func (w *Writer) fit(s *Surface) {
	w.cols, w.rows, w.cleared = s.cols, s.rows, true
	w.front = make([]cells.Cell, s.cols*s.rows)
	w.buf = append(w.buf, "\x1b[m\x1b[H\x1b[2J"...)
	w.pen, w.penOK, w.penID, w.x, w.y = cells.Style{}, true, 0, 0, 0
	w.spans += 2
	for y := range s.dirty {
		s.dirty[y] = true
	}
}

// row writes the cells of row y that differ.
func (w *Writer) row(s *Surface, y int) {
	back, front := s.Row(y), w.front[y*w.cols:(y+1)*w.cols]
	tail := blankTail(back)
	for x := 0; x < len(back); {
		if back[x] == front[x] {
			x++
			continue
		}
		if x >= tail && len(back)-x > 3 {
			w.go2(s, back, x, y)
			if !w.anyPen(back[x]) {
				w.setPen(s, back[x].Style)
			}
			w.buf = append(w.buf, "\x1b[K"...)
			copy(front[x:], back[x:])
			return
		}
		w.go2(s, back, x, y)
		x += w.cell(s, back, front, x, y)
	}
}

// blankTail is the column from which the row is blank in the default style, so that EL
// erases it on every terminal.
func blankTail(back []cells.Cell) int {
	x := len(back)
	for x > 0 && back[x-1].Glyph == 0 && back[x-1].Span == cells.Narrow &&
		back[x-1].Style == 0 {
		x--
	}
	return x
}

// go2 brings the cursor to x, y; it writes unchanged cells again where that is shorter than
// a move.
func (w *Writer) go2(s *Surface, back []cells.Cell, x, y int) {
	if w.y == y && w.x == x {
		return
	}
	if gap := x - w.x; w.y == y && w.x >= 0 && gap > 0 && gap <= gapCells {
		cheap := true
		for _, c := range back[w.x:x] {
			if c.Span != cells.Narrow || c.Glyph >= 0x7f || int(c.Style) != w.penID && !w.anyPen(c) {
				cheap = false
				break
			}
		}
		if cheap {
			for _, c := range back[w.x:x] {
				w.buf = s.tab.AppendGlyph(w.buf, c.Glyph)
			}
			w.x = x
			return
		}
	}
	w.spans++
	w.moveTo(x, y)
}

// cell writes the cell at x, y, or a run of equal cells, and returns how many columns it
// has written.
func (w *Writer) cell(s *Surface, back, front []cells.Cell, x, y int) int {
	c := back[x]
	if !w.anyPen(c) {
		w.setPen(s, c.Style)
	}
	n := 1
	doubt := w.doubtful(c)
	if c.Span == cells.Wide {
		n = 2
		if doubt && (front[x+1] != (cells.Cell{}) || !plainBlank(w.pen)) { // which stays where one column is taken
			w.buf = appendCUP(append(w.buf, "  "...), x, y)
		}
	} else if w.caps.Erase || w.caps.Repeat {
		for x+n < len(back) && back[x+n] == c && front[x+n] != c {
			n++
		}
		if run := n; run >= eraseCells && w.caps.Erase && c.Glyph == 0 && plainBlank(w.pen) && x+run < w.cols {
			w.buf = appendCSI(w.buf, run, 'X')
			copy(front[x:x+run], back[x:x+run])
			return run
		}
		if !w.caps.Repeat || c.Glyph >= utf8.RuneSelf || n < repeatCells || x+n >= w.cols {
			n = 1
		}
	}
	switch {
	case !doubt:
		w.buf = s.tab.AppendGlyph(w.buf, c.Glyph)
	case x == w.cols-1 && x > 0:
		w.inLastColumn(s, back, y)
	default:
		w.inDoubt(s, c.Glyph, x)
	}
	if n > 1 && c.Span != cells.Wide {
		w.buf = appendCSI(w.buf, n-1, 'b')
	}
	copy(front[x:x+n], back[x:x+n])
	w.x += n
	if w.x >= w.cols || doubt {
		// Terminals differ in where the cursor is at the right border, and in some
		// widths: the next move is absolute.
		w.x, w.y = -1, -1
	}
	if doubt {
		for i := x + n; i < min(x+w.apart(s, c.Glyph), w.cols); i++ {
			front[i] = cells.Cell{Span: unknown}
		}
	}
	return n
}

// anyPen reports whether c is a blank that looks the same in the terminal's present
// rendition: a foreground colour does not show on it.
func (w *Writer) anyPen(c cells.Cell) bool {
	return c.Glyph == 0 && c.Style == 0 && c.Span == cells.Narrow && w.penOK && plainBlank(w.pen)
}

// plainBlank reports whether an erased cell looks like a blank in that style, on terminals
// that erase with the background colour and on others.
func plainBlank(st cells.Style) bool {
	return st.BG.IsDefault() && st.Attrs&(cells.Inverse|cells.Strike|cells.Overline) == 0 &&
		st.Underline == cells.UnderlineNone && st.Link == 0
}

func (w *Writer) setPen(s *Surface, id cells.StyleID) {
	if int(id) == w.penID {
		return
	}
	st := s.tab.Style(id)
	if !w.penOK {
		w.buf = append(w.buf, "\x1b[m"...)
		w.pen, w.penOK = cells.Style{Link: w.pen.Link}, true
	}
	w.link(s, st.Link)
	w.buf = appendSGR(w.buf, w.pen, st)
	w.pen, w.penID = st, int(id)
}

// link opens or closes the hyperlink (OSC 8).
func (w *Writer) link(s *Surface, id uint8) {
	if w.pen.Link == id {
		return
	}
	w.buf = append(w.buf, "\x1b]8;;"...)
	w.buf = append(w.buf, s.tab.LinkURI(id)...)
	w.buf = append(w.buf, "\x1b\\"...)
	w.pen.Link, w.penID = id, -1
}

// place puts the cursor where it belongs.
func (w *Writer) place(cur Cursor) {
	if !w.caps.Shapes {
		cur.Shape = 0
	}
	if cur.X < 0 || cur.Y < 0 || cur.X >= w.cols || cur.Y >= w.rows {
		cur.Visible = false
	}
	if cur.Visible {
		w.moveTo(cur.X, cur.Y)
		if cur.Shape != w.cursor.Shape {
			w.buf = append(w.buf, "\x1b["...)
			w.buf = strconv.AppendInt(w.buf, int64(cur.Shape), 10)
			w.buf = append(w.buf, " q"...)
			w.cursor.Shape = cur.Shape
		}
	}
	if cur.Visible != w.cursor.Visible {
		if cur.Visible {
			w.buf = append(w.buf, "\x1b[?25h"...)
		} else {
			w.buf = append(w.buf, "\x1b[?25l"...)
		}
	}
	w.cursor.Visible, w.cursor.X, w.cursor.Y = cur.Visible, cur.X, cur.Y
}

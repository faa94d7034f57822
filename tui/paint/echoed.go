package paint

import "ccdir/internal/cells"

// AppendPlain appends to a frame the bytes that reset the terminal's style, so that text
// that another process prints there has no attributes. The frame has to be written whole.
func (w *Writer) AppendPlain(frame []byte) []byte {
	if w.penOK && w.pen == (cells.Style{}) {
		return frame
	}
	const reset = "\x1b[m"
	w.pen, w.penOK, w.penID = cells.Style{}, true, 0
	w.Bytes += uint64(len(reset))
	return append(frame, reset...)
}

// Echo is text that another process has printed on the terminal: without attributes, one
// cell per character, on one row.
type Echo struct {
	Text string
	// Moved: the other process has moved the cursor to the cell X, Y before the text.
	Moved bool
	X, Y  int
	// Late: the surface is newer than the text and must not take it.
	Late bool
}

// Echoed takes note of text that another process has printed since the last frame. s is
// the surface of that frame; it shows the text from now on, unless e is late.
func (w *Writer) Echoed(s *Surface, e Echo) {
	if e.Moved {
		w.x, w.y = e.X, e.Y
	}
	if w.cols != s.cols || w.rows != s.rows || w.x < 0 || w.y < 0 {
		w.Clear()
		return
	}
	for _, r := range e.Text {
		if w.x >= w.cols {
			w.Clear()
			return
		}
		c := cells.Cell{Glyph: cells.Glyph(r)}
		if r == ' ' {
			c.Glyph = 0
		}
		w.front[w.y*w.cols+w.x] = c
		if e.Late {
			s.dirty[w.y] = true
		} else {
			s.mend(w.y, w.x, w.x+1)
			s.Row(w.y)[w.x] = c
		}
		w.x++
	}
}

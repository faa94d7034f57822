package paint

import "ccdir/internal/cells"

// AppendPlain appends to a frame's bytes what it takes that the terminal prints text
// without attributes from then on. As the frame it has to be written whole.
func (w *Writer) AppendPlain(frame []byte) []byte {
	if w.penOK && w.pen == (cells.Style{}) {
		return frame
	}
	const reset = "\x1b[m"
	w.pen, w.penOK, w.penID = cells.Style{}, true, 0
	w.Bytes += uint64(len(reset))
	return append(frame, reset...)
}

// Moved takes note that somebody else has moved the terminal's cursor to that cell.
func (w *Writer) Moved(x, y int) { w.x, w.y = x, y }

// Echoed takes note of text that somebody else has printed at the terminal's cursor,
// without attributes: s is the surface of the last frame and shows it too from now
// on. Each character of text takes one cell, and all of them were on the same row.
func (w *Writer) Echoed(s *Surface, text string) {
	w.printed(s, text, func(x, y int, c cells.Cell) {
		s.mend(y, x, x+1)
		s.Row(y)[x] = c
	})
}

// EchoedBefore is Echoed for a surface that is newer than the text and stays as it is.
func (w *Writer) EchoedBefore(s *Surface, text string) {
	w.printed(s, text, func(_, y int, _ cells.Cell) { s.dirty[y] = true })
}

// printed calls each for each cell that the text takes.
func (w *Writer) printed(s *Surface, text string, each func(x, y int, c cells.Cell)) {
	if w.cols != s.cols || w.rows != s.rows || w.x < 0 || w.y < 0 {
		w.Clear()
		return
	}
	for _, r := range text {
		if w.x >= w.cols {
			w.Clear()
			return
		}
		c := cells.Cell{Glyph: cells.Glyph(r)}
		if r == ' ' {
			c.Glyph = 0
		}
		w.front[w.y*w.cols+w.x] = c
		each(w.x, w.y, c)
		w.x++
	}
}

package modal

import (
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/tui/paint"
	"ccdir/tui/widget/theme"
)

// Screen describes the screen that a list or dialog lies on.
type Screen struct {
	Cols, Rows int
	Theme      *theme.Theme
	Keys       *keymap.Map
}

// Middle is the rectangle of a dialog with w by h cells inside, in the middle of a
// screen of cols by rows and never larger than it.
func Middle(cols, rows, w, h int) paint.Rect {
	w, h = min(w+4, cols), min(h+2, rows)
	return paint.Rect{X: (cols - w) / 2, Y: (rows - h) / 2, W: w, H: h}
}

// Popup draws an empty dialog in the middle of the surface and returns the room
// inside.
func Popup(s *paint.Surface, w, h int, title string, c cells.Color) paint.Rect {
	cols, rows := s.Size()
	box := Middle(cols, rows, w, h)
	Box(s, box, title, c)
	return paint.Rect{X: box.X + 2, Y: box.Y + 1, W: max(0, box.W-4), H: max(0, box.H-2)}
}

// Box draws an empty dialog with a title.
func Box(s *paint.Surface, box paint.Rect, title string, c cells.Color) {
	s.Fill(box, cells.Style{})
	if box.W < 2 || box.H < 2 {
		return
	}
	s.Box(box, paint.Round, theme.FG(c))
	if box.W > 6 {
		s.Text(box.X+2, box.Y, box.W-4, paint.Cut(" "+title+" ", box.W-4), theme.Bold(c))
	}
}

// Line draws text in row i of r, cut to its width.
func Line(s *paint.Surface, r paint.Rect, i int, text string, st cells.Style) {
	if i >= 0 && i < r.H {
		s.Text(r.X, r.Y+i, r.W, paint.Cut(text, r.W), st)
	}
}

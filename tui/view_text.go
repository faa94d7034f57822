package tui

import (
	"strings"

	"charm.land/lipgloss/v2"

	"ccdir/internal/grid"
	"ccdir/tui/paint"
	"ccdir/tui/sgr"
	"ccdir/tui/theme"
)

// wrap breaks text at blanks into lines of at most w columns.
func wrap(text string, w int) []string {
	if w < 1 {
		return nil
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		for paint.Width(word) > w {
			if line != "" {
				lines, line = append(lines, line), ""
			}
			head := paint.Head(word, w)
			lines, word = append(lines, head), word[len(head):]
		}
		switch {
		case line == "":
			line = word
		case paint.Width(line)+1+paint.Width(word) <= w:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// flow puts items into lines of at most w columns.
func flow(items []string, w int) []string {
	var lines []string
	cur := ""
	for _, it := range items {
		switch {
		case cur == "":
			cur = it
		case paint.Width(cur)+3+paint.Width(it) <= w:
			cur += "   " + it
		default:
			lines, cur = append(lines, cur), it
		}
	}
	if cur != "" {
		lines = append(lines, cur)
	}
	return lines
}

// popupBox is the rectangle of a dialog with that much room inside, in the
// middle of the screen and never larger than it.
func popupBox(sc *scene, w, h int) paint.Rect {
	w, h = min(w+4, sc.cols), min(h+2, sc.rows)
	return paint.Rect{X: (sc.cols - w) / 2, Y: (sc.rows - h) / 2, W: w, H: h}
}

// drawPopup draws an empty dialog and returns the room inside.
func drawPopup(s *paint.Surface, sc *scene, w, h int, title string, c grid.Color) paint.Rect {
	box := popupBox(sc, w, h)
	drawBox(s, sc, box, title, c)
	return paint.Rect{X: box.X + 2, Y: box.Y + 1, W: max(0, box.W-4), H: max(0, box.H-2)}
}

// drawBox draws an empty dialog with a title.
func drawBox(s *paint.Surface, _ *scene, box paint.Rect, title string, c grid.Color) {
	s.Fill(box, grid.Style{})
	if box.W < 2 || box.H < 2 {
		return
	}
	frame := lipgloss.NewStyle().Border(lipgloss.RoundedBorder()).BorderForeground(colourOf(c))
	sgr.Block(s, box, frame.Width(box.W).Height(box.H).Render(""))
	if box.W > 6 {
		s.Text(box.X+2, box.Y, box.W-4, paint.Cut(" "+title+" ", box.W-4), theme.Bold(c))
	}
}

// line draws text in row i of r, cut to its width.
func line(s *paint.Surface, r paint.Rect, i int, text string, st grid.Style) {
	if i >= 0 && i < r.H {
		s.Text(r.X, r.Y+i, r.W, paint.Cut(text, r.W), st)
	}
}

package sgr

import (
	"strings"

	"ccdir/internal/cells"
	"ccdir/tui/paint"
)

// Draw draws a line of text with SGR sequences and hyperlinks (OSC 8) in at most w columns
// and returns the columns taken. Other sequences are dropped.
func Draw(s *paint.Surface, x, y, w int, text string) int {
	from, end := x, x+w
	var pen cells.Style
	for text != "" && x < end {
		if text[0] == 0x1b {
			n, params, ok := Sequence(text)
			if ok {
				link := pen.Link
				pen = applySGR(pen, params)
				pen.Link = link
			} else if uri, ok := linkIn(text[:n]); ok {
				pen.Link = s.Link(uri)
			}
			text = text[n:]
			continue
		}
		part := text
		if i := strings.IndexByte(text, 0x1b); i >= 0 {
			part = text[:i]
		}
		x += s.Text(x, y, end-x, part, pen)
		text = text[len(part):]
	}
	return x - from
}

// Block draws text of several lines into r.
func Block(s *paint.Surface, r paint.Rect, text string) {
	for i, l := range strings.Split(text, "\n") {
		if i >= r.H {
			return
		}
		Draw(s, r.X, r.Y+i, r.W, l)
	}
}

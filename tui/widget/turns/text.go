package turns

import (
	"strings"

	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/widget/modal"
)

func width(s string) int           { return paint.Width(s) }
func cut(s string, max int) string { return paint.Cut(s, max) }

// tabs are replaced by blanks: cells have none.
func tabs(s string) string { return strings.ReplaceAll(s, "\t", "    ") }

// quote ends the margin of a tool's result, which stands before each row.
const quote = "│ "

// block adds lines of text, wrapped. The margin stands before the first row in a style of
// its own, and as blanks before the others unless it is a quote.
func (w *writer) block(margin, text string, sign, st cells.Style) {
	text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "\r\n", "\n")
	for line := range strings.SplitSeq(text, "\n") {
		parts := wrap(textsafe.Line(tabs(strings.TrimSuffix(line, "\r"))), w.Width-width(margin))
		for i, part := range parts {
			w.row(modal.Styled(margin, sign)+modal.Styled(part, st), i < len(parts)-1)
			if !strings.HasSuffix(margin, quote) {
				margin = strings.Repeat(" ", width(margin))
			}
		}
	}
}

// wrap breaks a line at blanks into parts of at most width columns; a longer word is broken
// anywhere. The parts together are the line.
func wrap(line string, width int) (parts []string) {
	width = max(width, 2)
	for paint.Width(line) > width {
		head := paint.Head(line, width)
		if at := strings.LastIndexByte(head, ' '); at > 0 && strings.TrimSpace(head[:at]) != "" {
			head = head[:at+1]
		}
		parts, line = append(parts, head), line[len(head):]
	}
	return append(parts, line)
}

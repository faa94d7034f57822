package turns

import (
	"strings"

	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/widget/markdown"
	"ccdir/tui/widget/modal"
)

func width(s string) int           { return paint.Width(s) }
func cut(s string, max int) string { return paint.Cut(s, max) }

// tabs are replaced by blanks: cells have none.
func tabs(s string) string { return strings.ReplaceAll(s, "\t", "    ") }

// quote ends the margin of a tool's result, which stands before each row.
const quote = "│ "

// set adds text of the agent, which is Markdown.
func (w *writer) set(margin, text string) {
	for _, l := range markdown.Lines(w.Theme, text, w.Width-width(margin)) {
		w.row(margin+l.Text, l.Wrapped)
	}
}

// block adds lines of text, wrapped. The margin stands before the first row in a style of
// its own, and as blanks before the others unless it is a quote.
func (w *writer) block(margin, text string, sign, st cells.Style) {
	text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "\r\n", "\n")
	for line := range strings.SplitSeq(text, "\n") {
		parts := modal.Break(textsafe.Line(tabs(strings.TrimSuffix(line, "\r"))), w.Width-width(margin))
		for i, part := range parts {
			w.row(modal.Styled(margin, sign)+modal.Styled(part, st), i < len(parts)-1)
			if !strings.HasSuffix(margin, quote) {
				margin = strings.Repeat(" ", width(margin))
			}
		}
	}
}

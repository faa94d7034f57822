package modal

import (
	"strings"

	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/widget/theme"
)

// Facts are rows of a label and a text, in lines of Width columns. The texts may have
// anything in them.
type Facts struct {
	Theme *theme.Theme
	Width int
	Out   []string // the lines so far
}

// Add adds a row, broken at blanks; an empty text adds none.
func (f *Facts) Add(label, text string, st cells.Style) {
	f.Out = append(f.Out, Labelled(f.Theme, f.Width, label, textsafe.Line(strings.ReplaceAll(text, "\n", " ")), st)...)
}

// AddAll adds a row for each text, with one label before them.
func (f *Facts) AddAll(label string, texts []string, st cells.Style) {
	for _, text := range texts {
		f.Add(label, text, st)
		label = ""
	}
}

// Heading begins another part.
func (f *Facts) Heading(text string) {
	if len(f.Out) > 0 {
		f.Out = append(f.Out, "")
	}
	f.Out = append(f.Out, Styled(text, theme.Bold(f.Theme.Accent)))
}

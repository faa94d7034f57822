package modal

import (
	"image/color"
	"strings"

	bubbleprogress "charm.land/bubbles/v2/progress"
	"charm.land/lipgloss/v2"

	"ccdir/internal/cells"
	"ccdir/tui/paint"
	"ccdir/tui/widget/theme"
)

// look is a style of cells for text that lipgloss lays out.
func look(st cells.Style) lipgloss.Style {
	return lipgloss.NewStyle().Foreground(colourOf(st.FG)).Background(colourOf(st.BG)).Bold(st.Attrs&cells.Bold != 0).Faint(st.Attrs&cells.Dim != 0).Italic(st.Attrs&cells.Italic != 0).
		Reverse(st.Attrs&cells.Inverse != 0).Underline(st.Underline != cells.UnderlineNone)
}

// colourOf is a colour for lipgloss.
func colourOf(c cells.Color) color.Color {
	if i, ok := c.Index(); ok {
		return lipgloss.ANSIColor(i)
	}
	if r, g, b, ok := c.RGB(); ok {
		return color.RGBA{R: r, G: g, B: b, A: 255}
	}
	return lipgloss.NoColor{}
}

// Styled is text in a style; text must be harmless and of one line.
func Styled(text string, st cells.Style) string {
	if st == (cells.Style{}) {
		return text // lists are drawn with every frame of a pane below them
	}
	return look(st).Inline(true).Render(text)
}

// Cell is a part of a row: harmless text in a style, cut or filled to a width.
type Cell struct {
	text  string
	width int
	style cells.Style
}

// Column is a part of a row; width counts for nothing in the last one, which takes what
// is left.
func Column(text string, width int, style cells.Style) Cell { return Cell{text, width, style} }

// Columns is a row of w columns.
func Columns(w int, all ...Cell) string {
	var row strings.Builder
	for i, c := range all {
		if i == len(all)-1 {
			c.width = w
		}
		if c.width = min(c.width, w); c.width < 1 {
			break
		}
		text := paint.Cut(c.text, c.width)
		row.WriteString(Styled(text, c.style))
		row.WriteString(strings.Repeat(" ", c.width-min(c.width, paint.Width(text))))
		if w -= c.width + 1; w > 0 {
			row.WriteByte(' ')
		}
	}
	return row.String()
}

// labelWidth is the width of labels.
const labelWidth = 14

// Labelled are the lines of a text with a label before the first one, w columns
// wide. The text is harmless; its line breaks are kept.
func Labelled(th *theme.Theme, w int, label, text string, st cells.Style) []string {
	if text == "" {
		return nil
	}
	width := min(labelWidth, max(w*2/5, 1))
	body := look(st).Width(max(1, w-width)).Render(strings.ReplaceAll(text, "\t", "    "))
	head := look(theme.FG(th.Dim)).Width(width).MaxHeight(1).Render(paint.Cut(label, max(0, width-1)))
	return strings.Split(lipgloss.JoinHorizontal(lipgloss.Top, head, body), "\n")
}

// ProgressBar is done of all in w columns.
func ProgressBar(th *theme.Theme, done, all, w int) string {
	bar := bubbleprogress.New(bubbleprogress.WithoutPercentage(), bubbleprogress.WithWidth(max(w, 1)), bubbleprogress.WithFillCharacters('━', '─'), bubbleprogress.WithColors(colourOf(th.Accent)))
	bar.EmptyColor = colourOf(th.Dim)
	return bar.ViewAs(float64(done) / float64(max(all, 1)))
}

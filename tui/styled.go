package tui

import (
	"image/color"
	"slices"
	"strings"

	keyhelp "charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"
	bubbleprogress "charm.land/bubbles/v2/progress"
	"charm.land/lipgloss/v2"

	"ccdir/internal/grid"
	"ccdir/internal/keymap"
	"ccdir/tui/paint"
	"ccdir/tui/theme"
)

// The insides of lists and dialogs are laid out as text by lipgloss and bubbles
// and turned into cells here. Panes, frames and bars are drawn into cells
// directly: they are painted with every frame.

// look is a style of cells for text that lipgloss lays out.
func look(st grid.Style) lipgloss.Style {
	return lipgloss.NewStyle().Foreground(colourOf(st.FG)).Background(colourOf(st.BG)).Bold(st.Attrs&grid.Bold != 0).Faint(st.Attrs&grid.Dim != 0).Italic(st.Attrs&grid.Italic != 0).
		Reverse(st.Attrs&grid.Inverse != 0).Underline(st.Underline != grid.UnderlineNone)
}

// colourOf is a colour for lipgloss.
func colourOf(c grid.Color) color.Color {
	if i, ok := c.Index(); ok {
		return lipgloss.ANSIColor(i)
	}
	if r, g, b, ok := c.RGB(); ok {
		return color.RGBA{R: r, G: g, B: b, A: 255}
	}
	return lipgloss.NoColor{}
}

// styled is text in a style; text must be harmless and of one line.
func styled(text string, st grid.Style) string {
	if st == (grid.Style{}) {
		return text // lists are drawn with every frame of a pane below them
	}
	return look(st).Inline(true).Render(text)
}

// column is a part of a row: harmless text in a style, cut or filled to a width.
// The last one of a row takes what is left.
type column struct {
	text  string
	width int
	style grid.Style
}

// columns is a row of w columns.
func columns(w int, all ...column) string {
	var row strings.Builder
	for i, c := range all {
		if i == len(all)-1 {
			c.width = w
		}
		if c.width = min(c.width, w); c.width < 1 {
			break
		}
		text := paint.Cut(c.text, c.width)
		row.WriteString(styled(text, c.style))
		row.WriteString(strings.Repeat(" ", c.width-min(c.width, paint.Width(text))))
		if w -= c.width + 1; w > 0 {
			row.WriteByte(' ')
		}
	}
	return row.String()
}

// labelled are the lines of a text with a label before the first one, w columns
// wide. The text is harmless; its line breaks are kept.
func labelled(th *theme.Theme, w int, label, text string, st grid.Style) []string {
	if text == "" {
		return nil
	}
	width := min(explainLabel, max(w*2/5, 1))
	body := look(st).Width(max(1, w-width)).Render(strings.ReplaceAll(text, "\t", "    "))
	head := look(theme.FG(th.Dim)).Width(width).MaxHeight(1).Render(paint.Cut(label, max(0, width-1)))
	return strings.Split(lipgloss.JoinHorizontal(lipgloss.Top, head, body), "\n")
}

// footKey is a key of a dialog with one word for what it does.
type footKey struct {
	action keymap.Action
	word   string
}

// keysLine names keys in at most w columns; those that don't fit are left out.
func keysLine(keys *keymap.Map, th *theme.Theme, w int, all []footKey) string {
	return keysHelp(th, w).ShortHelpView(footBindings(keys, all))
}

// keysLines names keys in as many lines of w columns as they take, at most n.
func keysLines(keys *keymap.Map, th *theme.Theme, w, n int, all []footKey) (lines []string) {
	for _, row := range footRows(keys, th, w, n, all) {
		lines = append(lines, keysHelp(th, w).ShortHelpView(footBindings(keys, row)))
	}
	return lines
}

// footRows are the keys of each of these lines.
func footRows(keys *keymap.Map, th *theme.Theme, w, n int, all []footKey) (rows [][]footKey) {
	list := slices.DeleteFunc(slices.Clone(all), func(f footKey) bool { return len(keys.Of(f.action).Keys) == 0 })
	free := keysHelp(th, 0) // as wide as it takes
	for len(list) > 0 && len(rows) < n {
		k := len(list)
		for k > 1 && lipgloss.Width(free.ShortHelpView(footBindings(keys, list[:k]))) > w {
			k--
		}
		if len(rows) == n-1 {
			k = len(list) // what does not fit is shown as left out
		}
		rows = append(rows, list[:k])
		list = list[k:]
	}
	return rows
}

// footAction is the action of the key that stands in a column of one of these lines.
func footAction(keys *keymap.Map, th *theme.Theme, w, n int, all []footKey, line, x int) (a keymap.Action, ok bool) {
	rows := footRows(keys, th, w, n, all)
	if line >= len(rows) {
		return "", false
	}
	free := keysHelp(th, 0)
	for i, f := range rows[line] {
		end := lipgloss.Width(free.ShortHelpView(footBindings(keys, rows[line][:i+1])))
		start := end - lipgloss.Width(free.ShortHelpView(footBindings(keys, rows[line][i:i+1])))
		if x >= start && x < end && end <= w {
			return f.action, true
		}
	}
	return "", false
}

// keysHelp is bubbles' line of keys in the theme's colours.
func keysHelp(th *theme.Theme, w int) keyhelp.Model {
	h := keyhelp.New()
	h.ShortSeparator = "  "
	h.Styles = keyhelp.Styles{ShortKey: look(theme.Bold(th.Accent)), ShortDesc: look(theme.FG(th.Dim)), Ellipsis: look(theme.FG(th.Dim))}
	h.SetWidth(w)
	return h
}

// footBindings are the keys that are bound.
func footBindings(keys *keymap.Map, all []footKey) (list []key.Binding) {
	for _, f := range all {
		if bound := keys.Of(f.action).Keys; len(bound) > 0 {
			list = append(list, key.NewBinding(key.WithKeys(bound...), key.WithHelp(shortKey(bound[0]), f.word)))
		}
	}
	return list
}

// shortKey is a key as dialogs name it.
func shortKey(name string) string {
	if short, ok := map[string]string{"Escape": "Esc", "PPage": "PgUp", "NPage": "PgDn"}[name]; ok {
		return short
	}
	return name
}

// progressBar is done of all in w columns.
func progressBar(th *theme.Theme, done, all, w int) string {
	bar := bubbleprogress.New(bubbleprogress.WithoutPercentage(), bubbleprogress.WithWidth(max(w, 1)), bubbleprogress.WithFillCharacters('━', '─'), bubbleprogress.WithColors(colourOf(th.Accent)))
	bar.EmptyColor = colourOf(th.Dim)
	return bar.ViewAs(float64(done) / float64(max(all, 1)))
}

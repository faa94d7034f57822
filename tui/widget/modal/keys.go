package modal

import (
	"strings"

	"slices"

	keyhelp "charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"
	"charm.land/lipgloss/v2"

	"ccdir/internal/keymap"
	"ccdir/tui/widget/theme"
)

// Keys names keys in at most w columns; those that don't fit are left out.
func Keys(keys *keymap.Map, th *theme.Theme, w int, all []keymap.Named) string {
	return keysHelp(th, w).ShortHelpView(bindings(keys, all))
}

// KeysLines names keys in as many lines of w columns as they take, at most n.
func KeysLines(keys *keymap.Map, th *theme.Theme, w, n int, all []keymap.Named) (lines []string) {
	for _, row := range keysRows(keys, th, w, n, all) {
		lines = append(lines, keysHelp(th, w).ShortHelpView(bindings(keys, row)))
	}
	return lines
}

// keysRows are the keys of each of these lines.
func keysRows(keys *keymap.Map, th *theme.Theme, w, n int, all []keymap.Named) (rows [][]keymap.Named) {
	list := slices.DeleteFunc(slices.Clone(all), func(f keymap.Named) bool { return len(keys.Of(f.Action).Keys) == 0 })
	free := keysHelp(th, 0) // as wide as it takes
	for len(list) > 0 && len(rows) < n {
		k := len(list)
		for k > 1 && lipgloss.Width(free.ShortHelpView(bindings(keys, list[:k]))) > w {
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

// KeyAt is the action of the key that stands in a column of one of these lines.
func KeyAt(keys *keymap.Map, th *theme.Theme, w, n int, all []keymap.Named, line, x int) (a keymap.Action, ok bool) {
	rows := keysRows(keys, th, w, n, all)
	if line >= len(rows) {
		return "", false
	}
	free := keysHelp(th, 0)
	for i, f := range rows[line] {
		end := lipgloss.Width(free.ShortHelpView(bindings(keys, rows[line][:i+1])))
		start := end - lipgloss.Width(free.ShortHelpView(bindings(keys, rows[line][i:i+1])))
		if x >= start && x < end && end <= w {
			return f.Action, true
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

// bindings are the keys that are bound.
func bindings(keys *keymap.Map, all []keymap.Named) (list []key.Binding) {
	for _, f := range all {
		if bound := keys.Of(f.Action).Keys; len(bound) > 0 {
			list = append(list, key.NewBinding(key.WithKeys(bound...), key.WithHelp(ShortKey(bound[0]), f.Word)))
		}
	}
	return list
}

// KeyIn shows the key in the word that begins with it, "[y]es", else before it.
func KeyIn(key, text string) string {
	if rest, ok := strings.CutPrefix(text, key); ok && len(key) == 1 {
		return "[" + key + "]" + rest
	}
	return "[" + key + "] " + text
}

// ShortKey is a key as dialogs name it.
func ShortKey(name string) string {
	if short, ok := map[string]string{"Escape": "Esc", "PPage": "PgUp", "NPage": "PgDn"}[name]; ok {
		return short
	}
	return name
}

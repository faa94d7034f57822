package transcript

import (
	"slices"
	"strings"

	"ccdir/api"
)

// Took reports whether a turn is the one that a prompt began, or that took it. since is the
// number of the newest turn before the prompt; open: that turn ran on then. White space does
// not count, and agents may put other text around a prompt.
func Took(t api.Turn, prompt string, since int, open bool) bool {
	if t.Turn < since || t.Turn == since && !open {
		return false
	}
	want := strings.Join(strings.Fields(prompt), " ")
	same := func(text string) bool { return strings.Contains(strings.Join(strings.Fields(text), " "), want) }
	return t.Turn > since && same(t.Prompt) ||
		slices.ContainsFunc(t.Items, func(i api.TurnItem) bool { return i.Kind == api.ItemPrompt && same(i.Text) })
}

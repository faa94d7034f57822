package keymap

import (
	"fmt"
	"slices"
	"strings"

	"ccdir/internal/text/spelling"
)

// mostSuggested bounds the suggestions for an unknown action.
const mostSuggested = 5

// unknown is the error for a name that is no action: it suggests those with a word in
// common, or a typing mistake away.
func unknown(name string) error {
	var near []string
	for _, a := range Actions() {
		if spelling.Distance(name, a) <= 2 {
			near = slices.Insert(near, 0, a)
		} else if slices.ContainsFunc(strings.Split(name, "-"), func(w string) bool { return w != "" && slices.Contains(strings.Split(a, "-"), w) }) {
			near = append(near, a)
		}
	}
	if len(near) == 0 {
		return fmt.Errorf("keys.%s: no such action; docs/keys.md and the help in the grid list them", name)
	}
	return fmt.Errorf("keys.%s: no such action; did you mean %s?", name, strings.Join(near[:min(len(near), mostSuggested)], ", "))
}

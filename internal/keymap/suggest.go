package keymap

import (
	"fmt"
	"slices"
	"strings"
)

// mostSuggested bounds how many names an unknown action is answered with.
const mostSuggested = 5

// unknown is the problem of a name that is no action's: with those that have a
// word in common with it, or are a slip of the keyboard away.
func unknown(name string) error {
	var near []string
	for _, a := range Actions() {
		if slips(name, a) <= 2 {
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

// slips is how many letters have to be put in, taken out or changed to make b of a.
func slips(a, b string) int {
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		before := last[0] // of a[:i] and b[:j]
		last[0] = i + 1
		for j := range len(b) {
			n := before
			if a[i] != b[j] {
				n = 1 + min(before, last[j], last[j+1])
			}
			before, last[j+1] = last[j+1], n
		}
	}
	return last[len(b)]
}

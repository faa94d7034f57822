package patchtext

import "strings"

// maxTable bounds the comparison of two texts, in pairs of lines; of longer ones what both begin
// and end with alone counts as equal.
const maxTable = 1 << 20

// Lines counts the lines that the file gets and loses. Those that an edit names only to find its
// place are neither.
func (f File) Lines() (added, removed int) {
	for _, e := range f.Edits {
		old, now := linesOf(e.Old), linesOf(e.New)
		for len(old) > 0 && len(now) > 0 && old[0] == now[0] {
			old, now = old[1:], now[1:]
		}
		for len(old) > 0 && len(now) > 0 && old[len(old)-1] == now[len(now)-1] {
			old, now = old[:len(old)-1], now[:len(now)-1]
		}
		kept := 0
		if len(old)*len(now) <= maxTable {
			kept = common(old, now)
		}
		added, removed = added+len(now)-kept, removed+len(old)-kept
	}
	return added, removed
}

func linesOf(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// common is the number of lines in the longest list that a and b have in the same order.
func common(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, line := range a {
		before := 0 // row[j] of the line above
		for j, other := range b {
			above := row[j+1]
			if line == other {
				row[j+1] = before + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			before = above
		}
	}
	return row[len(b)]
}

package review

import (
	"fmt"
	"testing"

	"ccdir/api"
)

// TestTouching: lines choose the whole runs of changes that they touch.
func TestTouching(t *testing.T) {
	lines := func(kinds string) (list []api.ReviewLine) {
		for _, k := range kinds {
			list = append(list, api.ReviewLine{Kind: map[rune]api.LineKind{' ': api.LineContext, '-': api.LineRemoved, '+': api.LineAdded}[k]})
		}
		return list
	}
	// Old 10 and 11 became 10; old 13 went; 13 and 14 are new.
	f := api.ReviewFile{Hunks: []api.ReviewHunk{
		{OldStart: 9, OldLines: 7, NewStart: 9, NewLines: 7, Lines: lines(" --+ - ++ ")},
		{OldStart: 30, OldLines: 0, NewStart: 31, NewLines: 1, Lines: lines("+")},
	}}
	for _, c := range []struct {
		from, end int
		want      string
	}{
		{9, 9, "<nil> <nil>"}, {10, 10, "&{10 11} &{10 10}"}, {11, 11, "&{13 13} <nil>"}, {12, 12, "&{13 13} <nil>"}, {13, 13, "<nil> &{13 14}"},
		{1, 40, "&{10 13} &{10 31}"}, {31, 31, "<nil> &{31 31}"}, {11, 14, "&{13 13} &{13 14}"},
	} {
		old, now := touching(f, c.from, c.end)
		if got := fmt.Sprintf("%v %v", old, now); got != c.want {
			t.Errorf("%d-%d: %s, want %s", c.from, c.end, got, c.want)
		}
	}
}

package paint

import (
	"regexp"
	"testing"

	"ccdir/internal/grid"
)

// TestSGRWhole: from any set of attributes to any other what is written is nothing
// or a whole sequence, also for attributes that terminals aren't told.
func TestSGRWhole(t *testing.T) {
	whole := regexp.MustCompile("^(\x1b\\[[0-9;:]*m)?$")
	for from := range 1 << 12 {
		for _, to := range []int{0, 1, from ^ 1<<3, from ^ 1<<9, from ^ 1<<10, from ^ 1<<11, 1 << 10, 1 << 11} {
			if got := appendSGR(nil, grid.Style{Attrs: grid.Attr(from)}, grid.Style{Attrs: grid.Attr(to)}); !whole.Match(got) {
				t.Fatalf("from %b to %b: %q", from, to, got)
			}
		}
	}
}

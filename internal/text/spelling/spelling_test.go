package spelling

import (
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	long := strings.Repeat("x", 70)
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"zoom", "zoom", 0}, {"zom", "zoom", 1}, {"zoom", "zom", 1}, {"zoom", "room", 1}, {"", "abc", 3},
		{"kitten", "sitting", 3}, {"ab", "ba", 2}, {long, "x", 70}, {"x", long, 70},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

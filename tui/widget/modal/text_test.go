package modal

import (
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		in   string
		w    int
		want string
	}{
		{"one two three", 7, "one two|three"}, {"abcdefghij", 4, "abcd|efgh|ij"}, {"日本語", 4, "日本|語"}, {"日", 1, "日"}, {"", 5, ""}, {"x", 0, ""},
	} {
		if got := strings.Join(Wrap(tt.in, tt.w), "|"); got != tt.want {
			t.Errorf("%q in %d: %q, want %q", tt.in, tt.w, got, tt.want)
		}
	}
}

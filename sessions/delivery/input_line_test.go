package delivery

import (
	"strings"
	"testing"
)

// TestUnsubmitted: Enter is pressed again only behind the prompt itself, not behind a draft
// in its place.
func TestUnsubmitted(t *testing.T) {
	long := strings.Repeat("word ", 300)
	for _, c := range []struct {
		text, input string
		want        bool
	}{
		{"do it", "do it", true}, {"do it", "", false}, {"do it", "half a thought", false}, {"do it all", "do", false},
		{"first\nsecond", "first\nsecond", true}, {"a\tb", "a    b", true}, {long, long[:200], true}, {long, long[:20], false},
		{long, "[Pasted text #1 +40 lines]", true},
	} {
		if got := unsubmitted(c.text, c.input); got != c.want {
			t.Errorf("%.20q and %.20q: %v", c.text, c.input, got)
		}
	}
}

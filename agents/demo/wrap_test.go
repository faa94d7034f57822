package demo

import (
	"slices"
	"testing"
)

// TestWrap: lines break at blanks, and words that are too long anywhere.
func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"the quick brown fox", 10, []string{"the quick", "brown fox"}},
		{"the quick brown", 9, []string{"the quick", "brown"}},
		{"a questionable", 8, []string{"a", "question", "able"}},
		{"  indented words", 10, []string{"  indented", "words"}},
		{"\x1b[1mbold words\x1b[m here", 10, []string{"\x1b[1mbold words\x1b[m", "here"}},
		{"日本語 日本語", 8, []string{"日本語", "日本語"}},
		{"one\n\ntwo", 8, []string{"one", "", "two"}},
	} {
		if got := wrap(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

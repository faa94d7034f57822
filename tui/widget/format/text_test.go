package format

import (
	"slices"
	"testing"
)

// TestParagraphs: an answer in Markdown, as the daemon tells it in one line.
func TestParagraphs(t *testing.T) {
	for text, want := range map[string][]string{
		"Done.": {"Done."}, "": nil, "Two ways:⏎⏎```go⏎x := 1⏎```⏎or  none": {"Two ways:", "x := 1", "or  none"}, "a␊b": {"a", "b"},
	} {
		if got := Paragraphs(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := OneLine("Two ways:⏎⏎```go⏎x := 1⏎```⏎or  none"); got != "Two ways: x := 1 or  none" {
		t.Errorf("%q", got)
	}
}

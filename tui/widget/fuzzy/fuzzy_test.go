package fuzzy

import (
	"slices"
	"testing"
)

func TestFind(t *testing.T) {
	paths := []string{"docs/editor-notes.md", "tui/widget/edit/buffer.go", "tui/widget/edit/doc.go", "tui/editor.go", "cmd/main.go", "README.md", "tui/日本語.txt"}
	for _, tt := range []struct {
		query string
		first string
		n     int
	}{
		{"editor", "tui/editor.go", 2}, {"ebuf", "tui/widget/edit/buffer.go", 1}, {"main", "cmd/main.go", 1}, {"RM", "README.md", 1},
		{"rm", "README.md", 2}, {"go tui", "tui/editor.go", 3}, {"語", "tui/日本語.txt", 1}, {"xyz", "", 0}, {"", "docs/editor-notes.md", 7}, {"edoc", "tui/widget/edit/doc.go", 1},
	} {
		found := Find(tt.query, paths, 10)
		if len(found) != tt.n {
			t.Errorf("%q finds %d, want %d", tt.query, len(found), tt.n)
		}
		if len(found) > 0 && paths[found[0]] != tt.first {
			t.Errorf("%q finds %s first, want %s", tt.query, paths[found[0]], tt.first)
		}
	}
	if got := Find("", paths, 2); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("bounded: %v", got)
	}
}

// TestGood: what the letters begin, or hold together, comes before what they are
// strewn over, and that is left out where something fits.
func TestGood(t *testing.T) {
	texts := []string{
		"1x1: one pane a page layout-1x1", "move the pane's border to the left resize-left", "next page of panes next-page", "previous page of panes previous-page",
		"swap the pane with the next one swap-next", "show the focused pane alone, or all again zoom", "show or hide sessions that have ended hide-ended", "new session: agent, directory, name, prompt new",
	}
	for query, want := range map[string][]int{
		"page": {2, 0, 3}, "zoom": {5}, "swap": {4}, "new": {7}, "hide": {6}, "nextpage": {2}, "": {0, 1, 2, 3, 4, 5, 6, 7}, "qqq": {},
	} {
		if got := Good(query, texts); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
	}
}

func FuzzScore(f *testing.F) {
	f.Add("ab", "xaxb")
	f.Fuzz(func(t *testing.T, query, text string) {
		_, self := Score(text, text)
		if !self {
			t.Fatalf("%q does not match itself", text)
		}
		Score(query, text)
	})
}

func BenchmarkFind(b *testing.B) {
	texts := make([]string, 20000)
	for i := range texts {
		texts[i] = "some/directory/of/a/project/file" + string(rune('a'+i%26)) + ".go"
	}
	for b.Loop() {
		Find("projfiz", texts, 50)
	}
}

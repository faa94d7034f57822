package fuzzy

import (
	"slices"
	"testing"
)

func TestFind(t *testing.T) {
	paths := []string{"docs/editor-notes.md", "tui/edit/buffer.go", "tui/edit/doc.go", "tui/editor.go", "cmd/main.go", "README.md", "tui/日本語.txt"}
	for _, tt := range []struct {
		query string
		first string
		n     int
	}{
		{"editor", "tui/editor.go", 2}, {"ebuf", "tui/edit/buffer.go", 1}, {"main", "cmd/main.go", 1}, {"RM", "README.md", 1},
		{"rm", "README.md", 2}, {"go tui", "tui/edit/doc.go", 3}, {"語", "tui/日本語.txt", 1}, {"xyz", "", 0}, {"", "docs/editor-notes.md", 7}, {"edoc", "tui/edit/doc.go", 1},
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

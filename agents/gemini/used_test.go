package gemini

import (
	"path/filepath"
	"testing"

	"ccdir/agents/transcript"
	"ccdir/api"
)

// TestUsed: each of the recorded conversations has two answers of 1,000 tokens of input, 100 of them
// from the cache, and 20 of output; one answer of each is written twice, and one file has its history
// written anew.
func TestUsed(t *testing.T) {
	for _, name := range []string{"tool.jsonl", "cancelled.jsonl"} {
		f := transcript.NewFile(filepath.Join("testdata", name), decoder{}, transcript.Options{})
		if err := f.Read(t.Context(), func(api.Turn) error { return nil }); err != nil {
			t.Fatal(err)
		}
		u, err := f.Used(t.Context())
		if err != nil || len(u.Answers) != 2 {
			t.Fatalf("%s: %d answers, %v", name, len(u.Answers), err)
		}
		for _, a := range u.Answers {
			if a.Tokens != (api.TurnTokens{Input: 900, CacheRead: 100, Output: 20}) || a.Vendor != "google" || a.Model != "gemini-2.5-flash" || a.At.IsZero() {
				t.Errorf("%s: %+v", name, a)
			}
		}
	}
}

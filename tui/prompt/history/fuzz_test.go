package history

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// FuzzHistory: whatever stands in the history's file, prompts of it are had, none twice,
// and one that is added is the newest.
func FuzzHistory(f *testing.F) {
	f.Add([]byte("{\"text\":\"a\"}\n{\"text\":\"b\"}\n{\"text\":\"a\"}\n"))
	f.Add([]byte("{\n\x00{\"text\":\"\"}\n[]\n{\"text\":1}\n{\"text\":\"half"))
	f.Add([]byte("{\"text\":\"a\"}\n" + strings.Repeat("\x00", 9*MaxEntry) + "\n"))
	file := filepath.Join(f.TempDir(), "prompts") // of this process, in which one input follows another
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		h := History{File: file}
		if _, err := h.Load(); err != nil {
			t.Fatal(err)
		}
		if err := h.Add("the newest", time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		all, err := h.Load()
		if err != nil || len(all) == 0 || all[len(all)-1] != "the newest" || len(all) > maxEntries {
			t.Fatalf("%d prompts, %v", len(all), err)
		}
		seen := map[string]bool{}
		for _, text := range all {
			if text == "" || seen[text] {
				t.Errorf("%q is there twice, or empty", text)
			}
			seen[text] = true
		}
	})
}

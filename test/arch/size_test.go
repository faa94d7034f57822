package arch

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"testing"
)

// Sizes that a person still sees whole. CONTRIBUTING says what is aimed at: some 25 files, about
// 400 lines.
const (
	maxFiles = 30
	maxLines = 460
)

// TestSizes: no folder has more than maxFiles files of the product, none of which is longer than
// maxLines.
func TestSizes(t *testing.T) {
	folders := map[string]int{}
	for name := range productFiles(t) {
		folders[path.Dir(name)]++
		data, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(data, []byte("\n")); n > maxLines {
			t.Errorf("%s has %d lines, at most %d are allowed: it has more than one subject", name, n, maxLines)
		}
	}
	for name, n := range folders {
		if n > maxFiles {
			t.Errorf("%s has %d files beside its tests, at most %d are allowed: part of them is a folder", name, n, maxFiles)
		}
	}
	if len(folders) < 100 {
		t.Errorf("only %d folders were found", len(folders))
	}
}

package config

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestDocs: what the documentation shows of config.toml and of layout files has no problem, as it stands.
func TestDocs(t *testing.T) {
	files, err := filepath.Glob("../docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	block := regexp.MustCompile("(?s)```toml\n(.*?)```")
	others := regexp.MustCompile(`(?m)^ *(\[(roles\.|sets\]|commands\.|worktree\]|checks\]|\[task\])|# \.ccdir\.toml$)`) // policy.toml, .ccdir.toml, files of tasks
	layout := regexp.MustCompile(`(?m)^\[\[session\]\]`)
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range block.FindAllSubmatch(text, -1) {
			if others.Match(m[1]) {
				continue
			}
			n++
			if layout.Match(m[1]) {
				if _, problems := ParseLayout(m[1], file, t.TempDir()); len(problems) > 0 {
					t.Errorf("%v in\n%s", problems, m[1])
				}
				continue
			}
			if l := Parse(m[1], "config.toml", t.TempDir()); len(l.Problems) > 0 {
				t.Errorf("%s: %v in\n%s", file, l.Problems, m[1])
			}
		}
	}
	if n < 4 {
		t.Errorf("%d blocks were found", n)
	}
}

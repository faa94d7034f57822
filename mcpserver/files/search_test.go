package files

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestGlob(t *testing.T) {
	for _, tt := range []struct {
		pattern, yes, no string
	}{
		{"", "a/b.go", ""},
		{"*.go", "b.go a/b.go", "b.goo a.go/b"},
		{"src/**/*.ts", "src/a.ts src/x/y/a.ts", "a.ts lib/src/a.ts src/a.js"},
		{"**/*_test.go", "a_test.go x/y/a_test.go", "a.go"},
		{"**/x/**/y", "x/y a/x/b/c/y", "x a/x/b"},
		{"*.{ts,tsx}", "a.ts b/a.tsx", "a.t a.js"},
		{"{src,test/{a,b}}/*.go", "src/x.go test/a/x.go test/b/x.go", "test/x.go"},
		{"!*.go", "a.ts", "x/a.go"},
		{"/a/*", "a/b", "x/a/b"},
		{"docs/", "docs/a docs/x/y", "a"},
		{`a\{b`, "a{b x/a{b", "ab"},
		{"[!a-c]?.go", "d1.go x/z_.go", "a1.go d/.go"},
		{"!docs/**", "a", "docs/a docs/x/y"},
		{"a**b/**/c", "ab/c axb/y/z/c", "a/b/c"},
		{"a?c", "abc", "a/c"},
	} {
		g, err := newGlob(tt.pattern)
		if err != nil {
			t.Errorf("%q: %v", tt.pattern, err)
			continue
		}
		for name := range strings.FieldsSeq(tt.yes) {
			if !g.match(name) {
				t.Errorf("%q doesn't match %q", tt.pattern, name)
			}
		}
		for name := range strings.FieldsSeq(tt.no) {
			if g.match(name) {
				t.Errorf("%q matches %q", tt.pattern, name)
			}
		}
	}
	for _, bad := range []string{"[", "a/[", "a{b", strings.Repeat("{a,b}", 30), strings.Repeat("{a,{a,", 9) + "b" + strings.Repeat("}", 18)} {
		if _, err := newGlob(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	c := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@t", "-c", "protocol.file.allow=always"}, args...)...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

func plant(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		put(t, file, "needle")
	}
}

// found lists the files in which a search of dir finds the needle.
func found(t *testing.T, s *Space, dir string) []string {
	t.Helper()
	m, err := s.Search(t.Context(), Query{Path: dir, Pattern: "needle"})
	if err != nil || m.Truncated {
		t.Fatal(m, err)
	}
	var names []string
	for _, match := range m.Matches {
		names = append(names, match.File)
	}
	return names
}

// TestIgnored: nested and negated patterns hold, in repositories and outside; repositories
// in repositories are searched by their own; who names an ignored directory looks into it.
func TestIgnored(t *testing.T) {
	s, dir, _ := space(t)
	repo := filepath.Join(dir, "repo")
	ignore := func(at string) {
		put(t, filepath.Join(at, ".gitignore"), "*.log\n!keep.log\n/dist/\n")
		put(t, filepath.Join(at, "sub/.gitignore"), "secret\n")
	}
	plant(t, repo, "a", "b.log", "keep.log", "dist/x", "sub/dist/y", "sub/secret", "sub/c.log", "clone/in", "clone/out.tmp")
	ignore(repo)
	git(t, repo, "init", "-q")
	git(t, filepath.Join(repo, "clone"), "init", "-q")
	put(t, filepath.Join(repo, "clone/.gitignore"), "*.tmp\n")
	lib := filepath.Join(dir, "lib")
	plant(t, lib, "lib.c")
	git(t, lib, "init", "-q")
	git(t, lib, "add", ".")
	git(t, lib, "commit", "-q", "-m", "x")
	git(t, repo, "submodule", "add", "-q", lib, "mod")
	want := []string{"a", "clone/in", "keep.log", "mod/lib.c", "sub/dist/y"}
	if got := found(t, s, "repo"); !slices.Equal(got, want) {
		t.Errorf("a repository: %v, want %v", got, want)
	}
	if got := found(t, s, "repo/sub"); !slices.Equal(got, []string{"dist/y"}) {
		t.Errorf("a directory of it: %v", got)
	}
	if got := found(t, s, "repo/dist"); !slices.Equal(got, []string{"x"}) {
		t.Errorf("an ignored directory that was named: %v", got)
	}
	plain := filepath.Join(dir, "plain")
	plant(t, plain, "a", "b.log", "keep.log", "dist/x", "sub/secret", "sub/d", "node_modules/m/x", "inner/i")
	ignore(plain)
	git(t, filepath.Join(plain, "inner"), "init", "-q")
	if got := found(t, s, "plain"); !slices.Equal(got, []string{"a", "inner/i", "keep.log", "sub/d"}) {
		t.Errorf("outside of repositories: %v", got)
	}
	if got := found(t, s, "plain/node_modules/m"); !slices.Equal(got, []string{"x"}) {
		t.Errorf("a dependency that was named: %v", got)
	}
	t.Setenv("PATH", "")
	if got := found(t, s, "plain"); !slices.Contains(got, "a") || slices.Contains(got, "node_modules/m/x") {
		t.Errorf("without git: %v", got)
	}
}

// TestLongLines: the match is in the text that is shown.
func TestLongLines(t *testing.T) {
	s, dir, _ := space(t)
	put(t, filepath.Join(dir, "min.js"), strings.Repeat("ä", 50_000)+"needle"+strings.Repeat("y", 100_000)+"\n")
	m, err := s.Search(t.Context(), Query{Path: ".", Pattern: "needle"})
	if err != nil || len(m.Matches) != 1 || !strings.Contains(m.Matches[0].Text, "needle") || len(m.Matches[0].Text) > maxMatchText+10 || m.Matches[0].Column != 100_001 {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestListDeep(t *testing.T) {
	s, dir, _ := space(t)
	plant(t, dir, "a.go", "x/b.go", "x/y/c.go")
	for glob, want := range map[string]int{"": 2, "*.go": 1, "**/*.go": 3, "x/**": 4} {
		if l, err := s.List(t.Context(), ".", 0, glob); err != nil || len(l.Entries) != want {
			t.Errorf("%q: %+v, %v", glob, l, err)
		}
	}
	if os.Getuid() != 0 { // root reads everything
		if err := os.Chmod(filepath.Join(dir, "x"), 0); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(filepath.Join(dir, "x"), 0o755)
		if l, err := s.List(t.Context(), "x", 0, ""); err == nil {
			t.Errorf("an unreadable directory is empty: %+v", l)
		}
	}
}

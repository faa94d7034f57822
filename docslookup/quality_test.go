package docslookup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// library is a Library that waits for all builds.
func library(t testing.TB) *Library {
	t.Helper()
	l := New(Options{Dir: t.TempDir(), Env: os.Environ(), Wait: 3 * time.Minute})
	t.Cleanup(l.Close)
	return l
}

// questions reads testdata/NAME-questions.txt.
func questions(t *testing.T, name string) (list [][2]string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+"-questions.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if q, want, ok := strings.Cut(strings.TrimSpace(line), " => "); ok && !strings.HasPrefix(line, "#") {
			list = append(list, [2]string{q, want})
		}
	}
	if len(list) < 20 {
		t.Fatalf("only %d questions", len(list))
	}
	return list
}

// answers asks all questions about dir; the right symbol must be in the first three.
func answers(t *testing.T, l *Library, dir, ecosystem, name string) {
	t.Helper()
	wrong := 0
	list := questions(t, name)
	for _, q := range list {
		out, err := l.Lookup(context.Background(), api.DocsQuestion{Dir: dir, Query: q[0], Ecosystem: ecosystem}, nil)
		if err != nil {
			t.Fatalf("%s: %v", q[0], err)
		}
		var first []string
		right := false
		for _, h := range out.Hits[:min(3, len(out.Hits))] {
			first = append(first, h.Package+"."+h.Symbol)
			for want := range strings.FieldsSeq(q[1]) {
				right = right || h.Package+"."+h.Symbol == want || h.Package+"::"+h.Symbol == want || h.Package == want
			}
		}
		if !right {
			wrong++
			t.Logf("%q: got %v, want one of %s (%v)", q[0], first, q[1], out.Notes)
		}
	}
	if wrong > len(list)/6 {
		t.Errorf("%d of %d are wrong", wrong, len(list))
	}
	t.Logf("%d of %d right in the first three", len(list)-wrong, len(list))
}

// TestGoQuestions asks about the standard library and this repository's dependencies.
func TestGoQuestions(t *testing.T) {
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	answers(t, library(t), dir, ecoGo, "go")
}

// TestPythonQuestions asks about packages whose sources are in testdata.
func TestPythonQuestions(t *testing.T) {
	dir := grow(t, map[string]string{".git/HEAD": "", "pyproject.toml": "[project]\nname = \"app\"\ndependencies = [\"click>=8\", \"requests\", \"attrs\", \"itsdangerous\"]\n",
		".venv/pyvenv.cfg": "home = /nowhere/bin\nversion = 3.12.1\n"})
	if err := os.CopyFS(filepath.Join(dir, ".venv/lib/python3.12/site-packages"), os.DirFS("testdata/python/site-packages")); err != nil {
		t.Fatal(err)
	}
	answers(t, library(t), dir, ecoPython, "python")
}

// TestRustQuestions asks about crates whose sources are in testdata.
func TestRustQuestions(t *testing.T) {
	lock := "version = 3\n[[package]]\nname = \"app\"\nversion = \"0.1.0\"\n"
	for _, c := range []string{"anyhow 1.0.69", "walkdir 2.3.2", "semver 1.0.14", "bytes 1.2.1", "tempfile 3.3.0"} {
		name, version, _ := strings.Cut(c, " ")
		lock += "[[package]]\nname = \"" + name + "\"\nversion = \"" + version + "\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\n"
	}
	dir := grow(t, map[string]string{".git/HEAD": "", "Cargo.lock": lock, "Cargo.toml": "[package]\nname = \"app\"\n[dependencies]\nanyhow = \"1\"\nwalkdir = \"2\"\nsemver = \"1\"\nbytes = \"1\"\ntempfile = \"3\"\n"})
	home := t.TempDir()
	if err := os.CopyFS(filepath.Join(home, "registry/src/index"), os.DirFS("testdata/rust")); err != nil {
		t.Fatal(err)
	}
	l := New(Options{Dir: t.TempDir(), Env: []string{"CARGO_HOME=" + home, "HOME=" + home}, Wait: 3 * time.Minute})
	t.Cleanup(l.Close)
	answers(t, l, dir, ecoRust, "rust")
}

// TestManQuestions asks about manual pages in testdata.
func TestManQuestions(t *testing.T) {
	dir, pages := grow(t, map[string]string{".git/HEAD": ""}), t.TempDir()
	if err := os.CopyFS(filepath.Join(pages, "man1"), os.DirFS("testdata/man")); err != nil {
		t.Fatal(err)
	}
	l := New(Options{Dir: t.TempDir(), Env: []string{"MANPATH=" + pages, "HOME=" + pages}, Wait: 3 * time.Minute})
	t.Cleanup(l.Close)
	answers(t, l, dir, ecoMan, "man")
}

// TestManPageByName: a question that only names a page is answered with that page, its name and
// synopsis first.
func TestManPageByName(t *testing.T) {
	dir, pages := grow(t, map[string]string{".git/HEAD": ""}), t.TempDir()
	if err := os.CopyFS(filepath.Join(pages, "man1"), os.DirFS("testdata/man")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"man1/man.1": ".SH NAME\nman \\- the manual pager\n.SH SYNOPSIS\nman [page]\n.SH DESCRIPTION\nman shows the pages of ssh and curl.\n",
		"man2/reopen.2": ".SH NAME\nreopen \\- open again\n.SH SYNOPSIS\nint reopen(int);\n.SH DESCRIPTION\nreopen(2) opens a file again.\n" +
			".SH reopenat2(2)\nThe call reopenat2(2) is like reopen(2).\n.SH ERRORS\nreopen reopen reopen(2)\n",
	} {
		path := filepath.Join(pages, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	l := New(Options{Dir: t.TempDir(), Env: []string{"MANPATH=" + pages, "HOME=" + pages}, Wait: 3 * time.Minute})
	t.Cleanup(l.Close)
	for _, q := range []struct{ query, ecosystem, page string }{
		{"man curl", ecoMan, "curl"}, {"man curl", "", "curl"}, {"curl(1)", "", "curl"}, {"ssh-keygen", ecoMan, "ssh-keygen"},
		{"reopen(2)", "", "reopen"}, {"man reopen(2)", ecoMan, "reopen"}, {"man", ecoMan, "man"}, {"man man", "", "man"},
	} {
		out, err := l.Lookup(t.Context(), api.DocsQuestion{Dir: dir, Query: q.query, Ecosystem: q.ecosystem}, nil)
		if err != nil {
			t.Fatalf("%s: %v", q.query, err)
		}
		var got []string
		for _, h := range out.Hits[:min(3, len(out.Hits))] {
			got = append(got, h.Package+"."+h.Symbol)
		}
		if want := []string{q.page + "." + q.page, q.page + ".SYNOPSIS", q.page + ".DESCRIPTION"}; !slices.Equal(got, want) {
			t.Errorf("%q of %q: %q, want %q", q.query, q.ecosystem, got, want)
		}
	}
}

// TestNodeQuestions asks about packages whose types and documents are in testdata.
func TestNodeQuestions(t *testing.T) {
	dir := grow(t, map[string]string{".git/HEAD": "", "package.json": `{"dependencies":{"commander":"*","lru-cache":"*","ws":"*","p-limit":"*","semver":"*"},"devDependencies":{"@types/ws":"*","@types/semver":"*"}}`})
	if err := os.CopyFS(filepath.Join(dir, "node_modules"), os.DirFS("testdata/node/packages")); err != nil {
		t.Fatal(err)
	}
	answers(t, library(t), dir, ecoNode, "node")
}

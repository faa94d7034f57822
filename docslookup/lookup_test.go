package docslookup

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
)

// grow writes files below a new directory.
func grow(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

func lookup(t *testing.T, l *Library, q api.DocsQuestion) api.DocsAnswer {
	t.Helper()
	out, err := l.Lookup(context.Background(), q, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// twoVersions are two work trees with the same package in different versions.
func twoVersions(t *testing.T) (one, two string) {
	tree := func(version, doc string) string {
		return grow(t, map[string]string{".git/HEAD": "", "package.json": `{"dependencies":{"lib":"*"}}`,
			"node_modules/lib/package.json": `{"name":"lib","version":"` + version + `"}`,
			"node_modules/lib/index.d.ts":   "/** " + doc + " */\nexport declare function frobnicate(a: string): void;\n"})
	}
	return tree("1.0.0", "The old way."), tree("2.0.0", "The new way.")
}

// TestVersions: each work tree gets the version that it uses; another one is refused with
// what is installed.
func TestVersions(t *testing.T) {
	l := library(t)
	one, two := twoVersions(t)
	for dir, want := range map[string][2]string{one: {"1.0.0", "The old way."}, two: {"2.0.0", "The new way."}} {
		hit := lookup(t, l, api.DocsQuestion{Dir: dir, Query: "frobnicate"}).Hits[0]
		if hit.Version != want[0] || hit.Text != want[1] || hit.Line != 2 || hit.File != filepath.Join(dir, "node_modules/lib/index.d.ts") {
			t.Errorf("got %+v, want %v", hit, want)
		}
		whole, err := l.Read(context.Background(), dir, hit.ID, nil)
		if err != nil || whole.Text != want[1] {
			t.Errorf("read %+v, %v", whole, err)
		}
	}
	for _, q := range []api.DocsQuestion{{Dir: one, Query: "lib@2.0.0 frobnicate"}, {Dir: one, Query: "frobnicate", Package: "lib@2"}} {
		_, err := l.Lookup(context.Background(), q, nil)
		if err == nil || !strings.Contains(err.Error(), "installed is lib@1.0.0") {
			t.Errorf("%+v: %v", q, err)
		}
	}
	if _, err := l.Read(context.Background(), one, "node:lib@2.0.0#1", nil); api.CodeOf(err) != api.CodeNotFound {
		t.Errorf("read of another tree's version: %v", err)
	}
}

// TestNotShared: a tree that changed a package under its version does not change what others
// read.
func TestNotShared(t *testing.T) {
	l := library(t)
	l.recheck = 0
	one, _ := twoVersions(t)
	other, _ := twoVersions(t)
	lookup(t, l, api.DocsQuestion{Dir: one, Query: "frobnicate"})
	if err := os.WriteFile(filepath.Join(one, "node_modules/lib/index.d.ts"), []byte("/** Evil. */\nexport declare function frobnicate(): void;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if hit := lookup(t, l, api.DocsQuestion{Dir: one, Query: "frobnicate"}).Hits[0]; hit.Text != "Evil." {
		t.Errorf("the change is not seen: %+v", hit)
	}
	if hit := lookup(t, l, api.DocsQuestion{Dir: other, Query: "frobnicate"}).Hits[0]; hit.Text != "The old way." {
		t.Errorf("another tree's change is seen: %+v", hit)
	}
}

// TestRest: index files are closed when nobody asks, and opened again.
func TestRest(t *testing.T) {
	l := library(t)
	one, _ := twoVersions(t)
	want := lookup(t, l, api.DocsQuestion{Dir: one, Query: "frobnicate"}).Hits
	l.rest()
	if len(l.open) != 0 {
		t.Errorf("%d are open", len(l.open))
	}
	if got := lookup(t, l, api.DocsQuestion{Dir: one, Query: "frobnicate"}).Hits; len(got) == 0 || got[0] != want[0] {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestInstalled: what an installation changes is seen at the next question.
func TestInstalled(t *testing.T) {
	l := library(t)
	one, _ := twoVersions(t)
	lookup(t, l, api.DocsQuestion{Dir: one, Query: "frobnicate"})
	lib := filepath.Join(one, "node_modules/lib")
	for name, text := range map[string]string{"index.d.ts": "/** The third way. */\nexport declare function frobnicate(): void;\n", "package.json": `{"name":"lib","version":"3.0.0-beta.1"}`} {
		if err := os.WriteFile(filepath.Join(lib, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if hit := lookup(t, l, api.DocsQuestion{Dir: one, Query: "frobnicate"}).Hits[0]; hit.Text != "The third way." || hit.Version != "3.0.0-beta.1" {
		t.Errorf("got %+v", hit)
	}
}

// TestHostile: links out of a package are not followed, files that are too large or no text
// are left out and said, and what a policy hides is not shown.
func TestHostile(t *testing.T) {
	l := library(t)
	secret := grow(t, map[string]string{"secret.md": "# sesame\nopen sesame"})
	one, _ := twoVersions(t)
	lib := filepath.Join(one, "node_modules/lib")
	if err := os.Symlink(filepath.Join(secret, "secret.md"), filepath.Join(lib, "README.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(lib, "huge.d.ts"), make([]byte, maxFileBytes+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(lib, "broken.d.ts"), []byte("export interface {{{{ \x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := lookup(t, l, api.DocsQuestion{Dir: one, Query: "open sesame", Package: "lib"})
	if !strings.Contains(strings.Join(out.Notes, "\n"), "nothing was found in lib: ask in other words") {
		t.Errorf("notes %v", out.Notes)
	}
	for _, h := range out.Hits {
		if strings.Contains(h.Text, "sesame") {
			t.Errorf("a link led out: %+v", h)
		}
	}
	if notes := strings.Join(out.Notes, "\n"); !strings.Contains(notes, "huge.d.ts was left out: ") || !strings.Contains(notes, "broken.d.ts was left out: it is no text") {
		t.Errorf("notes: %s", notes)
	}
	hidden, err := l.Lookup(context.Background(), api.DocsQuestion{Dir: one, Query: "frobnicate"}, func(path string) bool { return !strings.HasSuffix(path, "index.d.ts") })
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hidden.Hits {
		if strings.HasSuffix(h.File, "index.d.ts") {
			t.Errorf("hidden and shown: %+v", h)
		}
	}
	// A package that is a link out of the work tree is none.
	if err := os.Symlink(secret, filepath.Join(one, "node_modules/out")); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Lookup(context.Background(), api.DocsQuestion{Dir: one, Query: "sesame", Package: "out"}, nil); api.CodeOf(err) != api.CodeNotFound {
		t.Errorf("a package outside: %v", err)
	}
}

// TestLinksLeadOut: environments and vendored packages that are links out of the work tree are
// none.
func TestLinksLeadOut(t *testing.T) {
	out := grow(t, map[string]string{
		"lib/python3.12/site-packages/lib-1.dist-info/METADATA": "Name: lib\nVersion: 1\nSummary: sesame\n", "lib/python3.12/site-packages/lib-1.dist-info/RECORD": "lib.py,,\n", "lib/python3.12/site-packages/lib.py": "def sesame():\n    'open'\n",
		"vendor/c/Cargo.toml": "[package]\nname = \"c\"\nversion = \"1.0.0\"\n", "vendor/c/src/lib.rs": "/// Open.\npub fn sesame() {}\n",
		"vendor/example.org/a/a.go": "// Package a is sesame.\npackage a\n",
	})
	dir := grow(t, map[string]string{".git/HEAD": "", "go.mod": "module m\nrequire example.org/a v1.0.0\n", "pyproject.toml": "", ".venv/pyvenv.cfg": "home = /nowhere/bin\n",
		"Cargo.toml": "", "Cargo.lock": "[[package]]\nname = \"c\"\nversion = \"1.0.0\"\nsource = \"x\"\n"})
	for link, to := range map[string]string{".venv/lib": "lib", "vendor": "vendor"} {
		if err := os.Symlink(filepath.Join(out, to), filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	goroot := grow(t, map[string]string{"VERSION": "go1.26.0\n", "src/fmt/print.go": "// Package fmt prints.\npackage fmt\n"}) // this machine's own takes long to read
	l := New(Options{Dir: t.TempDir(), Env: []string{"HOME=" + dir, "GOROOT=" + goroot}, Wait: library(t).o.Wait})
	defer l.Close()
	answer, err := l.Lookup(context.Background(), api.DocsQuestion{Dir: dir, Query: "sesame"}, nil)
	for _, h := range answer.Hits {
		if !strings.HasPrefix(h.File, "/usr") {
			t.Errorf("a link led out: %+v", h)
		}
	}
	if err != nil && api.CodeOf(err) != api.CodeNotFound {
		t.Error(err)
	}
}

// TestDamaged: a damaged index file is built again.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	one, _ := twoVersions(t)
	first := New(Options{Dir: dir, Env: os.Environ(), Wait: library(t).o.Wait})
	want := lookup(t, first, api.DocsQuestion{Dir: one, Query: "frobnicate"}).Hits
	first.Close()
	files, err := filepath.Glob(filepath.Join(dir, ecoNode, "lib*.db"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	if err := os.WriteFile(files[0], []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	second := New(Options{Dir: dir, Env: os.Environ(), Wait: first.o.Wait})
	defer second.Close()
	if got := lookup(t, second, api.DocsQuestion{Dir: one, Query: "frobnicate"}).Hits; len(got) == 0 || got[0] != want[0] {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestProject: sections of the project's own documents, with the path of their headings.
func TestProject(t *testing.T) {
	dir := grow(t, map[string]string{".git/HEAD": "", "README.md": "# App\n\n## Install\n\nRun the zebra installer.\n", "docs/adr/001.md": "# Use quaggas\n\nBecause.\n", "src/notes.md": "# zebra\n",
		"llms.txt": "# App\n\n> For models: ask the okapi.\n", "CHANGELOG.md": "# Changelog\n\n## 1.1\n\nThe gnu was removed.\n", "doc/adr/0002-x.md": "# Prefer elands\n\nThey are larger.\n"})
	for query, want := range map[string]string{"okapi": "llms.txt", "gnu removed": "CHANGELOG.md", "elands larger": "doc/adr/0002-x.md"} {
		if out := lookup(t, library(t), api.DocsQuestion{Dir: dir, Query: query}); len(out.Hits) == 0 || out.Hits[0].File != filepath.Join(dir, want) {
			t.Errorf("%s: got %+v", query, out)
		}
	}
	out := lookup(t, library(t), api.DocsQuestion{Dir: dir, Query: "zebra installer"})
	if len(out.Hits) != 1 || out.Hits[0].Symbol != "Install" || out.Hits[0].Line != 3 || out.Hits[0].Source != "readme" {
		t.Errorf("got %+v", out)
	}
	if out := lookup(t, library(t), api.DocsQuestion{Dir: dir, Query: "why quaggas"}); len(out.Hits) != 1 || out.Hits[0].Symbol != "Use quaggas" {
		t.Errorf("got %+v", out)
	}
}

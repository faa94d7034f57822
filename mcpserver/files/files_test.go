package files

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func space(t *testing.T) (s *Space, dir, outside string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, outside = filepath.Join(top, "in"), filepath.Join(top, "out")
	for _, d := range []string{dir, outside} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(outside, "secret"), "secret text")
	if s, err = New(dir); err != nil {
		t.Fatal(err)
	}
	return s, dir, outside
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestEscapes: no way out, and nothing outside is touched.
func TestEscapes(t *testing.T) {
	s, dir, outside := space(t)
	secret := filepath.Join(outside, "secret")
	for name, target := range map[string]string{"abs": secret, "rel": "../out/secret", "dir": outside, "proc": "/proc/self/root"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []string{"../out/secret", secret, "abs", "rel", "dir/secret", "proc/etc/passwd", "/proc/self/environ", "x/../../out/secret", dir + "-x", ""} {
		if r, err := s.Read(t.Context(), p, 0, 0); err == nil {
			t.Errorf("read %q: %+v", p, r)
		}
		if _, err := s.Write(p, "overwritten", ""); err == nil {
			t.Errorf("wrote %q", p)
		}
		if _, err := s.Edit(p, "secret", "x", true, ""); err == nil {
			t.Errorf("edited %q", p)
		}
		if _, err := s.Directory(filepath.Dir(p)); err == nil && !strings.HasPrefix(filepath.Join(dir, filepath.Dir(p)), dir) {
			t.Errorf("directory of %q", p)
		}
	}
	if _, err := s.Directory("dir"); err == nil {
		t.Error("a link to an outside directory was taken")
	}
	if m, err := s.Search(t.Context(), Query{Path: ".", Pattern: "secret"}); err != nil || len(m.Matches) != 0 {
		t.Errorf("search: %+v, %v", m, err)
	}
	if err := os.Link(secret, filepath.Join(dir, "hard")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write("hard", "mine", ""); err != nil {
		t.Fatal(err)
	}
	if got := get(t, secret); got != "secret text" {
		t.Errorf("outside file has %q", got)
	}
}

func TestReadWriteEdit(t *testing.T) {
	s, dir, _ := space(t)
	w, err := s.Write("new/a.txt", "one\ntwo\nthree\n", "")
	if err != nil || !w.Created {
		t.Fatal(w, err)
	}
	r, err := s.Read(t.Context(), "new/a.txt", 2, 1)
	if err != nil || r.Content != "2\ttwo\n" || r.Total != 3 || r.Last != 2 || !r.Truncated || r.Hash != w.Hash {
		t.Errorf("got %+v, %v", r, err)
	}
	file := filepath.Join(dir, "new/a.txt")
	if err := os.Chmod(file, 0o751); err != nil {
		t.Fatal(err)
	}
	if w, err = s.Edit("new/a.txt", "two", "2", false, r.Hash); err != nil || w.Line != 2 || get(t, file) != "one\n2\nthree\n" {
		t.Errorf("got %+v, %v", w, err)
	}
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o751 {
		t.Errorf("mode %v", info.Mode())
	}
	var c *Conflict
	if _, err = s.Edit("new/a.txt", "one", "1", false, r.Hash); !errors.As(err, &c) || !strings.Contains(err.Error(), "one\n2\nthree") {
		t.Errorf("got %v", err)
	}
	if _, err = s.Edit("new/a.txt", "e", "E", false, ""); err == nil || !strings.Contains(err.Error(), "3 times") {
		t.Errorf("got %v", err)
	}
	if w, err = s.Edit("new/a.txt", "e", "E", true, ""); err != nil || w.Replaced != 3 {
		t.Errorf("got %+v, %v", w, err)
	}
	put(t, file, "a\r\nb\r\nc\r\n")
	if _, err = s.Edit("new/a.txt", "a\nb", "x\ny\nz", false, ""); err != nil || get(t, file) != "x\r\ny\r\nz\r\nc\r\n" {
		t.Errorf("%q, %v", get(t, file), err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "new", ".ccdir-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestRefusals(t *testing.T) {
	s, dir, _ := space(t)
	put(t, filepath.Join(dir, "p.png"), "\x89PNG\r\n\x1a\n rest")
	put(t, filepath.Join(dir, "b.bin"), "a\x00b")
	put(t, filepath.Join(dir, "long"), strings.Repeat("x", 5<<20)+"\nend\n")
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"p.png": "image", "b.bin": "binary", "fifo": "not a regular", ".": "directory", "nope": "does not exist"} {
		if _, err := s.Read(t.Context(), name, 0, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r, err := s.Read(t.Context(), "long", 0, 0)
	if err != nil || len(r.Content) > maxReadLine+100 || r.Total != 2 || !strings.HasSuffix(r.Content, "2\tend\n") || !r.Truncated {
		t.Errorf("%d bytes, %d lines, %v", len(r.Content), r.Total, err)
	}
}

func TestSearchAndList(t *testing.T) {
	s, dir, _ := space(t)
	for name, text := range map[string]string{"a.go": "package a\nfunc Needle() {}\n", "b.txt": "needle", "skip.log": "needle", ".gitignore": "*.log\n"} {
		put(t, filepath.Join(dir, name), text)
	}
	if out, err := exec.Command("git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	m, err := s.Search(t.Context(), Query{Path: ".", Pattern: "needle", IgnoreCase: true})
	if err != nil || len(m.Matches) != 2 || m.Matches[0] != (Match{"a.go", 2, 6, "func Needle() {}"}) {
		t.Errorf("got %+v, %v", m, err)
	}
	if m, err = s.Search(t.Context(), Query{Path: dir, Pattern: "needle", Glob: "*.go"}); err != nil || len(m.Matches) != 0 || m.Files != 1 {
		t.Errorf("got %+v, %v", m, err)
	}
	if _, err = s.Search(t.Context(), Query{Path: ".", Pattern: "("}); err == nil {
		t.Error("a broken pattern was taken")
	}
	l, err := s.List(t.Context(), ".", 1, "")
	if err != nil || len(l.Entries) != 4 {
		t.Errorf("got %+v, %v", l, err)
	}
}

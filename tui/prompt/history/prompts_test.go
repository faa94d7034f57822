package history

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestHistory(t *testing.T) {
	h := History{File: filepath.Join(t.TempDir(), "state", "prompts")}
	add := func(s string) {
		t.Helper()
		if err := h.Add(s, time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
	}
	load := func() []string {
		t.Helper()
		all, err := h.Load()
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if got := load(); len(got) != 0 {
		t.Errorf("before any: %q", got)
	}
	for _, s := range []string{"one", "two\nlines\t日本", "one", "", strings.Repeat("x", MaxEntry+1)} {
		add(s)
	}
	if got := load(); !slices.Equal(got, []string{"two\nlines\t日本", "one"}) {
		t.Errorf("%q", got)
	}
	if info, err := os.Stat(h.File); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
	// A line that was cut off loses itself alone.
	f, err := os.OpenFile(h.File, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(f, `{"text":"cut o`)
	f.Close()
	add("three")
	if got := load(); !slices.Equal(got, []string{"two\nlines\t日本", "one", "three"}) {
		t.Errorf("%q", got)
	}
	if all, err := (History{}).Load(); err != nil || len(all) != 0 || (History{}).Add("x", time.Now()) != nil {
		t.Error("without a file")
	}
}

// TestHistoryIsBounded: file and list, with several writers.
func TestHistoryIsBounded(t *testing.T) {
	h := History{File: filepath.Join(t.TempDir(), "prompts")}
	long := strings.Repeat("y", 60<<10)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 40 {
				if err := h.Add(fmt.Sprintf("%s %d %d", long, w, i), time.Now()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := h.Add("last", time.Now()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(h.File)
	if err != nil || info.Size() > maxFile+2*MaxEntry {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	all, err := h.Load()
	if err != nil || len(all) == 0 || len(all) > maxEntries || all[len(all)-1] != "last" {
		t.Errorf("%d entries, %v", len(all), err)
	}
}

func TestScan(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.go", "sub/b c.go", "node_modules/x/y.js", ".hidden/z", "ignored/big.o", "日本.txt"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Scan(t.Context(), dir)
	if err != nil || !slices.Equal(f.Paths, []string{"a.go", "日本.txt", "ignored/big.o", "sub/b c.go"}) || f.More {
		t.Errorf("walked: %+v %v", f, err)
	}
	marker := filepath.Join(t.TempDir(), "ran")
	for _, args := range [][]string{{"init", "-q"}, {"config", "core.fsmonitor", "touch " + marker + "; false"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("ignored\nnode_modules\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	other := t.TempDir() // the repository of a hook that runs the grid
	if out, err := exec.Command("git", "init", "-q", other).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_WORK_TREE", other)
	f, err = Scan(t.Context(), dir)
	if err != nil || !slices.Equal(f.Paths, []string{"a.go", "日本.txt", "sub/b c.go", ".gitignore", ".hidden/z"}) {
		t.Errorf("listed: %+v %v", f, err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("what the repository configures was run")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Scan(ctx, dir); err == nil {
		t.Error("a cancelled scan says nothing")
	}
	if _, err := Scan(t.Context(), filepath.Join(dir, "none")); err == nil {
		t.Error("no directory is no error")
	}
}

// TestScanNear: of too many files those are found that are near.
func TestScanNear(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a/a/deep.go", "a/near.go", "z.go")
	f, err := walked(t.Context(), dir)
	if err != nil || !slices.Equal(f.Paths, []string{"z.go", "a/near.go", "a/a/deep.go"}) {
		t.Errorf("%+v %v", f, err)
	}
	f.Paths = nil
	for i := range maxFiles {
		f.add(fmt.Sprintf("a/a/%05d", i))
	}
	f.add("z.go")
	if f = f.settled(); !f.More || len(f.Paths) != maxFiles || f.Paths[0] != "z.go" {
		t.Errorf("%d files, the first %v, more %v", len(f.Paths), f.Paths[0], f.More)
	}
}

// TestScanOddNames: a file is not offered whose name would be another one when it
// arrives.
func TestScanOddNames(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.go", "line\nfeed", "esc\x1b[201~", "bytes\xff", "nel\u0085", "fold\ufdd0", "tab\t")
	for _, git := range []bool{false, true} {
		if git {
			initGit(t, dir)
		}
		if f, err := Scan(t.Context(), dir); err != nil || f.Odd != 6 || !slices.Equal(f.Paths, []string{"a.go"}) {
			t.Errorf("git %v: %+v %v", git, f, err)
		}
	}
}

// TestScanOutOfTime: what was found until the time was over is there.
func TestScanOutOfTime(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.go")
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if f, err := walked(ctx, dir); err != nil || !f.More {
		t.Errorf("%+v %v", f, err)
	}
}

func put(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func initGit(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.Command("git", "init", "-q")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v %s", err, out)
	}
}

package config

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestFollow: changes are told however the file is written, also where there was none
// and where it is a link, and only those that say something else.
func TestFollow(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	dir, other := filepath.Join(top, "ccdir"), filepath.Join(t.TempDir(), "dotfile")
	file := filepath.Join(dir, "config.toml")
	ctx, cancel := context.WithCancel(context.Background())
	was := Load(file, "")
	got, ended := make(chan Loaded, 16), make(chan error, 1)
	go func() { ended <- Follow(ctx, was, "", func(l Loaded) { got <- l }) }()
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) { // at once, as editors do
		t.Helper()
		do(os.WriteFile(name+"~", []byte(text), 0o600))
		do(os.Rename(name+"~", name))
	}
	next := func(what string) Loaded {
		t.Helper()
		select {
		case l := <-got:
			return l
		case <-time.After(time.Minute):
			t.Fatalf("%s is not told", what)
			return Loaded{}
		}
	}
	told := func(what string, prefix ...string) {
		t.Helper()
		if l := next(what); !slices.Equal(l.Keys["prefix"], prefix) {
			t.Errorf("%s: prefix %q, problems %v", what, l.Keys["prefix"], l.Problems)
		}
	}
	keys := func(prefix string) string { return "keys.prefix = \"" + prefix + "\"\n" }

	do(os.Mkdir(dir, 0o700))
	write(file, keys("C-a"))
	told("a new one", "C-a")
	write(file, "# only a remark\n"+keys("C-a"))
	write(file, keys("C-x"))
	told("another one in its place", "C-x")
	write(other, keys("C-o"))
	do(os.Remove(file))
	do(os.Symlink(other, file))
	for !slices.Equal(next("a link").Keys["prefix"], []string{"C-o"}) { // the moment without a file may be seen too
	}
	write(other, keys("C-p"))
	told("what a link leads to", "C-p")
	write(other, "keys = [")
	if l := next("a broken one"); !l.Broken() || len(l.Problems) != 1 {
		t.Errorf("a broken one: %v", l.Problems)
	}
	do(os.Remove(file))
	told("that there is none")
	cancel()
	if err := <-ended; err != nil || len(got) > 0 {
		t.Errorf("%v, and %d more", err, len(got))
	}
}

package config

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
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

// TestUnseen: that changes cannot be watched is told with what to do; that nothing is
// there yet is no error.
func TestUnseen(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	other := filepath.Join(t.TempDir(), "dotfile")
	link := filepath.Join(top, "config.toml")
	if err := errors.Join(os.WriteFile(other, nil, 0o600), os.Symlink(other, link)); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		what, file string
		fails      map[string]error // by directory
		says       string
	}{
		{"a directory that is not there", filepath.Join(top, "no", "config.toml"), map[string]error{filepath.Join(top, "no"): fs.ErrNotExist}, ""},
		{"nor the one above", filepath.Join(top, "no", "no", "config.toml"), map[string]error{filepath.Join(top, "no"): fs.ErrNotExist, filepath.Join(top, "no", "no"): fs.ErrNotExist}, ""},
		{"no watch left", filepath.Join(top, "plain.toml"), map[string]error{top: syscall.ENOSPC}, "all watches of files are in use: raise fs.inotify.max_user_watches"},
		{"none for the one above", filepath.Join(top, "no", "config.toml"), map[string]error{filepath.Join(top, "no"): fs.ErrNotExist, top: syscall.ENOSPC}, "max_user_watches"},
		{"none for what a link leads to", link, map[string]error{filepath.Dir(other): syscall.EMFILE}, "max_user_instances"},
		{"closed", filepath.Join(top, "plain.toml"), map[string]error{top: syscall.EACCES}, "permission denied"},
	}
	for _, c := range cases {
		f := follower{file: c.file, add: func(dir string) error { return c.fails[dir] }}
		err := f.watch()
		if (err != nil) != (c.says != "") || err != nil && !strings.Contains(unseen(err).Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.what, err, c.says)
		}
	}
}

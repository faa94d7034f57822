package worktrees

import (
	"os"
	"path/filepath"
	"testing"

	"ccdir/api"
)

// TestSeen: what is kept of a tree holds until anything in it changes, by whatever kind of change.
func TestSeen(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write("sub/deep/b.txt", "b\n")
	p.write(".gitignore", "*.o\n")
	p.commit("more")
	dir := p.tree("topic")
	look := func() treeLook {
		t.Helper()
		r, err := Open(t.Context(), p.dir)
		if err != nil {
			t.Fatal(err)
		}
		return p.k.seen(t.Context(), r, r.around(dir), true)
	}
	p.k.looks[dir] = treeLook{} // it was slow
	if l := look(); l.problem != nil || l.status.Changed+l.status.Untracked != 0 || l.size == 0 {
		t.Fatalf("%+v", l)
	}
	kept := func() bool {
		p.k.mu.Lock()
		l := p.k.looks[dir]
		l.status.Branch = "kept"
		p.k.looks[dir] = l
		p.k.mu.Unlock()
		return look().status.Branch == "kept"
	}
	if !p.k.watch.Begin(dir) {
		t.Skip("nothing can be watched here")
	}
	if !kept() {
		t.Error("looked at again although nothing has changed")
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, change := range []struct {
		name string
		make func() error
	}{
		{"a write", func() error { return os.WriteFile(at("sub/deep/b.txt"), []byte("B\n"), 0o600) }},
		{"a new file", func() error { return os.WriteFile(at("sub/new"), nil, 0o600) }},
		{"an ignored file", func() error { return os.WriteFile(at("sub/x.o"), nil, 0o600) }},
		{"a folder", func() error { return os.MkdirAll(at("sub/deep/er/yet"), 0o700) }},
		{"a rename", func() error { return os.Rename(at("a.txt"), at("sub/a.txt")) }},
		{"a removal", func() error { return os.RemoveAll(at("sub/deep")) }},
		{"rights", func() error { return os.Chmod(at(".gitignore"), 0o755) }}, //nolint:gosec // a change
		{"the index", func() error { p.gitIn(dir, "add", "-A"); return nil }},
		{"a commit", func() error { p.gitIn(dir, "commit", "-q", "-m", "x"); return nil }},
		{"the settings", func() error { p.git("config", "core.fileMode", "false"); return nil }},
	} {
		if err := change.make(); err != nil {
			t.Fatal(err)
		}
		if kept() {
			t.Errorf("after %s it was not looked at again", change.name)
		}
		if !kept() {
			t.Errorf("after %s it is not kept any more", change.name)
		}
	}
	// A removal looks itself.
	writeIn(t, dir, "late.txt", "x")
	if _, err := p.k.Remove(t.Context(), api.RemoveWorktree{Dir: p.dir, Tree: dir}); api.CodeOf(err) != api.CodeAsks {
		t.Errorf("%v", err)
	}
}

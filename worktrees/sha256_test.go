package worktrees

import (
	"os"
	"path/filepath"
	"testing"

	"ccdir/api"
)

// TestSHA256: a repository whose ids are longer: what is changed, deleted and staged comes back.
func TestSHA256(t *testing.T) {
	t.Parallel()
	p := newPlaceWith(t, "--object-format=sha256")
	for _, name := range []string{"b.txt", "c.txt"} {
		p.write(name, "b\n")
	}
	p.commit("more")
	dir := p.tree("x")
	writeIn(t, dir, "a.txt", "changed\n")
	if err := os.Remove(filepath.Join(dir, "b.txt")); err != nil {
		t.Fatal(err)
	}
	writeIn(t, dir, "d.txt", "staged\n")
	p.gitIn(dir, "add", "d.txt")
	before, status := paths(t, dir), p.gitIn(dir, "status", "--porcelain")
	out, err := p.k.Remove(t.Context(), api.RemoveWorktree{Dir: p.dir, Tree: "x", Yes: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.k.Restore(t.Context(), api.RestoreWorktree{ID: out.ID}); err != nil {
		t.Fatal(err)
	}
	if after := paths(t, dir); len(after) != len(before) || p.gitIn(dir, "status", "--porcelain") != status {
		t.Errorf("%v, before %v; %s", after, before, p.gitIn(dir, "status"))
	}
	p.commitIn(dir, "x")
	m, err := p.k.Merge(t.Context(), api.MergeWorktree{Dir: p.dir, Tree: "x", Mode: api.MergeSquash})
	if err != nil || p.git("rev-parse", "main") != m.Commit || len(m.Commit) != 64 {
		t.Errorf("%+v %v", m, err)
	}
}

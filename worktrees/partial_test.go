package worktrees

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
)

// partialPlace is a clone without the blobs that it has not checked out: main and the branch
// side, which has a work tree, have moved apart, and neither has the files that they began with.
func partialPlace(t *testing.T) (p *place, dir string) {
	t.Helper()
	p = newPlace(t)
	origin := p.dir
	p.git("config", "uploadpack.allowFilter", "true")
	p.git("config", "uploadpack.allowAnySHA1InWant", "true")
	p.git("switch", "-q", "-c", "side")
	p.write("a.txt", "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n")
	p.commit("side one")
	p.write("a.txt", "ONE!\ntwo\nthree\nfour\nfive\nsix\nseven\n")
	p.commit("side two")
	p.git("switch", "-q", "main")
	p.write("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n")
	p.commit("main")
	clone := filepath.Join(filepath.Dir(origin), "clone")
	p.git("clone", "-q", "--filter=blob:none", "--no-tags", "file://"+origin, clone)
	p.dir = clone
	for _, kv := range []string{"user.name x", "user.email x@example.org", "commit.gpgsign false", "maintenance.auto false", "gc.auto 0"} {
		k, v, _ := strings.Cut(kv, " ")
		p.git("config", k, v)
	}
	dir = filepath.Join(filepath.Dir(origin), "trees", "side")
	p.git("worktree", "add", "-q", dir, "side")
	return p, dir
}

// missing are the objects that a clone lacks.
func (p *place) missing() int {
	p.t.Helper()
	return strings.Count("\n"+p.git("rev-list", "--objects", "--missing=print", "--no-object-names", "--all"), "\n?")
}

// TestMergePartial: what a partial clone lacks for a merge is fetched at once, and as the person;
// nothing else is.
func TestMergePartial(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{api.MergePlain, api.MergeSquash, api.MergeRebase} {
		p, _ := partialPlace(t)
		if p.missing() == 0 {
			t.Fatal("the clone has everything")
		}
		m, err := p.k.Merge(t.Context(), api.MergeWorktree{Dir: p.dir, Tree: "side", Mode: mode, Env: os.Environ()})
		if err != nil || !m.Done || len(m.Conflicts) > 0 {
			t.Fatalf("%q: %v %+v", mode, err, m)
		}
		if got := p.git("show", "main:a.txt"); got != "ONE!\ntwo\nthree\nfour\nfive\nsix\nSEVEN" {
			t.Errorf("%q: %q", mode, got)
		}
	}
}

// TestMergePartialAlone: without the person's environment, or without the remote, the reason is
// told and nothing is merged.
func TestMergePartialAlone(t *testing.T) {
	t.Parallel()
	p, _ := partialPlace(t)
	if _, err := p.k.Merge(t.Context(), api.MergeWorktree{Dir: p.dir, Tree: "side"}); err == nil || !strings.Contains(err.Error(), "that needs the environment of the caller") {
		t.Errorf("without an environment: %v", err)
	}
	p.git("remote", "set-url", "origin", "file://"+filepath.Join(p.state, "gone"))
	head := p.git("rev-parse", "main")
	if _, err := p.k.Merge(t.Context(), api.MergeWorktree{Dir: p.dir, Tree: "side", Env: os.Environ()}); err == nil || !strings.Contains(err.Error(), "could not be fetched from origin") {
		t.Errorf("without the remote: %v", err)
	}
	if p.git("rev-parse", "main") != head {
		t.Error("it was merged")
	}
}

// TestMergedPartial: whether a branch is merged is not known where objects are missing: that is
// an error which the list tells, and is found out once they are there.
func TestMergedPartial(t *testing.T) {
	t.Parallel()
	p, _ := partialPlace(t)
	side := func() api.Worktree {
		list, err := p.k.List(t.Context(), p.dir, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range list {
			if w.Branch == "side" {
				return w
			}
		}
		t.Fatal("side is not listed")
		return api.Worktree{}
	}
	if w := side(); !strings.Contains(w.Error, "whether it is merged into main is not known") || w.Removable || w.Merged != "" {
		t.Errorf("while objects are missing: %+v", w)
	}
	if _, err := p.k.Remove(t.Context(), api.RemoveWorktree{Dir: p.dir, Tree: "side"}); err == nil {
		t.Error("it was removed without a question")
	}
	p.git("fetch", "-q", "--refetch", "--no-filter", "origin")
	if w := side(); w.Error != "" || !strings.Contains(w.Why, "is not merged into") {
		t.Errorf("once they are there: %+v", w)
	}
}

// TestLooseEndsUnknown: which commits only a tree has cannot be told where one that they build on
// is missing: the tree, its entry and its files stay, and why is told.
func TestLooseEndsUnknown(t *testing.T) {
	t.Parallel()
	p, dir := partialPlace(t)
	p.git("fetch", "-q", "--refetch", "--no-filter", "origin") // else it is not known before whether side is merged
	in := func(args ...string) string { return p.git(append([]string{"-C", dir}, args...)...) }
	for _, text := range []string{"one", "two"} {
		in("commit", "-q", "--allow-empty", "-m", text)
	}
	one := in("rev-parse", "HEAD~1")
	in("reset", "-q", "--hard", "HEAD~2")
	if err := os.Remove(filepath.Join(p.dir, ".git", "objects", one[:2], one[2:])); err != nil {
		t.Fatal(err)
	}
	const want = "it is not known which commits only"
	if _, err := p.k.Remove(t.Context(), api.RemoveWorktree{Dir: p.dir, Tree: "side", Yes: true}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("removed: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a.txt")); err != nil {
		t.Errorf("its files: %v", err)
	}
	r, err := Open(t.Context(), p.dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for i := range r.Trees {
		if tree := &r.Trees[i]; !tree.Main {
			if err := p.k.forget(t.Context(), r, tree); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("forgotten: %v", err)
			}
			if _, err := os.Stat(tree.GitDir); err != nil {
				t.Errorf("its entry: %v", err)
			}
		}
	}
}

package worktrees

import (
	"os"
	"path/filepath"
	"testing"

	"ccdir/api"
)

// TestChecks: the six ways in which a branch can be merged, made with git as people and
// forges make them, and the ways in which it is not.
func TestChecks(t *testing.T) {
	t.Parallel()
	work := func(p *place, dir string) {
		writeIn(p.t, dir, "a.txt", "one\nTWO\nthree\nfour\nfive\nsix\nseven\n")
		p.commitIn(dir, "two")
		writeIn(p.t, dir, "b.txt", "new\n")
		p.commitIn(dir, "new")
	}
	other := func(p *place) { p.write("c.txt", "other\n"); p.commit("other") }
	for name, test := range map[string]struct {
		make func(p *place, dir string)
		want api.Merged
	}{
		"nothing done": {func(*place, string) {}, api.MergedSame},
		"target is on": {func(p *place, _ string) { other(p) }, api.MergedAncestor},
		"merge commit": {func(p *place, dir string) { work(p, dir); other(p); p.git("merge", "-q", "--no-ff", "topic") }, api.MergedAncestor},
		"fast forward": {func(p *place, dir string) { work(p, dir); p.git("merge", "-q", "--ff-only", "topic") }, api.MergedSame},
		"done and back": {func(p *place, dir string) {
			work(p, dir)
			p.gitIn(dir, "revert", "--no-edit", "HEAD", "HEAD~1")
			other(p)
		}, api.MergedEmpty},
		"squash": {func(p *place, dir string) {
			work(p, dir)
			p.git("merge", "-q", "--squash", "topic")
			p.commit("squashed")
		}, api.MergedTree},
		"squash, then more": {func(p *place, dir string) {
			work(p, dir)
			p.git("merge", "-q", "--squash", "topic")
			p.commit("squashed")
			other(p)
		}, api.MergedNothing},
		"squash, then changed": {func(p *place, dir string) {
			work(p, dir)
			other(p)
			p.git("merge", "-q", "--squash", "topic")
			p.commit("squashed")
			p.write("a.txt", "one\n2\nthree\nfour\nfive\nsix\nseven\n")
			p.commit("changed")
		}, api.MergedPatch},
		"rebased by a forge, then changed": {func(p *place, dir string) {
			work(p, dir)
			other(p)
			p.git("cherry-pick", "main..topic")
			p.write("a.txt", "one\n2\nthree\nfour\nfive\nsix\nseven\n")
			p.commit("changed")
		}, api.MergedPatch},
		"not merged":  {func(p *place, dir string) { work(p, dir); other(p) }, ""},
		"picked half": {func(p *place, dir string) { work(p, dir); other(p); p.git("cherry-pick", "topic") }, ""},
		"conflict": {func(p *place, dir string) {
			work(p, dir)
			p.write("a.txt", "one\nzwei\nthree\nfour\nfive\nsix\nseven\n")
			p.commit("zwei")
		}, ""},
		"another binary": {func(p *place, dir string) {
			writeIn(t, dir, "bin", "\x00topic")
			p.commitIn(dir, "bin")
			p.write("bin", "\x00main!")
			p.commit("bin")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			test.make(p, p.tree("topic"))
			w := p.list()["topic"]
			if w.Merged != test.want || w.Removable != (test.want != "") {
				t.Errorf("%q, want %q: %+v", w.Merged, test.want, w)
			}
		})
	}
}

// TestFacts: what people, git and others leave.
func TestFacts(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(".gitignore", "*.o\nbuild/\n")
	p.commit("ignore")
	dir := p.tree("topic")
	writeIn(t, dir, "a.txt", "changed\n")
	writeIn(t, dir, "new file\n", "x")
	writeIn(t, dir, "x.o", "x")
	writeIn(t, dir, "build/y", "x")
	writeIn(t, dir, "sub/mine", "x")
	p.gitIn(filepath.Join(dir, "sub"), "init", "-q")
	p.git("worktree", "add", "-q", "--detach", filepath.Join(filepath.Dir(p.dir), "trees", "det"))
	gone := p.tree("gone")
	if err := os.RemoveAll(gone); err != nil {
		t.Fatal(err)
	}
	p.sessions = []Session{{ID: "s1", Name: "one", Live: true, Dirs: []string{filepath.Join(dir, "sub")}}, {ID: "s2", Name: "two", Dirs: []string{dir}}}
	by := p.list()
	if w := by["main"]; !w.Main || w.Removable || w.Repo != p.dir {
		t.Errorf("%+v", w)
	}
	w := by["topic"]
	if w.Dirty != 1 || w.Untracked != 2 || w.Ignored != 2 || w.Removable || len(w.Sessions) != 1 || w.Sessions[0] != "s1" {
		t.Errorf("%+v", w)
	}
	p.sessions = nil
	if w := p.list()["topic"]; w.Removable || w.Why != "1 changed file; 2 untracked files; a repository of its own in sub" {
		t.Errorf("%+v", w)
	}
	if w := by[""]; w.Main || w.Head == "" || w.Merged != api.MergedSame || !w.Removable {
		t.Errorf("%+v", w)
	}
	if w := by["gone"]; !w.Missing || w.Merged != api.MergedSame {
		t.Errorf("%+v", w)
	}
	det := filepath.Join(filepath.Dir(p.dir), "trees", "det")
	writeIn(t, det, "b.txt", "x")
	p.commitIn(det, "one more")
	p.commit("main is on")
	if w := p.list()[""]; w.Ahead != 1 || w.Behind != 1 || w.Target != "main" || w.Removable {
		t.Errorf("%+v", w)
	}
}

// TestUnborn: repositories without a commit, and bare ones.
func TestUnborn(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.git("update-ref", "-d", "refs/heads/main")
	if w := p.list()["main"]; !w.Main || w.Head != "" || w.Removable {
		t.Errorf("%+v", w)
	}
	p = newPlace(t)
	bare := filepath.Join(t.TempDir(), "bare.git")
	p.git("clone", "-q", "--bare", p.dir, bare)
	p.gitIn(bare, "worktree", "add", "-q", "-b", "topic", filepath.Join(filepath.Dir(bare), "topic"))
	list, err := p.k.List(t.Context(), filepath.Join(filepath.Dir(bare), "topic"), true)
	if err != nil || len(list) != 1 || list[0].Main || list[0].Repo != resolved(bare) || list[0].Merged != api.MergedSame || list[0].Target != "main" || list[0].Size == 0 {
		t.Errorf("%v %+v", err, list)
	}
	if _, err := p.k.List(t.Context(), t.TempDir(), false); api.CodeOf(err) != api.CodeInvalid {
		t.Errorf("outside of repositories: %v", err)
	}
}

// TestNothingRuns: looking runs no program that the repository names, and leaves the
// index as it is.
func TestNothingRuns(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dir := p.tree("topic")
	ran := filepath.Join(filepath.Dir(p.dir), "ran")
	for _, kv := range [][2]string{
		{"core.fsmonitor", "touch " + ran}, {"filter.bad.clean", "touch " + ran + "; cat"}, {"filter.bad.required", "true"},
		{"diff.external", "touch " + ran}, {"diff.bad.textconv", "touch " + ran}, {"merge.bad.driver", "touch " + ran}, {"diff.bad.command", "touch " + ran},
	} {
		p.git("config", kv[0], kv[1])
	}
	hook := filepath.Join(p.dir, ".git", "hooks", "post-index-change")
	writeIn(t, filepath.Dir(hook), filepath.Base(hook), "#!/bin/sh\ntouch "+ran+"\n")
	if err := os.Chmod(hook, 0o700); err != nil { //nolint:gosec // a hook is a program
		t.Fatal(err)
	}
	p.write("a.txt", "main\n")
	p.gitIn(p.dir, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "commit", "-q", "-am", "main")
	writeIn(t, dir, "a.txt", "topic\n")
	p.gitIn(dir, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "commit", "-q", "-am", "topic")
	writeIn(t, dir, ".gitattributes", "* filter=bad diff=bad merge=bad\n")
	writeIn(t, p.dir, ".gitattributes", "* filter=bad diff=bad merge=bad\n")
	writeIn(t, dir, "a.txt", "topic!\n")
	index := filepath.Join(p.dir, ".git", "worktrees", "topic", "index")
	before, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	if w := p.list()["topic"]; w.Dirty != 0 || w.NotCompared != 1 || w.Merged != "" {
		t.Errorf("%+v", w)
	}
	if after, err := os.ReadFile(index); err != nil || string(after) != string(before) {
		t.Error("the index was written", err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the repository ran")
	}
}

// FuzzRepo: whatever git prints, no tree without path, and one main tree at most.
func FuzzRepo(f *testing.F) {
	f.Add("worktree /a\x00HEAD 0123\x00branch refs/heads/x\x00\x00worktree /b\x00HEAD 0123\x00detached\x00locked\x00\x00")
	f.Add("worktree /a\x00bare\x00\x00worktree /b\x00locked why\x00prunable x\x00\x00")
	f.Fuzz(func(t *testing.T, out string) {
		var r Repo
		r.parse(out)
		for i, tree := range r.Trees {
			if tree.Path == "" || tree.Main && i > 0 {
				t.Errorf("%+v", r.Trees)
			}
		}
	})
}

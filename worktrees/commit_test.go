package worktrees

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
)

// TestCommit: everything in a tree becomes a commit, as the caller and without hooks; where there
// is nothing, or a conflict, nothing is committed.
func TestCommit(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dir := p.tree("side")
	writeIn(t, dir, "a.txt", "changed\n")
	writeIn(t, dir, "sub/new", "new\n")
	ran := filepath.Join(p.state, "ran")
	hook := filepath.Join(p.dir, ".git", "hooks", "pre-commit")
	if err := os.MkdirAll(filepath.Dir(hook), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\ntouch "+ran+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	in := api.CommitWorktree{Dir: p.dir, Tree: "side", Message: "all of it\n\nbody\n", Env: os.Environ()}
	out, err := p.k.Commit(t.Context(), in)
	if err != nil || out.Files != 2 || out.Branch != "side" || out.Commit != p.gitIn(dir, "rev-parse", "HEAD") || p.gitIn(dir, "status", "--short") != "" || p.gitIn(dir, "log", "-1", "--format=%B") != "all of it\n\nbody\n" {
		t.Errorf("%v %+v", err, out)
	}
	if exists(ran) {
		t.Error("a hook was run")
	}
	if _, err := p.k.Commit(t.Context(), in); api.CodeOf(err) != api.CodeConflict || !strings.Contains(err.Error(), "nothing to commit") {
		t.Errorf("again: %v", err)
	}
	in.Message = " "
	if _, err := p.k.Commit(t.Context(), in); api.CodeOf(err) != api.CodeInvalid {
		t.Errorf("without a message: %v", err)
	}
}

// TestPushPlan: where a branch goes is told before; nothing is pushed over other commits.
func TestPushPlan(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dir := p.tree("side")
	in := api.PushWorktree{Dir: p.dir, Tree: "side", Env: os.Environ()}
	if _, _, err := p.k.PushPlan(t.Context(), in); api.CodeOf(err) != api.CodeConflict || !strings.Contains(err.Error(), "no remote called origin") {
		t.Errorf("without a remote: %v", err)
	}
	remote := filepath.Join(filepath.Dir(p.dir), "remote.git")
	p.git("clone", "-q", "--bare", p.dir, remote)
	p.git("remote", "add", "upstream", remote)
	writeIn(t, dir, "b", "b")
	p.commitIn(dir, "b")
	out, b, err := p.k.PushPlan(t.Context(), in)
	if err != nil || out.Remote != "upstream" || !out.New {
		t.Fatalf("%v %+v", err, out)
	}
	if err := p.k.Push(t.Context(), b, out.Remote, in.Env); err != nil {
		t.Fatal(err)
	}
	if _, _, err = p.k.PushPlan(t.Context(), in); err == nil || !strings.Contains(err.Error(), "has everything of side already") {
		t.Errorf("again: %v", err)
	}
	writeIn(t, dir, "c", "c")
	p.commitIn(dir, "c")
	if out, _, err = p.k.PushPlan(t.Context(), in); err != nil || out.New || out.Commits != 1 {
		t.Errorf("one more: %v %+v", err, out)
	}
	p.gitIn(dir, "reset", "-q", "--hard", "main")
	writeIn(t, dir, "d", "d")
	p.commitIn(dir, "d")
	if _, _, err = p.k.PushPlan(t.Context(), in); api.CodeOf(err) != api.CodeConflict || !strings.Contains(err.Error(), "upstream has 1 commit that") {
		t.Errorf("apart: %v", err)
	}
}

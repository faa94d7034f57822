package worktrees

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
	"ccdir/wire"
)

// changer is a client whose work trees can be changed; it notes what is asked for.
type changer struct {
	machines
	calls     *[]string
	conflicts []string
	err       error
}

func (c changer) note(parts ...string) { *c.calls = append(*c.calls, strings.Join(parts, " ")) }

func (c changer) MergeWorktree(_ context.Context, in api.MergeWorktree) (api.MergedWorktree, error) {
	out := api.MergedWorktree{Branch: "fix-login", Into: "main", Head: "h1", Target: "t1", Commits: []string{"log in again"}, Files: []string{"a.go"}, Conflicts: c.conflicts,
		Steps: []string{"make a merge commit of 1 commit of fix-login on main"}, Asks: []string{"1 untracked file there stays behind"}, Sessions: []string{"a"}, Commit: "cccccccccc", Undo: "refs/ccdir/undo/u1"}
	if in.Plan {
		c.note("plan", in.Dir, in.Tree, in.Mode)
		return out, nil
	}
	c.note("merge", in.Dir, in.Tree, in.Mode, in.Head, in.Target)
	return out, c.err
}

func (c changer) RemoveWorktree(_ context.Context, in api.RemoveWorktree) (api.RemovedWorktree, error) {
	yes := ""
	if in.Yes {
		yes = "yes"
	}
	c.note("remove", in.Dir, in.Tree, yes)
	return api.RemovedWorktree{ID: "id1", Path: in.Tree, Branch: "b", Until: uitest.Epoch.Add(7 * 24 * time.Hour)}, c.err
}

func (c changer) WorktreeTrash(_ context.Context, dir string) ([]api.RemovedWorktree, error) {
	c.note("trash", dir)
	return []api.RemovedWorktree{{ID: "id1", Path: "/home/me/trees/old", Branch: "old-one", At: uitest.Epoch, Until: uitest.Epoch.Add(7 * 24 * time.Hour)}}, nil
}

func (c changer) RestoreWorktree(_ context.Context, in api.RestoreWorktree) (api.RestoredWorktree, error) {
	c.note("restore", in.ID)
	return api.RestoredWorktree{Path: "/home/me/trees/old"}, nil
}

func (c changer) CommitWorktree(_ context.Context, in api.CommitWorktree) (api.CommittedWorktree, error) {
	c.note("commit", in.Dir, in.Tree, in.Message)
	return api.CommittedWorktree{Commit: "dddddddddd", Files: 3}, c.err
}

func (c changer) PushWorktree(_ context.Context, in api.PushWorktree) (api.PushedWorktree, error) {
	if !in.Plan {
		c.note("push", in.Dir, in.Tree)
	}
	return api.PushedWorktree{Branch: "fix-login", Head: "0123456789", Remote: "origin", Commits: 3}, c.err
}

func (c changer) SendPrompt(_ context.Context, id string, p api.SendPrompt) (api.SendResult, error) {
	c.note("send", id, p.Text)
	return api.SendResult{}, nil
}

func (c changer) Buffer(context.Context, string) (wire.OutputResult, error) {
	return wire.OutputResult{}, nil
}

// open presses keys in the list, and goes on in the dialog that they open.
func open(t *testing.T, c changer, keys ...string) *uitest.Rig {
	t.Helper()
	r := uitest.NewRig(t, world(120, 24), c, New())
	r.Do(keys...)
	for _, e := range slices.Backward(r.Asked) {
		if o, ok := e.(ui.Open); ok {
			return uitest.NewRig(t, r.Env, c, o.Component)
		}
	}
	t.Fatalf("%q opens nothing: %v", keys, r.Asked)
	return nil
}

func newChanger() changer { return changer{machines: known(), calls: new([]string)} }

// TestMerge: the plan is shown first; a yes merges what was looked at, and the undo ref is told.
func TestMerge(t *testing.T) {
	c := newChanger()
	r := open(t, c, "Down", "m")
	r.Shows("fix-login → main", "log in again", "a.go", "1. make a merge commit", "1 untracked file there stays behind", "y merge", "Tab squash instead")
	uitest.Golden(t, r.Env, r.C, "merge")
	r.Do("Tab")
	r.Shows("y squash", "Tab rebase instead")
	r.Do("y")
	r.Shows("fix-login is merged into main, which is at ccccccc", "git reset --keep refs/ccdir/undo/u1 (on main)")
	if want := []string{"plan /home/me/trees/fix /home/me/trees/fix ", "plan /home/me/trees/fix /home/me/trees/fix squash", "merge /home/me/trees/fix /home/me/trees/fix squash h1 t1"}; !slices.Equal(*c.calls, want) {
		t.Errorf("%q", *c.calls)
	}
	if r.Do("Enter"); r.C != nil {
		t.Error("it stays open")
	}
	c = newChanger()
	r = open(t, c, "Down", "m")
	if r.Do("n"); r.C != nil || len(*c.calls) != 1 {
		t.Errorf("after a no: %q", *c.calls)
	}
	c = newChanger()
	c.err = errors.New("main has moved on since the plan: look at it again")
	r = open(t, c, "Down", "m", "x")
	r.Do("y")
	r.Shows("main has moved on since the plan")
}

// TestConflict: what conflicts is not merged, and its session can be sent the prompt.
func TestConflict(t *testing.T) {
	c := newChanger()
	c.conflicts = []string{"a.go"}
	r := open(t, c, "Down", "m")
	r.Shows("It conflicts in a.go", "s sends api the prompt")
	r.Do("y")
	r.Shows("It conflicts in a.go")
	r.Do("s")
	if last := (*c.calls)[len(*c.calls)-1]; len(*c.calls) != 2 || !strings.HasPrefix(last, "send a The branch fix-login conflicts with main in: a.go.") {
		t.Errorf("%q", *c.calls)
	}
}

// TestRemove: what becomes of changes is said first; main trees and those with sessions stay.
func TestRemove(t *testing.T) {
	c := newChanger()
	c.list = []api.Worktree{{Path: "/t/x", Repo: "/t/repo", Branch: "x", Head: "0123456789", Dirty: 2, Untracked: 1, Target: "main", Why: "2 changed files"},
		{Path: "/t/y", Repo: "/t/repo", Branch: "y", Head: "0123456789", Target: "main", Merged: api.MergedSame, Removable: true}}
	r := open(t, c, "x")
	r.Shows("/t/x goes into the trash for 7 days", "2 changed files and 1 untracked file", "a snapshot commit", "The branch x is not merged into main: it stays", "y move it into the trash")
	uitest.Golden(t, r.Env, r.C, "remove")
	r.ClickOn("y move")
	r.Shows("is in the trash until 2026-01-09", "ccdir worktree restore id1")
	r = open(t, c, "Down", "x")
	r.Do("y")
	if want := []string{"remove /t/x /t/x yes", "remove /t/y /t/y "}; !slices.Equal(*c.calls, want) {
		t.Errorf("%q", *c.calls)
	}
	list := uitest.NewRig(t, world(120, 24), newChanger(), New())
	list.Do("x")
	if list.Said() != "it stays: it is the main work tree" {
		t.Errorf("main: %q", list.Said())
	}
	list.Do("Down", "x")
	if !strings.Contains(list.Said(), "2 sessions live there") {
		t.Errorf("with sessions: %q", list.Said())
	}
}

// TestTrash: what was removed is listed and brought back.
func TestTrash(t *testing.T) {
	c := newChanger()
	r := open(t, c, "u")
	r.Shows("trash of shop", "old-one", "until 2026-01-09")
	r.Do("Enter")
	o, ok := r.Asked[len(r.Asked)-1].(ui.Open)
	if !ok {
		t.Fatalf("%v", r.Asked)
	}
	r = uitest.NewRig(t, r.Env, c, o.Component)
	r.Do("y")
	r.Shows("/home/me/trees/old is back")
	if want := []string{"trash /home/me/shop", "restore id1"}; !slices.Equal(*c.calls, want) {
		t.Errorf("%q", *c.calls)
	}
}

// TestCommitAndPush: a commit asks for its message; where nothing is to be done, the keys say so.
func TestCommitAndPush(t *testing.T) {
	c := newChanger()
	r := open(t, c, "Down", "c")
	r.Shows("2 changed files, 1", "web, api may be", "Message:", "Enter commit")
	r.Do("Enter", "f", "i", "x", "y", "Enter")
	r.Shows("fix-login is at ddddddd (3 files)")
	r = open(t, c, "Down", "p")
	r.Shows("fix-login (0123456) → origin: 3 commits go to origin", "y push")
	r.Do("y")
	if want := []string{"commit /home/me/trees/fix /home/me/trees/fix fixy", "push /home/me/trees/fix /home/me/trees/fix"}; !slices.Equal(*c.calls, want) {
		t.Errorf("%q", *c.calls)
	}
	list := uitest.NewRig(t, world(120, 24), newChanger(), New())
	list.Do("c")
	if list.Said() != "there is nothing to commit in it" {
		t.Errorf("%q", list.Said())
	}
}

// TestRowKeys: the last line names what can be done to the chosen row.
func TestRowKeys(t *testing.T) {
	r := uitest.NewRig(t, world(140, 24), newChanger(), New())
	if dump := r.Dump(); strings.Contains(dump, "m merge") {
		t.Errorf("the main work tree:\n%s", dump)
	}
	r.Do("Down")
	r.Shows("m merge", "c commit", "p push", "u trash")
	r.Do("Down")
	if dump := r.Dump(); strings.Contains(dump, "m merge") || strings.Contains(dump, "x remove") {
		t.Errorf("one that is gone:\n%s", dump)
	}
}

package worktrees

import (
	"context"
	"errors"
	"testing"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// machines is a client of several machines.
type machines struct {
	ui.Client
	list    []api.Worktree
	without []string
	err     error
	asked   *int
}

func (m machines) AllWorktrees(context.Context) ([]api.Worktree, []string, error) {
	*m.asked++
	return m.list, m.without, m.err
}

// known are the work trees of the tests: a repository here and one on a node.
func known() machines {
	return machines{asked: new(int), list: []api.Worktree{
		{Node: "gpu1", Path: "/srv/model", Repo: "/srv/model", Branch: "main", Head: "89abcdef01", Main: true},
		{Node: "gpu1", Path: "/srv/model.train", Repo: "/srv/model", Branch: "train", Head: "89abcdef01", Target: "main", Merged: api.MergedSame, Sessions: []string{"gpu1/c"}},
		{Path: "/home/me/shop", Repo: "/home/me/shop", Branch: "main", Head: "0123456789", Main: true, Behind: 2, Why: "it is the main work tree"},
		{Path: "/home/me/trees/fix", Repo: "/home/me/shop", Branch: "fix-login", Head: "0123456789", Dirty: 2, Untracked: 1, Ahead: 3, Target: "main", Sessions: []string{"a", "b"}, Why: "2 sessions live there (api, web)"},
		{Path: "/home/me/gone", Repo: "/home/me/shop", Head: "0123456789", Missing: true},
	}}
}

func world(cols, rows int) ui.Env {
	env := uitest.Env(cols, rows)
	env.Sessions = []api.Session{{ID: "a", Name: "api", State: api.StateIdle}, {ID: "b", Name: "web", State: api.StatePermission}, {ID: "gpu1/c", Node: "gpu1", Name: "gpu1/train", State: api.StateWorking}}
	env.Names = map[string]string{"a": "api", "b": "web", "gpu1/c": "gpu1/train"}
	return env
}

func TestList(t *testing.T) {
	env := world(120, 20)
	m := known()
	m.without = []string{"lab"}
	r := uitest.NewRig(t, env, m, New())
	uitest.Everywhere(t, env, r.C, "worktrees")
	r.Shows("gpu1/model", "±2 ?1 ↑3", "web, api", "without lab", "its directory is gone")
	r.Do("Down", "Down", "Down", "i") // this machine's come first
	r.Do("Escape")
	r.Do("Home", "Down", "i")
	r.Shows("2 changed files, 1 untracked", "not merged into main", "2 sessions live there")
}

// TestEnter: Enter goes to the session that needs the person, or shows a work tree without one.
func TestEnter(t *testing.T) {
	r := uitest.NewRig(t, world(120, 20), known(), New())
	r.Do("Down", "Enter")
	if r.C != nil || !r.Asks(ui.Focus{Session: "b"}) {
		t.Errorf("Enter asks for %v", r.Asked)
	}
	r = uitest.NewRig(t, world(120, 20), known(), New())
	r.Do("Home", "Enter")
	r.Shows("it is the main work tree")
}

// TestNew: a session is started in the chosen work tree, on its machine.
func TestNew(t *testing.T) {
	r := uitest.NewRig(t, world(120, 20), known(), New())
	r.Do("End", "n")
	if !r.Asks(ui.Do{Action: keymap.New, Arg: "gpu1//srv/model.train"}) {
		t.Errorf("n asks for %v", r.Asked)
	}
	r.Do("Home", "Down", "Down", "n")
	if want := "no session can be started there: its directory is gone: `ccdir worktree prune` forgets it"; r.Said() != want {
		t.Errorf("in one that is gone: %q", r.Said())
	}
}

// TestLook: it asks again when something has happened, and on a key; what was known stays if that
// fails.
func TestLook(t *testing.T) {
	m := known()
	r := uitest.NewRig(t, world(120, 20), m, New())
	r.Settle()
	if *m.asked != 1 {
		t.Errorf("asked %d times", *m.asked)
	}
	r.Env.Events = []api.Event{{Seq: 5, Type: api.EventWorktree}}
	r.Settle()
	r.Do("r")
	if *m.asked != 3 {
		t.Errorf("asked %d times", *m.asked)
	}
	m.err = errors.New("git is gone")
	r.Client = m
	r.Do("r")
	r.Shows("fix-login", "git is gone")
}

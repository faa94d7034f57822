// Package worktrees lists the git work trees of all machines: branch, changes, whether it is
// merged, and the sessions in each. It owns the rows that were answered last and asks for them
// again when a session came, went or ended a turn, or a work tree was made or removed: one call at
// a time. It may give a session the focus, and opens the dialog for a new one. What changes a work
// tree (deed) says first what it will do, and asks once.
package worktrees

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/lists"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
)

// Keeper is the part of a client that knows the work trees of one machine: those of the repository
// around dir, or of all for "".
type Keeper interface {
	Worktrees(ctx context.Context, dir string, sizes bool) ([]api.Worktree, error)
}

// Lister is the part of a client of several machines that knows those of all of them. without are
// the machines that have not answered.
type Lister interface {
	AllWorktrees(ctx context.Context) (list []api.Worktree, without []string, err error)
}

// rows are the work trees.
type rows struct {
	trees   []api.Worktree // by machine and repository
	without []string       // machines that have not answered
	problem string         // why there are none, "" if nothing is wrong
	asking  bool
	loaded  bool  // there was an answer
	mark    int64 // newest event that they are about
}

// answer is what was asked for.
type answer struct {
	trees   []api.Worktree
	without []string
}

// New lists the work trees.
func New() ui.Component { return lists.New(rows{}) }

func (d rows) Mode() keymap.Mode { return keymap.ModeTrees }

// Refresh asks again when something may have changed.
func (d rows) Refresh(env ui.Env) (lists.Rows, []ui.Effect) {
	mark := lastChange(env.Events)
	if d.asking || env.Offline != "" || d.loaded && d.mark == mark {
		return d, nil
	}
	d.asking, d.mark = true, mark
	return d, []ui.Effect{ui.Call{Run: look}}
}

// look asks for all work trees.
func look(ctx context.Context, c ui.Client) (ui.Result, error) {
	var a answer
	all, err := ui.As[Lister](c)
	if err == nil {
		a.trees, a.without, err = all.AllWorktrees(ctx)
	} else {
		var one Keeper
		if one, err = ui.As[Keeper](c); err == nil {
			a.trees, err = one.Worktrees(ctx, "", false)
		}
	}
	// Each machine's are in the order of its repositories.
	slices.SortStableFunc(a.trees, func(x, y api.Worktree) int { return cmp.Compare(x.Node, y.Node) })
	return ui.Result{Value: a}, err
}

// lastChange is the number of the newest event after which a work tree may be another.
func lastChange(events []api.Event) int64 {
	for _, e := range slices.Backward(events) {
		switch e.Type {
		case api.EventWorktree, api.EventSessionCreated, api.EventSessionRemoved, api.EventSessionExited, api.EventNode:
			return e.Seq
		}
		if e.StateFrom == api.StateWorking && e.StateTo != api.StateWorking {
			return e.Seq
		}
	}
	return 0
}

// Receive takes the work trees.
func (d rows) Receive(_ ui.Env, l lists.Dialog, value any, err error) (lists.Dialog, []ui.Effect) {
	d.asking, d.loaded, d.problem = false, true, ""
	if a, ok := value.(answer); ok && err == nil {
		d.trees, d.without = a.trees, a.without
	} else if err != nil {
		d.problem = ui.Problem(err)
	}
	return l.With(d), nil
}

// rowID tells the work trees of all machines apart. It is what the dialog for a new session takes,
// too: NODE/PATH.
func rowID(w api.Worktree) string {
	if w.Node == "" {
		return w.Path
	}
	return w.Node + "/" + w.Path
}

// tree is the one of a row, nil if it is gone.
func (d rows) tree(id string) *api.Worktree {
	i := slices.IndexFunc(d.trees, func(w api.Worktree) bool { return rowID(w) == id })
	if i < 0 {
		return nil
	}
	return &d.trees[i]
}

// Act goes to the session in a work tree, starts one, or changes the work tree.
func (d rows) Act(env ui.Env, l lists.Dialog, a keymap.Action, id string) (lists.Dialog, []ui.Effect, bool) {
	if a == keymap.TreeLook {
		d.loaded = false // Refresh asks
		return l.With(d), nil, true
	}
	w := d.tree(id)
	switch {
	case a == keymap.TreeTrash:
		return l, openTrash(w), true
	case w == nil:
		return l, nil, false
	case changing(a):
		if why := refused(w, a); why != "" {
			return l, []ui.Effect{ui.Warn{Text: why}}, true
		}
		return l, begin(env, w, a), true
	}
	switch a {
	case keymap.ViewOpen:
		if in := inside(env, w); len(in) > 0 && !l.View.Open {
			return l, []ui.Effect{ui.Focus{Session: in[0].ID}}, true
		}
		return l, nil, false // it is shown whole, or the list again
	case keymap.TreeDetail:
		l.View.Open, l.View.Detail = true, modal.Pager{}
	case keymap.TreeNew:
		if w.Missing || w.Error != "" && w.Head == "" {
			return l, []ui.Effect{ui.Warn{Text: "no session can be started there: " + w.Note()}}, true
		}
		return l, []ui.Effect{ui.Do{Action: keymap.New, Arg: id}}, true
	default:
		return l, nil, false
	}
	return l, nil, true
}

// inside are the sessions in a work tree that have not been removed, those that need the person
// first, then those that run.
func inside(env ui.Env, w *api.Worktree) (in []*api.Session) {
	for _, id := range w.Sessions {
		if v := env.Session(id); v != nil {
			in = append(in, v)
		}
	}
	rank := func(v *api.Session) int {
		switch {
		case v.State.NeedsPerson():
			return 0
		case v.State.Ended():
			return 2
		}
		return 1
	}
	slices.SortStableFunc(in, func(x, y *api.Session) int { return rank(x) - rank(y) })
	return in
}

// names are those of the sessions in a work tree.
func names(env ui.Env, w *api.Worktree) string {
	var out []string
	for _, v := range inside(env, w) {
		out = append(out, env.SessionName(v.ID))
	}
	return strings.Join(out, ", ")
}

package queue

import (
	"context"
	"slices"

	"ccdir/api"
)

// maxTreeChecks bounds the work trees that are checked when tasks are added together: git runs
// for each. The others are checked when their tasks begin.
const maxTreeChecks = 50

// treeChecks are the checks of the work trees of tasks that are added together.
type treeChecks map[treeCheck]error

// treeCheck is what one check is about.
type treeCheck struct{ dir, branch, base string }

// check fails if the work tree that a task asks for cannot be made. What tasks before it may
// make is not looked for: the base of one that comes after others.
func (c treeChecks) check(ctx context.Context, q *Queue, n api.NewTask) error {
	if n.Worktree == "" || n.Worktree == "-" || q.o.CheckTree == nil {
		return nil
	}
	t := treeCheck{n.CWD, n.Worktree, n.Base}
	if t.branch == "." {
		t.branch = n.Name // "" is the number that the task gets
	}
	if len(n.After) > 0 || n.Continue != "" {
		t.base = ""
	}
	err, done := c[t]
	if !done && len(c) < maxTreeChecks {
		err = q.o.CheckTree(ctx, api.NewWorktree{Dir: t.dir, Branch: t.branch, Base: t.base})
		c[t] = err
	}
	return err
}

// added reports whether a call has added these tasks already: it is a retry, and what it is
// about may have changed since.
func (q *Queue) added(ctx context.Context, list []api.NewTask) bool {
	if len(list) == 0 || list[0].Request == "" {
		return false
	}
	all, err := q.queue.Tasks(ctx)
	return err == nil && slices.ContainsFunc(all, func(t api.Task) bool { return t.Request == list[0].Request })
}

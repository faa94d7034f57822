package repositories

import (
	"cmp"
	"context"
	"errors"

	"ccdir/api"
	"ccdir/worktrees"
	"ccdir/worktrees/forge"
)

// What a task needs of repositories on its way out.

// checkTool is the ledger's name for a project's check.
const checkTool = "project_check"

// Checks are the checks of the project around a directory, as its .ccdir.toml there has them.
func (r *Repositories) Checks(ctx context.Context, dir string) (list []api.ProjectCheck, err error) {
	top := repoTop(dir)
	if top == "" {
		return nil, api.Errorf(api.CodeInvalid, "%s is in no git work tree", dir)
	}
	settings, err := worktrees.ReadSettings(top)
	if err != nil {
		return nil, err
	}
	list = []api.ProjectCheck{}
	for _, c := range settings.Checks {
		agreed, err := r.o.Policy.Consented(ctx, checkTool, c.Command)
		if err != nil {
			return nil, err
		}
		list = append(list, api.ProjectCheck{Name: c.Name, Command: c.Command, Consent: agreed})
	}
	return list, nil
}

// Uncommitted counts the files of a work tree that are in no commit, without ignored ones.
func (r *Repositories) Uncommitted(ctx context.Context, dir string) (int, error) {
	s, err := r.readTree(ctx, dir)
	return s.Changed + s.Conflicts + s.Untracked, err
}

// PushTask pushes the branch of a task's work tree, and makes its pull request unless it has an open one. The policy of the task's
// role can deny that, as can that of a session in the tree.
func (r *Repositories) PushTask(ctx context.Context, t api.Task) (pr api.PullRequest, err error) {
	dir := t.Result.CWD
	b, err := r.Branch(ctx, dir, dir)
	if err != nil {
		return pr, err
	}
	if len(b.Subjects) == 0 {
		return pr, api.Errorf(api.CodeConflict, "its branch %s has no commit of its own", b.Name)
	}
	c := api.Caller{Name: "of task " + t.ID, Role: cmp.Or(t.Role, api.RoleDev), Root: b.Path, CWD: b.Path}
	if err := r.permits(c, "git", "push", "origin", b.Name); err != nil {
		return pr, err
	}
	out, err := r.PullRequest(ctx, api.NewPullRequest{Dir: b.Path, Tree: b.Path, Draft: t.Draft, Env: r.o.Env})
	if err != nil {
		return pr, err
	}
	return *out.Request, nil
}

// errNoPull: the branch has no pull request.
var errNoPull = errors.New("its branch has no pull request any more")

// PullNews is what has become of the pull request of a task's branch.
func (r *Repositories) PullNews(ctx context.Context, t api.Task) (n forge.News, err error) {
	f, err := r.forgeOf(ctx, t)
	if err != nil {
		return n, err
	}
	n, known, err := f.News(ctx, t.Branch())
	if err == nil && !known {
		err = errNoPull
	}
	return n, err
}

// FailedLog is the end of the log of a check that failed at the pull request of a task.
func (r *Repositories) FailedLog(ctx context.Context, t api.Task, pr api.PullRequest) (name, log string, err error) {
	f, err := r.forgeOf(ctx, t)
	if err != nil {
		return "", "", err
	}
	return f.FailedLog(ctx, pr)
}

// forgeOf is the forge of a task's repository, whose directory may be gone: then its work tree's repository is asked.
func (r *Repositories) forgeOf(ctx context.Context, t api.Task) (*forge.Forge, error) {
	if repoTop(t.Result.CWD) != "" {
		return forge.Find(ctx, t.Result.CWD, r.o.Env)
	}
	return forge.Find(ctx, t.CWD, r.o.Env)
}

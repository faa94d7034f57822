package worktrees

import (
	"context"
	"strings"

	"ccdir/api"
)

// Commit commits everything in a tree, untracked files included, as the caller. Hooks of the
// repository are not run.
func (k *Keeper) Commit(ctx context.Context, in api.CommitWorktree) (out api.CommittedWorktree, err error) {
	if strings.TrimSpace(in.Message) == "" {
		return out, api.Errorf(api.CodeInvalid, "the commit has no message")
	}
	r, unlock, _, err := k.locked(ctx, in.Dir)
	if err != nil {
		return out, err
	}
	defer unlock()
	t, err := r.find(in.Tree, in.Dir, k.o.Sessions(ctx, false))
	if err != nil {
		return out, err
	}
	if t.Missing {
		return out, api.Errorf(api.CodeConflict, "the directory %s is gone: `ccdir worktree prune` forgets it", t.Path)
	}
	out.Path, out.Branch = t.Path, t.Branch
	git := run{dir: t.Path, env: in.Env, user: in.Env != nil, lock: r.held}
	if unmerged, err := git.git(ctx, "ls-files", "--unmerged", "-z"); err != nil || unmerged != "" {
		if err == nil {
			err = api.Errorf(api.CodeConflict, "files of %s have conflicts that are not resolved", t.Path)
		}
		return out, err
	}
	if _, err := git.git(ctx, "add", "--all", "--", ":/"); err != nil {
		return out, api.Errorf(api.CodeConflict, "nothing was committed: %v", err)
	}
	if _, err := git.git(ctx, "diff", "--cached", "--quiet", "--ignore-submodules=none"); err == nil {
		return out, api.Errorf(api.CodeConflict, "there is nothing to commit in %s", t.Path)
	}
	with := git
	with.stdin = strings.NewReader(in.Message)
	if _, err := with.git(ctx, "commit", "--quiet", "--file=-"); err != nil {
		return out, api.Errorf(api.CodeConflict, "nothing was committed (the files are staged): %v", err)
	}
	if out.Commit, err = git.line(ctx, "rev-parse", "HEAD"); err != nil {
		return out, err
	}
	files, err := git.git(ctx, "diff-tree", "-r", "-z", "--root", "--no-commit-id", "--name-only", "HEAD")
	out.Files = strings.Count(files, "\x00")
	return out, err
}

// Residents are the path of a tree, which is named by path, branch or session, and the ids of the
// sessions that live there.
func (k *Keeper) Residents(ctx context.Context, dir, tree string) (path string, ids []string, err error) {
	r, err := Open(ctx, dir)
	if err != nil {
		return "", nil, err
	}
	sessions := k.o.Sessions(ctx, false)
	t, err := r.find(tree, dir, sessions)
	if err != nil {
		return "", nil, err
	}
	for _, s := range r.occupants(t, sessions) {
		ids = append(ids, s.ID)
	}
	return t.Path, ids, nil
}

// PushPlan says where the branch of a tree would be pushed.
func (k *Keeper) PushPlan(ctx context.Context, in api.PushWorktree) (out api.PushedWorktree, b Branch, err error) {
	r, err := Open(ctx, in.Dir)
	if err != nil {
		return out, b, err
	}
	sessions := k.o.Sessions(ctx, false)
	t, err := r.find(in.Tree, in.Dir, sessions)
	if err != nil {
		return out, b, err
	}
	if t.Branch == "" || t.Head == "" {
		return out, b, api.Errorf(api.CodeConflict, "no branch is checked out in %s: make one there first (`git switch -c NAME`)", t.Path)
	}
	git := run{dir: r.Common}
	remotes, err := git.line(ctx, "remote")
	if err != nil {
		return out, b, err
	}
	out = api.PushedWorktree{Path: t.Path, Branch: t.Branch, Head: t.Head, Remote: "origin"}
	if own, err := git.line(ctx, "config", "branch."+t.Branch+".remote"); err == nil && own != "" && own != "." {
		out.Remote = own
	} else if !strings.Contains("\n"+remotes+"\n", "\norigin\n") {
		if remotes == "" || strings.Contains(remotes, "\n") {
			return out, b, api.Errorf(api.CodeConflict, "it is not clear where %s is pushed to: there is no remote called origin (`git remote add origin ADDRESS`)", t.Branch)
		}
		out.Remote = remotes
	}
	b = Branch{Path: t.Path, Name: t.Branch, Sessions: []string{}}
	for _, s := range r.occupants(t, sessions) {
		b.Sessions = append(b.Sessions, s.ID)
	}
	refs, err := readRefs(ctx, r)
	if err != nil {
		return out, b, err
	}
	there := refs.commit["refs/remotes/"+out.Remote+"/"+t.Branch]
	if out.New = there == ""; !out.New {
		d, err := k.apart(ctx, r, t.Head, there)
		if err != nil {
			return out, b, err
		}
		if out.Commits = d[0]; d[1] > 0 {
			return out, b, api.Errorf(api.CodeConflict, "%s of %s has %d %s that %s lacks: fetch and merge or rebase first", t.Branch, out.Remote, d[1], plural(d[1], "commit"), t.Path)
		}
		if out.Commits == 0 {
			return out, b, api.Errorf(api.CodeConflict, "%s has everything of %s already", out.Remote, t.Branch)
		}
	}
	return out, b, nil
}

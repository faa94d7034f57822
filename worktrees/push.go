package worktrees

import (
	"context"
	"fmt"
	"strings"

	"ccdir/api"
)

// Branch is a tree's branch as a pull request needs it.
type Branch struct {
	Path, Name string
	// Subjects are those of the commits that its target lacks, the newest first.
	Subjects []string
	// Pushed: the remote origin had the branch when they last met.
	Pushed bool
	// Sessions are the ids of those that live in the tree.
	Sessions []string
}

// Branch finds the branch of a tree, which is named by path, branch or session.
func (k *Keeper) Branch(ctx context.Context, dir, ref string) (b Branch, err error) {
	r, err := Open(ctx, dir)
	if err != nil {
		return b, err
	}
	sessions := k.o.Sessions(ctx, false)
	t, err := r.find(ref, dir, sessions)
	if err != nil {
		return b, err
	}
	if t.Branch == "" || t.Head == "" {
		return b, api.Errorf(api.CodeConflict, "no branch is checked out in %s: make one there first (`git switch -c NAME`)", t.Path)
	}
	refs, err := readRefs(ctx, r)
	if err != nil {
		return b, err
	}
	if refs.standard == "refs/heads/"+t.Branch {
		return b, api.Errorf(api.CodeConflict, "%s is the default branch: a pull request is made of another one", t.Branch)
	}
	b = Branch{Path: t.Path, Name: t.Branch, Sessions: []string{},
		Pushed: refs.commit["refs/remotes/origin/"+t.Branch] != ""}
	for _, s := range r.occupants(t, sessions) {
		b.Sessions = append(b.Sessions, s.ID)
	}
	if list := refs.targets(r, t); len(list) > 0 {
		log, err := run{dir: r.Common}.line(ctx, "log", "--no-merges", "--format=%s", fmt.Sprint("--max-count=", maxListed), t.Head, "--not", refs.commit[list[0]])
		if err != nil {
			return b, err
		}
		if log != "" {
			b.Subjects = strings.Split(log, "\n")
		}
	}
	return b, nil
}

// Push pushes a tree's branch to a remote under its own name, and never over other commits
// there. Hooks of the repository are not run.
func (k *Keeper) Push(ctx context.Context, b Branch, remote string, env []string) error {
	ref := "refs/heads/" + b.Name
	if env == nil { // the remote's address may name a program, and nobody's password is known
		return api.Errorf(api.CodeInvalid, "%s was not pushed to %s: that needs the environment of the caller", b.Name, remote)
	}
	if _, err := (run{dir: b.Path, env: env, user: true}).git(ctx, "push", "--quiet", "--set-upstream", "--no-recurse-submodules", "--", remote, ref+":"+ref); err != nil {
		return api.Errorf(api.CodeConflict, "%s could not be pushed to %s: %v", b.Name, remote, err)
	}
	return nil
}

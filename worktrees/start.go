package worktrees

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// start is where a new tree begins.
type start struct {
	commit string
	// ref is the full name of the branch that it began from, "" for a commit.
	ref string
	// exists: the branch is there already. track is the remote branch that a new one is of.
	exists bool
	track  string
	// words say it for people.
	words string
}

// Check fails if Add would, for the branch or the base: nothing is made. Without a branch, it
// is about a new one that can have any name.
func (k *Keeper) Check(ctx context.Context, n api.NewWorktree) error {
	if err := checkVersion(ctx); err != nil {
		return err
	}
	r, err := Open(ctx, n.Dir)
	if err != nil {
		return err
	}
	if n.Branch != "" {
		if err := checkBranch(ctx, r, n.Branch); err != nil {
			return err
		}
	}
	here := r.around(n.Dir)
	for i := range r.Trees {
		if t := &r.Trees[i]; n.Branch != "" && t.Branch == n.Branch {
			_, err := k.existing(r, t, n.Dir)
			return err
		}
	}
	_, err = k.startOf(ctx, r, here, n)
	return err
}

// startOf finds where a new tree begins: its branch if that exists, the branch of that name
// of a remote, the base, or what is checked out where the caller is.
func (k *Keeper) startOf(ctx context.Context, r *Repo, here *Tree, n api.NewWorktree) (s start, err error) {
	refs, err := readRefs(ctx, r)
	if err != nil {
		return s, err
	}
	if own := "refs/heads/" + n.Branch; refs.commit[own] != "" {
		if n.Base != "" {
			return s, api.Errorf(api.CodeConflict, "the branch %s exists already: leave --base out, or take another name", n.Branch)
		}
		s.commit, s.ref, s.exists = refs.commit[own], refs.standard, true
		s.words = "the branch that was there, at " + short(s.commit)
		return s, nil
	}
	base := n.Base
	if base == "" {
		if remote := "refs/remotes/origin/" + n.Branch; refs.commit[remote] != "" {
			s.commit, s.track, s.ref = refs.commit[remote], "origin/"+n.Branch, refs.standard
			s.words = s.track + "@" + short(s.commit)
			return s, nil
		}
		if base = "HEAD"; here != nil && here.Branch != "" {
			base = here.Branch
		}
	}
	at := r.Common
	if here != nil {
		at = here.Path
	}
	if s.commit, err = (run{dir: at}).line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", base+"^{commit}"); err != nil {
		if here != nil && here.Head == "" && n.Base == "" {
			return s, api.Errorf(api.CodeInvalid, "the repository has no commit yet, so nothing can begin there: commit first")
		}
		return s, api.Errorf(api.CodeInvalid, "%q is no commit or branch: `git branch -a` lists them", textsafe.Cut(textsafe.Line(base), 100))
	}
	full, _ := run{dir: at}.line(ctx, "rev-parse", "--symbolic-full-name", "--end-of-options", base) // "" for a commit
	if i := strings.LastIndexByte(full, '\n'); i >= 0 {
		full = full[i+1:] // it repeats --end-of-options
	}
	if refs.commit[full] != "" {
		s.ref = full
	}
	s.words = k.words(ctx, r, refs, s, base)
	return s, nil
}

// words say where a branch begins: main@1a2b3c4, 12 behind origin/main.
func (k *Keeper) words(ctx context.Context, r *Repo, refs refs, s start, base string) string {
	words := shortRef(s.ref) + "@" + short(s.commit)
	if s.ref == "" {
		if words = short(s.commit); base != "HEAD" && !strings.HasPrefix(s.commit, base) {
			words = textsafe.Line(base) + "@" + words
		}
	}
	up := refs.upstream[s.ref]
	if refs.commit[up] == "" {
		return words
	}
	d, err := k.apart(ctx, r, s.commit, refs.commit[up])
	if err != nil {
		return words
	}
	if d[0] > 0 {
		words += fmt.Sprintf(", %d ahead of %s", d[0], shortRef(up))
	}
	if d[1] > 0 {
		words += fmt.Sprintf(", %d behind %s", d[1], shortRef(up))
	}
	return words
}

// fetchWithin bounds a fetch: a remote that never answers keeps nobody waiting longer.
const fetchWithin = 2 * time.Minute

// fetched is what there is to say of the fetch before a tree is made. The repository is not
// locked meanwhile: others make their trees.
func fetched(ctx context.Context, n api.NewWorktree) (notes []string, err error) {
	if !n.Fetch {
		return nil, nil
	}
	r, err := Open(ctx, n.Dir)
	if err != nil {
		return nil, nil //nolint:nilerr // who takes the lock mends that, or says it
	}
	limited, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	notes = fetch(limited, r, r.around(n.Dir), n)
	return notes, context.Cause(ctx)
}

// fetch brings remote branches up to date. Without network the tree is made nevertheless:
// the note says so, and so does how far the base is behind.
func fetch(ctx context.Context, r *Repo, here *Tree, n api.NewWorktree) (notes []string) {
	remote := "origin"
	if here != nil && here.Branch != "" {
		if of, err := (run{dir: r.Common}).line(ctx, "config", "branch."+here.Branch+".remote"); err == nil && of != "" && of != "." {
			remote = of
		}
	}
	if name, _, ok := strings.Cut(n.Base, "/"); ok {
		if _, err := (run{dir: r.Common}).line(ctx, "config", "remote."+name+".url"); err == nil {
			remote = name
		}
	}
	if n.Env == nil { // the remote's address may name a program, and nobody's password is known
		return append(notes, textsafe.Line(remote)+" was not fetched: that needs the environment of the caller")
	}
	if _, err := (run{dir: r.Common, env: n.Env, user: true}).git(ctx, "fetch", "--quiet", "--no-recurse-submodules", "--", remote); err != nil {
		notes = append(notes, fmt.Sprintf("%s could not be fetched: %v", textsafe.Line(remote), err))
	}
	return notes
}

package worktrees

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/gitstatus"
	"ccdir/internal/text/textsafe"
)

// Points of a merge at which tests stop the process (Options.Pause).
const (
	PauseMergeBegun  = "merge-begun"  // the record and the undo ref are written
	PauseMergeLocked = "merge-locked" // the index is locked where the target is checked out
	PauseMergeFiles  = "merge-files"  // the files there are the merge's
	PauseMergeMoved  = "merge-moved"  // the branch has moved
	PauseMergeIndex  = "merge-index"  // the index has followed, and is still locked
)

// undoRefs is where what branches were before merges is kept, for undoTime.
const undoRefs = "refs/ccdir/undo/"

// maxListed bounds the commits and files that a plan names.
const maxListed = 200

// merging is a merge under way: its plan with what the steps need.
type merging struct {
	api.MergedWorktree
	in   api.MergeWorktree
	repo *Repo
	// source is the tree whose branch is merged, at where Into is checked out, nil if nowhere.
	source, at *Tree
	// tree is the result's, of a merge or squash; forward: a fast-forward does.
	tree    string
	forward bool
}

// Merge merges the branch of a tree into another branch, or only plans it. Nothing is done
// that the plan does not say: conflicts are found before, changes without a commit are
// refused, and a branch that has moved since the plan is an error.
func (k *Keeper) Merge(ctx context.Context, in api.MergeWorktree) (out api.MergedWorktree, err error) {
	if err := checkVersion(ctx); err != nil {
		return out, err
	}
	if !slices.Contains(api.MergeModes(), in.Mode) {
		return out, api.Errorf(api.CodeInvalid, "there is no way to merge called %q", textsafe.Cut(in.Mode, 20))
	}
	r, unlock, finished, err := k.locked(ctx, in.Dir)
	if err != nil {
		return out, err
	}
	defer unlock()
	m, err := k.plan(ctx, r, in)
	m.Notes = finished
	if err != nil || in.Plan {
		return m.MergedWorktree, err
	}
	switch {
	case in.Head != "" && in.Head != m.Head, in.Target != "" && in.Target != m.Target:
		return m.MergedWorktree, api.Errorf(api.CodePrecondition, "%s or %s has moved on since the plan: look at it again", m.Branch, m.Into)
	case len(m.Conflicts) > 0:
		return m.MergedWorktree, api.Errorf(api.CodeConflict, "%s conflicts with %s in %s: nothing was merged", m.Branch, m.Into, listed(m.Conflicts, 5))
	}
	if m.Commit, err = m.make(ctx); err != nil {
		return m.MergedWorktree, err
	}
	if err := m.inTheWay(ctx, m.Commit); err != nil { // a rebase can have other files than a merge
		return m.MergedWorktree, err
	}
	return m.MergedWorktree, k.carryOut(context.WithoutCancel(ctx), m)
}

// plan finds out what a merge would do.
func (k *Keeper) plan(ctx context.Context, r *Repo, in api.MergeWorktree) (m *merging, err error) {
	m = &merging{in: in, repo: r, MergedWorktree: api.MergedWorktree{Mode: in.Mode, Commits: []string{}, Files: []string{}, Conflicts: []string{}, Steps: []string{}, Asks: []string{}, Sessions: []string{}}}
	sessions := k.o.Sessions(ctx, false)
	t, err := r.find(in.Tree, in.Dir, sessions)
	if err != nil {
		return m, err
	}
	refs, err := readRefs(ctx, r)
	if err != nil {
		return m, err
	}
	m.source, m.Path, m.Branch, m.Head = t, t.Path, t.Branch, t.Head
	for _, s := range r.occupants(t, sessions) {
		m.Sessions = append(m.Sessions, s.ID)
	}
	if m.Into, err = m.target(refs); err != nil {
		return m, err
	}
	m.Target = refs.commit["refs/heads/"+m.Into]
	if err := m.committed(ctx); err != nil {
		return m, err
	}
	if err := m.where(sessions); err != nil {
		return m, err
	}
	if err := m.complete(ctx); err != nil {
		return m, err
	}
	if err := m.outcome(ctx); err != nil {
		return m, err
	}
	return m, m.inTheWay(ctx, m.tree)
}

// target is the branch that gets the commits.
func (m *merging) target(refs refs) (string, error) {
	if m.Branch == "" || m.Head == "" {
		return "", api.Errorf(api.CodeConflict, "no branch is checked out in %s: make one there first (`git switch -c NAME`)", m.Path)
	}
	into := strings.TrimPrefix(m.in.Into, "refs/heads/")
	if into == "" {
		for _, name := range refs.targets(m.repo, m.source) {
			if branch, ok := strings.CutPrefix(name, "refs/heads/"); ok && into == "" {
				into = branch
			}
		}
	}
	switch {
	case into == "":
		return "", api.Errorf(api.CodeInvalid, "it is not clear which branch %s goes into: name it by --into", m.Branch)
	case into == m.Branch:
		return "", api.Errorf(api.CodeInvalid, "%s cannot be merged into itself: name another branch by --into", into)
	case refs.commit["refs/heads/"+into] == "":
		return "", api.Errorf(api.CodeInvalid, "there is no branch %q: `git branch` lists them", textsafe.Cut(textsafe.Line(into), 100))
	}
	return into, nil
}

// committed fails if the tree has changes that no commit has: a merge would leave them
// behind, and ccdir commits for nobody.
func (m *merging) committed(ctx context.Context) error {
	s, err := gitstatus.ReadWith(ctx, m.Path)
	if err != nil {
		return err
	}
	n := s.Changed + s.Conflicts
	if n == 0 && s.NotCompared > 0 {
		if n, err = m.filtered(ctx, s.NotCompared); err != nil {
			return err
		}
	}
	if n > 0 {
		return api.Errorf(api.CodeConflict, "%s has %d changed %s that no commit has: commit there first, or have its session do it", m.Path, n, plural(n, "file"))
	}
	if s.Untracked > 0 {
		m.Asks = append(m.Asks, fmt.Sprintf("%d untracked %s there stay behind", s.Untracked, plural(s.Untracked, "file")))
	}
	return nil
}

// filtered counts the changed files with the filters of the person who merges; a merge without
// a person's environment asks instead.
func (m *merging) filtered(ctx context.Context, files int) (int, error) {
	if m.in.Env == nil {
		m.Asks = append(m.Asks, fmt.Sprintf("%d %s there, which a filter converts, could not be compared", files, plural(files, "file")))
		return 0, nil
	}
	out, err := run{dir: m.Path, env: m.in.Env, user: true}.git(ctx, "diff", "--name-only", "-z", "--no-ext-diff", "--ignore-submodules=all", "HEAD")
	return strings.Count(out, "\x00"), err
}

// where finds the tree in which the target is checked out, and who works there.
func (m *merging) where(sessions []Session) error {
	for i := range m.repo.Trees {
		t := &m.repo.Trees[i]
		for _, file := range []string{"rebase-merge/head-name", "rebase-apply/head-name"} {
			if name, err := readLine(filepath.Join(t.GitDir, file)); err == nil && name == "refs/heads/"+m.Into {
				return api.Errorf(api.CodeConflict, "%s is being rebased in %s: finish that first", m.Into, t.Path)
			}
		}
		if t.Branch != m.Into {
			continue
		}
		if t.Missing {
			return api.Errorf(api.CodeConflict, "the directory in which %s is checked out is gone (%s): `ccdir worktree prune` forgets it", m.Into, t.Path)
		}
		m.at = t
		if in := namesOf(m.repo.occupants(t, sessions)); len(in) > 0 {
			live := "live"
			if len(in) == 1 {
				live = "lives"
			}
			m.Asks = append(m.Asks, fmt.Sprintf("%s is checked out in %s, where %s %s: its files change", m.Into, t.Path, strings.Join(in, ", "), live))
		}
	}
	return nil
}

// outcome decides how to merge (fast-forward, commits again, merge commit), makes the merged
// tree, and finds conflicts.
func (m *merging) outcome(ctx context.Context) error {
	look, err := gitstatus.NewLook(ctx, m.repo.Common)
	if err != nil {
		return err
	}
	defer look.Close()
	git := run{dir: m.repo.Common, look: look}
	ancestor := func(a, b string) (bool, error) {
		_, err := git.git(ctx, "merge-base", "--is-ancestor", a, b)
		if said(err, 1) {
			return false, nil
		}
		return err == nil, err
	}
	done, err := ancestor(m.Head, m.Target)
	if err != nil {
		return err
	}
	if done {
		return api.Errorf(api.CodeConflict, "%s has every commit of %s already: there is nothing to merge", m.Into, m.Branch)
	}
	forward, err := ancestor(m.Target, m.Head)
	if err != nil {
		return err
	}
	m.forward = forward && (m.Mode == api.MergePlain || m.Mode == api.MergeFF || m.Mode == api.MergeRebase)
	if !forward && m.Mode == api.MergeFF {
		return api.Errorf(api.CodeConflict, "%s has commits that %s lacks, so it cannot be fast-forwarded: leave --ff out, or rebase", m.Into, m.Branch)
	}
	result, err := mergeTree(ctx, git, m.Target, m.Head)
	if err != nil {
		return err
	}
	m.tree = result.tree
	m.Conflicts = append(m.Conflicts, result.conflicts...)
	log, err := git.line(ctx, "log", "--format=%s", fmt.Sprint("--max-count=", maxListed), m.Head, "--not", m.Target)
	if err != nil {
		return err
	}
	m.Commits = append(m.Commits, strings.Split(textsafe.Block(log), "\n")...)
	files, err := git.git(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-ext-diff", "--no-textconv", m.Target, m.tree)
	if err != nil {
		return err
	}
	for path := range strings.SplitSeq(files, "\x00") {
		if path != "" && len(m.Files) < maxListed {
			m.Files = append(m.Files, path)
		}
	}
	m.steps()
	return nil
}

// steps says what is done.
func (m *merging) steps() {
	n := len(m.Commits)
	of := fmt.Sprintf("%d %s of %s", n, plural(n, "commit"), m.Branch)
	switch {
	case m.forward:
		m.Steps = append(m.Steps, fmt.Sprintf("fast-forward %s to %s (%s)", m.Into, short(m.Head), of))
	case m.Mode == api.MergeSquash:
		m.Steps = append(m.Steps, fmt.Sprintf("squash %s into one commit on %s", of, m.Into))
	case m.Mode == api.MergeRebase:
		m.Steps = append(m.Steps, fmt.Sprintf("make %s again on top of %s; %s itself stays", of, m.Into, m.Branch))
	default:
		m.Steps = append(m.Steps, fmt.Sprintf("make a merge commit of %s on %s", of, m.Into))
	}
	if m.at != nil {
		m.Steps = append(m.Steps, "update the files in "+m.at.Path)
	}
	m.Steps = append(m.Steps, fmt.Sprintf("keep what %s is now (%s) under %s", m.Into, short(m.Target), undoRefs))
}

// carryOut moves the target to the new commit, under a record.
func (k *Keeper) carryOut(ctx context.Context, m *merging) error {
	now := k.o.Now()
	rec := record{ID: newID(now), Kind: kindMerge, At: now, Path: m.Path, Branch: m.Into, Commit: m.Target, To: m.Commit}
	if m.at != nil {
		rec.Path, rec.GitDir = m.at.Path, m.at.GitDir
	}
	m.Undo = undoRefs + rec.ID
	git := run{dir: m.repo.Common}
	if err := m.repo.updateRef(ctx, m.Undo, m.Target, zeroID(m.Target)); err != nil {
		return err
	}
	if err := m.repo.begin(rec); err != nil {
		return err
	}
	k.o.Pause(PauseMergeBegun)
	if m.at != nil {
		if err := m.repo.lockIndex(m.at, rec.ID); err != nil { // nothing was done
			drop := m.repo.updateRef(ctx, "-d", m.Undo)
			return errors.Join(err, drop, m.repo.end(rec.ID))
		}
	}
	if err := k.move(ctx, m, rec); err != nil {
		did, again := k.finishMerge(ctx, m.repo, rec)
		if again != nil { // the record stays: the next operation undoes it
			k.o.Logger.Warn("a merge could not be undone yet", "tree", rec.Path, "error", again)
			return err
		}
		k.o.Logger.Warn("a merge failed", "tree", rec.Path, "error", err, "then", did)
		if now, _ := git.line(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+rec.Branch); now != rec.To {
			drop := m.repo.updateRef(ctx, "-d", m.Undo)
			return errors.Join(err, drop, m.repo.end(rec.ID))
		}
	}
	m.Done = true
	return m.repo.end(rec.ID)
}

// listed joins the first of many names.
func listed(names []string, most int) string {
	for i := range names {
		names[i] = textsafe.Line(names[i])
	}
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

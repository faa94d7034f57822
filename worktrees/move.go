package worktrees

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ccdir/api"
	"ccdir/internal/disk/atomicfile"
)

// Move moves a tree to another path, and returns the path. It is refused while a session
// lives there.
func (k *Keeper) Move(ctx context.Context, in api.MoveWorktree) (api.Worktree, error) {
	r, unlock, _, err := k.locked(ctx, in.Dir)
	if err != nil {
		return api.Worktree{}, err
	}
	defer unlock()
	for i := range r.Trees {
		if t := &r.Trees[i]; t.Path == filepath.Clean(in.Path) && !t.Missing { // a retry
			return api.Worktree{Path: t.Path, Repo: r.Root, Branch: t.Branch, Head: t.Head, Sessions: []string{}}, nil
		}
	}
	sessions := k.o.Sessions(ctx, true)
	t, err := r.find(in.Tree, in.Dir, sessions)
	if err != nil {
		return api.Worktree{}, err
	}
	refs, err := readRefs(ctx, r)
	if err != nil {
		return api.Worktree{}, err
	}
	occupants := r.occupants(t, sessions)
	w := k.facts(ctx, r, t, refs, occupants, lookAtFiles(ctx, t))
	path := filepath.Clean(in.Path)
	switch why := unsafeToRemove(w, namesOf(occupants)); {
	case why != "":
		return w, api.Errorf(api.CodeConflict, "%s stays: %s", t.Path, why)
	case t.Missing:
		return w, api.Errorf(api.CodeConflict, "the directory %s is gone: `ccdir worktree prune` forgets it", t.Path)
	case !filepath.IsAbs(path):
		return w, api.Errorf(api.CodeInvalid, "the path %q is not absolute", in.Path)
	case exists(path):
		return w, api.Errorf(api.CodeConflict, "%s exists already: take another path", path)
	case inside(resolved(filepath.Dir(path)), resolved(t.Path)):
		return w, api.Errorf(api.CodeInvalid, "%s is inside of the work tree itself: take another path", path)
	}
	if err := r.untrackedAt(ctx, path); err != nil {
		return w, err
	}
	for _, sub := range submodules(ctx, t) {
		if isRepository(filepath.Join(t.Path, sub.path)) {
			return w, api.Errorf(api.CodeConflict, "%s has a submodule checked out (%s), which git cannot move: remove it there first", t.Path, sub.path)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return w, err
	}
	now := k.o.Now()
	rec := record{ID: newID(now), Kind: kindMove, At: now, Path: t.Path, GitDir: t.GitDir, To: path}
	if err := r.begin(rec); err != nil {
		return w, err
	}
	if err := os.Rename(t.Path, path); err != nil {
		return w, errors.Join(fmt.Errorf("%s cannot be moved: %w (across file systems use `git worktree move`)", t.Path, err), r.end(rec.ID))
	}
	if _, err := k.finishMove(ctx, r, rec); err != nil {
		return w, err
	}
	w.Path = path
	return w, r.end(rec.ID)
}

// untrackedAt fails if a path is in a work tree of this repository whose git does not ignore it: it
// would be listed there as untracked, and added by `git add -A`. Who names a new name means one
// beside the old place.
func (r *Repo) untrackedAt(ctx context.Context, path string) error {
	around := r.around(existing(filepath.Dir(path)))
	if around == nil {
		return nil
	}
	_, err := run{dir: around.Path}.git(ctx, "check-ignore", "--quiet", "--no-index", "--", filepath.Join(path, "file"))
	if err == nil || !said(err, 1) {
		return err
	}
	return api.Errorf(api.CodeInvalid, "%s is inside of the work tree %s, where git does not ignore it: name an absolute path outside, such as %s, or a place in .gitignore", path, around.Path,
		filepath.Join(filepath.Dir(r.Root), filepath.Base(r.Root)+"."+filepath.Base(path)))
}

// existing is the innermost directory around a path that exists.
func existing(dir string) string {
	for !exists(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	return dir
}

// finishMove tells git where a tree is.
func (k *Keeper) finishMove(_ context.Context, _ *Repo, rec record) (did string, err error) {
	if !exists(rec.To) || exists(rec.Path) {
		return fmt.Sprintf("%s was not moved", rec.Path), nil
	}
	if err := point(rec.To, rec.To, rec.GitDir); err != nil {
		return "", err
	}
	err = pointBack(rec.GitDir, rec.GitDir, rec.To)
	_ = atomicfile.SyncDir(filepath.Dir(rec.To))
	return fmt.Sprintf("the interrupted move of %s to %s was finished", rec.Path, rec.To), err
}

package worktrees

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ccdir/api"
	"ccdir/internal/disk/atomicfile"
)

// Points of a removal at which tests stop the process (Options.Pause).
const (
	PauseRemoveBegun  = "remove-begun"  // the record is written
	PauseRemoveSaved  = "remove-saved"  // the snapshot has its ref
	PauseRemoveTree   = "remove-tree"   // the tree is in the trash, git still lists it
	PauseRemoveGit    = "remove-git"    // git does not list it any more
	PauseRemoveBranch = "remove-branch" // the branch is gone, the record still stands
)

// lockReason is the reason of git's lock on a tree while we move it.
const lockReason = "ccdir moves it: "

// Remove moves a tree into the trash. The facts are read again under the repository's lock.
// What a person must decide is an error unless in.Yes; a main tree, one with a session, or
// one that git has locked is refused in any case.
func (k *Keeper) Remove(ctx context.Context, in api.RemoveWorktree) (out api.RemovedWorktree, err error) {
	r, unlock, finished, err := k.locked(ctx, in.Dir)
	if err != nil {
		return out, err
	}
	defer unlock()
	if in.Request != "" { // a retry
		for _, e := range k.trashedAll() {
			if e.Request == in.Request && e.Done {
				return e.RemovedWorktree, nil
			}
		}
	}
	sessions := k.o.Sessions(ctx, true)
	t, err := r.find(in.Tree, in.Dir, sessions)
	if err != nil {
		return out, err
	}
	if t.Missing && !t.Main {
		return out, api.Errorf(api.CodeConflict, "the directory %s is gone: `ccdir worktree prune` forgets it", t.Path)
	}
	refs, err := readRefs(ctx, r)
	if err != nil {
		return out, err
	}
	look := lookAtFiles(ctx, t)
	occupants := r.occupants(t, sessions)
	w := k.facts(ctx, r, t, refs, occupants, look)
	if why := unsafeToRemove(w, namesOf(occupants)); why != "" {
		return out, api.Errorf(api.CodeConflict, "%s stays: %s", t.Path, why)
	}
	if ask := questions(w, look.nested); len(ask) > 0 && !in.Yes {
		return out, api.Errorf(api.CodeAsks, "%s has %s", t.Path, strings.Join(ask, ", "))
	}
	merged := w.Merged
	if in.KeepBranch || t.Branch == "" || "refs/heads/"+t.Branch == refs.standard {
		merged = ""
	}
	out, err = k.toTrash(ctx, r, t, merged, in.Request)
	out.Notes = finished
	return out, err
}

// toTrash moves a tree into the trash, under a record; merged is the check by which its
// branch may go, too, "" if it stays.
func (k *Keeper) toTrash(ctx context.Context, r *Repo, t *Tree, merged api.Merged, request string) (out api.RemovedWorktree, err error) {
	now := k.o.Now()
	dir, err := k.trashFor(t.Path)
	if err != nil {
		return out, err
	}
	id := newID(now)
	e := trashed{Common: r.Common, WasGitDir: t.GitDir, GitDir: filepath.Join(r.Common, ours, "trash", id), BranchCommit: t.Head, Request: request,
		RemovedWorktree: api.RemovedWorktree{ID: id, Trash: filepath.Join(dir, id), Path: t.Path, Repo: r.Root, Branch: t.Branch, Head: t.Head,
			At: now, Until: now.Add(TrashTime), Ref: trashRefs + id, Merged: merged, BranchDeleted: merged != ""}}
	if err := os.MkdirAll(filepath.Dir(e.GitDir), 0o700); err != nil {
		return out, fmt.Errorf("the repository cannot be written: %w", err)
	}
	rec := record{ID: id, Kind: kindRemove, At: now, Path: t.Path, GitDir: t.GitDir, Branch: t.Branch, Commit: t.Head}
	if err := r.begin(rec); err != nil {
		return out, err
	}
	k.o.Pause(PauseRemoveBegun)
	saved, err := snap(ctx, r, t, snapshotOptions{ignored: true, message: "ccdir: all of " + t.Path})
	if err == nil {
		e.Commit, e.Left = saved.commit, saved.left
		err = r.updateRef(ctx, "--no-deref", "-m", "ccdir: a work tree was removed", e.Ref, saved.commit, zeroID(saved.commit))
	}
	if err == nil {
		err = k.writeTrashed(e)
	}
	if err != nil {
		return out, errors.Join(fmt.Errorf("nothing was removed: %w", err), r.end(id))
	}
	k.o.Pause(PauseRemoveSaved)
	// From here on it is finished even if the caller hangs up.
	ctx = context.WithoutCancel(ctx)
	if err := k.moveOut(e, t.id); err != nil {
		_ = os.Remove(filepath.Join(t.GitDir, "locked"))
		drop := r.updateRef(ctx, "-d", e.Ref)
		return out, errors.Join(fmt.Errorf("nothing was removed: %w", err), drop, os.Remove(k.trashFile(id)), r.end(id))
	}
	k.o.Pause(PauseRemoveTree)
	if err := k.completeRemoval(ctx, r, &e); err != nil {
		return out, err // the record stays: the next operation finishes it
	}
	return e.RemovedWorktree, r.end(id)
}

// moveOut renames the tree into the trash. id is the directory that was looked at.
func (k *Keeper) moveOut(e trashed, id inode) error {
	if inodeOf(e.Path) != id {
		return api.Errorf(api.CodeConflict, "%s is another directory than a moment ago", e.Path)
	}
	// `git worktree prune` must not take the tree's own directory for one that is left over.
	if err := atomicfile.Replace(filepath.Join(e.WasGitDir, "locked"), []byte(lockReason+e.ID+"\n")); err != nil {
		return err
	}
	if err := os.Rename(e.Path, e.Trash); err != nil {
		return fmt.Errorf("%s cannot be moved: %w", e.Path, err)
	}
	return errors.Join(atomicfile.SyncDir(filepath.Dir(e.Path)), atomicfile.SyncDir(filepath.Dir(e.Trash)))
}

// completeRemoval does what comes after the tree is in the trash. It may be done again.
func (k *Keeper) completeRemoval(ctx context.Context, r *Repo, e *trashed) error {
	if !exists(e.GitDir) {
		if err := os.Rename(e.WasGitDir, e.GitDir); err != nil {
			return fmt.Errorf("git still lists %s: %w", e.Path, err)
		}
		_ = atomicfile.SyncDir(filepath.Dir(e.WasGitDir))
		_ = atomicfile.SyncDir(filepath.Dir(e.GitDir))
	}
	k.o.Pause(PauseRemoveGit)
	if e.BranchDeleted {
		// Only where it is still what was merged, and where nobody has checked it out since.
		again, err := Open(ctx, r.Common)
		if err != nil {
			return err
		}
		for i := range again.Trees {
			e.BranchDeleted = e.BranchDeleted && again.Trees[i].Branch != e.Branch
		}
		ref := "refs/heads/" + e.Branch
		if _, gone := (run{dir: r.Common}).git(ctx, "rev-parse", "--verify", "--quiet", ref); e.BranchDeleted && gone == nil {
			err := r.updateRef(ctx, "-d", ref, e.BranchCommit)
			e.BranchDeleted = err == nil
		}
	}
	k.o.Pause(PauseRemoveBranch)
	e.Done = true
	return k.writeTrashed(*e)
}

// finishRemove finishes an interrupted removal if the tree is in the trash already, and
// forgets it if not: a session may live there by now.
func (k *Keeper) finishRemove(ctx context.Context, r *Repo, rec record) (did string, err error) {
	e, err := k.readTrashed(rec.ID)
	if err == nil && exists(e.Trash) {
		if e.Done {
			return fmt.Sprintf("%s is in the trash (%s)", rec.Path, rec.ID), nil
		}
		return fmt.Sprintf("the interrupted removal of %s was finished: it is in the trash (%s)", rec.Path, rec.ID), k.completeRemoval(ctx, r, &e)
	}
	if reason, err := readLine(filepath.Join(rec.GitDir, "locked")); err == nil && reason == lockReason+rec.ID {
		if err := os.Remove(filepath.Join(rec.GitDir, "locked")); err != nil {
			return "", err
		}
	}
	_ = r.updateRef(ctx, "-d", trashRefs+rec.ID)
	_ = os.Remove(k.trashFile(rec.ID))
	return fmt.Sprintf("the interrupted removal of %s was undone: it is where it was", rec.Path), nil
}

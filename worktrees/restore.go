package worktrees

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/disk/atomicfile"
)

// Points of a restore at which tests stop the process (Options.Pause).
const (
	PauseRestoreBegun  = "restore-begun"  // the record is written
	PauseRestoreBranch = "restore-branch" // the branch is back
	PauseRestoreGit    = "restore-git"    // git lists the tree, which is still in the trash
	PauseRestoreTree   = "restore-tree"   // the tree is where it was, the record still stands
)

// Restore brings a tree back from the trash, as it was.
func (k *Keeper) Restore(ctx context.Context, in api.RestoreWorktree) (out api.RestoredWorktree, err error) {
	id := in.ID
	if filepath.IsAbs(id) {
		id = filepath.Base(filepath.Clean(id))
	}
	e, err := k.readTrashed(id)
	if err != nil {
		return out, err
	}
	r, unlock, finished, err := k.locked(ctx, e.Common)
	if err != nil {
		return out, fmt.Errorf("the repository of %s cannot be used (its files are in %s): %w", e.Path, e.Trash, err)
	}
	defer unlock()
	if e, err = k.readTrashed(id); err != nil { // as the lock's holder before left it
		return out, err
	}
	if e.Restored != "" {
		if in.Request != "" && in.Request == e.RestoredBy { // a retry
			return api.RestoredWorktree{Path: e.Restored, Branch: e.Branch, Head: e.Head, Notes: finished}, nil
		}
		return out, api.Errorf(api.CodeNotFound, "%q is not in the trash any more: it was restored to %s", id, e.Restored)
	}
	path := e.Path
	if in.Path != "" {
		if path = filepath.Clean(in.Path); !filepath.IsAbs(path) {
			return out, api.Errorf(api.CodeInvalid, "the path %q is not absolute", in.Path)
		}
	}
	if exists(path) {
		return out, api.Errorf(api.CodeConflict, "%s exists already: give another place by --path", path)
	}
	if !e.Done || !exists(e.Trash) || !exists(e.GitDir) {
		return out, api.Errorf(api.CodeConflict, "%s is not whole any more: `git -C %s show %s` has what was saved of it", e.Trash, r.Root, e.Ref)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return out, err
	}
	if inodeOf(filepath.Dir(path)).dev != inodeOf(e.Trash).dev {
		return out, api.Errorf(api.CodeInvalid, "%s is on another file system than the trash: restore it without --path, then `ccdir worktree mv` it", path)
	}
	rec := record{ID: id, Kind: kindRestore, At: k.o.Now(), Path: path, GitDir: freeName(e.WasGitDir), Branch: e.Branch, Commit: e.BranchCommit, Request: in.Request}
	if err := r.begin(rec); err != nil {
		return out, err
	}
	k.o.Pause(PauseRestoreBegun)
	notes, err := k.bringBack(context.WithoutCancel(ctx), r, rec, e)
	if err != nil {
		return out, err // the record stays: the next operation finishes it
	}
	return api.RestoredWorktree{Path: path, Branch: e.Branch, Head: e.Head, Notes: append(finished, notes...)}, r.end(id)
}

// freeName is a path that does not exist: the path itself, or with a number.
func freeName(path string) string {
	name := path
	for i := 1; exists(name); i++ {
		name = path + strconv.Itoa(i)
	}
	return name
}

// bringBack carries a restore out. It may be done again after a crash at any point.
func (k *Keeper) bringBack(ctx context.Context, r *Repo, rec record, e trashed) (notes []string, err error) {
	if exists(e.GitDir) {
		if notes, err = k.branchBack(ctx, r, e); err != nil {
			return notes, err
		}
		k.o.Pause(PauseRestoreBranch)
		// While git lists it without its files, nothing may prune it.
		if err := atomicfile.Replace(filepath.Join(e.GitDir, "locked"), []byte(lockReason+e.ID+"\n")); err != nil {
			return notes, err
		}
		if err := pointBack(e.GitDir, rec.GitDir, rec.Path); err != nil {
			return notes, err
		}
		if err := os.MkdirAll(filepath.Dir(rec.GitDir), 0o777); err != nil { // git removes it with the last tree
			return notes, err
		}
		if err := os.Rename(e.GitDir, rec.GitDir); err != nil {
			return notes, err
		}
		_ = atomicfile.SyncDir(filepath.Dir(rec.GitDir))
	}
	k.o.Pause(PauseRestoreGit)
	if exists(e.Trash) {
		if err := point(e.Trash, rec.Path, rec.GitDir); err != nil {
			return notes, err
		}
		if err := os.MkdirAll(filepath.Dir(rec.Path), 0o700); err != nil {
			return notes, err
		}
		if exists(rec.Path) {
			return notes, api.Errorf(api.CodeConflict, "%s exists by now: move it away; the work tree is in %s", rec.Path, e.Trash)
		}
		if err := os.Rename(e.Trash, rec.Path); err != nil {
			return notes, err
		}
		_ = atomicfile.SyncDir(filepath.Dir(rec.Path))
	}
	k.o.Pause(PauseRestoreTree)
	if err := os.Remove(filepath.Join(rec.GitDir, "locked")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return notes, err
	}
	e.Restored, e.RestoredBy = rec.Path, rec.Request
	if err := k.writeTrashed(e); err != nil {
		return notes, err
	}
	return notes, r.updateRef(ctx, "-d", e.Ref)
}

// pointBack makes a tree's own directory in the repository, which is in now and will be in
// gitDir, name the tree's .git file, unless it does. The paths may be relative ones.
func pointBack(now, gitDir, tree string) error {
	file, want := filepath.Join(now, "gitdir"), filepath.Join(tree, ".git")
	line, err := readLine(file)
	if err == nil && !filepath.IsAbs(line) {
		line = filepath.Join(gitDir, line)
	}
	if err == nil && line == want {
		return nil
	}
	return atomicfile.WriteMode(file, []byte(want+"\n"), 0o644)
}

// point makes the .git file of a tree, which is in now and will be in tree, name its
// directory in the repository, unless it does: the file is then left as it was.
func point(now, tree, gitDir string) error {
	file := filepath.Join(now, ".git")
	if line, err := readLine(file); err == nil {
		if dir, ok := strings.CutPrefix(line, "gitdir: "); ok && (dir == gitDir || !filepath.IsAbs(dir) && filepath.Join(tree, dir) == gitDir) {
			return nil
		}
	}
	info, err := os.Lstat(file)
	mode := fs.FileMode(0o644)
	if err == nil {
		mode = info.Mode().Perm()
	}
	return atomicfile.WriteMode(file, []byte("gitdir: "+gitDir+"\n"), mode)
}

// branchBack makes the branch again if it was deleted. If it has moved on, or is checked
// out elsewhere, the tree comes back at its commit without branch: nothing in it changes.
func (k *Keeper) branchBack(ctx context.Context, r *Repo, e trashed) (notes []string, err error) {
	if e.Branch == "" || e.BranchCommit == "" {
		return nil, nil
	}
	ref := "refs/heads/" + e.Branch
	git := run{dir: r.Common}
	at, err := git.line(ctx, "rev-parse", "--verify", "--quiet", ref)
	if err != nil {
		if !said(err, 1) {
			return nil, err
		}
		if err := r.updateRef(ctx, "-m", "ccdir: a work tree was restored", ref, e.BranchCommit, zeroID(e.BranchCommit)); err != nil {
			return nil, err
		}
		return nil, nil
	}
	where := ""
	for i := range r.Trees {
		if r.Trees[i].Branch == e.Branch && !strings.HasPrefix(r.Trees[i].Locked, lockReason+e.ID) {
			where = "is checked out in " + r.Trees[i].Path
		}
	}
	switch {
	case where != "":
	case at != e.BranchCommit:
		where = "has moved on to " + short(at)
	default:
		return nil, nil
	}
	// A rebase under way has no branch in HEAD.
	head, _ := readLine(filepath.Join(e.GitDir, "HEAD"))
	if head == "ref: "+ref {
		if err := atomicfile.WriteMode(filepath.Join(e.GitDir, "HEAD"), []byte(e.BranchCommit+"\n"), 0o644); err != nil {
			return nil, err
		}
	}
	return []string{fmt.Sprintf("the branch %s %s: the work tree is at its commit %s without a branch", e.Branch, where, short(e.BranchCommit))}, nil
}

// finishRestore finishes an interrupted restore.
func (k *Keeper) finishRestore(ctx context.Context, r *Repo, rec record) (did string, err error) {
	did = fmt.Sprintf("the interrupted restore of %s was finished", rec.Path)
	e, err := k.readTrashed(rec.ID)
	if err != nil {
		return "", err
	}
	if e.Restored != "" { // all but the last was done
		return did, r.updateRef(ctx, "-d", e.Ref)
	}
	_, err = k.bringBack(ctx, r, rec, e)
	return did, err
}

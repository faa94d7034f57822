package worktrees

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/gitstatus"
)

// Prune finishes what was interrupted in the repository around dir, forgets work trees whose
// directory is gone (their commits that nothing else has get a ref), and empties the trash of
// what lay there for TrashTime, of all repositories.
func (k *Keeper) Prune(ctx context.Context, dir string) (out api.PrunedWorktrees, err error) {
	out = api.PrunedWorktrees{Forgotten: []string{}, Expired: []string{}, Finished: []string{}}
	r, unlock, finished, err := k.locked(ctx, dir)
	if err != nil {
		return out, err
	}
	defer unlock()
	out.Finished = append(out.Finished, finished...)
	for i := range r.Trees {
		t := &r.Trees[i]
		if !t.Missing || t.Main || t.Locked != "" || t.GitDir == "" {
			continue
		}
		if err := k.forget(ctx, r, t); err != nil {
			return out, err
		}
		out.Forgotten = append(out.Forgotten, t.Path)
	}
	out.Expired = append(out.Expired, k.EmptyTrash(ctx)...)
	return out, k.dropUndo(ctx, r)
}

// undoTime is how long what branches were before merges is kept.
const undoTime = 30 * 24 * time.Hour

// dropUndo deletes the undo refs of merges that are older; their names have the time.
func (k *Keeper) dropUndo(ctx context.Context, r *Repo) error {
	git := run{dir: r.Common}
	out, err := git.git(ctx, "for-each-ref", "--format=%(refname)", undoRefs)
	if err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		ref := strings.TrimSpace(line)
		name := strings.TrimPrefix(ref, undoRefs)
		at, err := time.Parse(idTime, name[:min(len(name), len(idTime))])
		if err != nil || k.o.Now().Sub(at) < undoTime {
			continue
		}
		if err := r.updateRef(ctx, "-d", ref); err != nil {
			return err
		}
	}
	return nil
}

// forget removes git's entry of a tree whose directory is gone. What only that entry names
// gets a ref: its commits, and what was staged.
func (k *Keeper) forget(ctx context.Context, r *Repo, t *Tree) error {
	if exists(filepath.Join(t.Path, ".git")) {
		return api.Errorf(api.CodeConflict, "%s is there again: look at it", t.Path)
	}
	id := newID(k.o.Now())
	commits, err := r.looseEnds(ctx, t)
	if err != nil {
		return err
	}
	git := run{dir: r.Common, env: identity}
	if exists(filepath.Join(t.GitDir, "index")) && t.Head != "" {
		if staged, err := snapStaged(ctx, r, t); err == nil && staged != "" {
			commits = append(commits, staged)
		}
	}
	if len(commits) > 0 && t.Head != "" {
		args := []string{"commit-tree", t.Head + "^{tree}", "-m", "ccdir: what only " + t.Path + " had", "-p", t.Head}
		for _, c := range commits {
			args = append(args, "-p", c)
		}
		commit, err := git.line(ctx, args...)
		if err != nil {
			return err
		}
		if err := r.updateRef(ctx, trashRefs+id, commit, zeroID(commit)); err != nil {
			return err
		}
	}
	return os.RemoveAll(t.GitDir)
}

// snapStaged is a commit of what was staged in a tree whose files are gone; "" if that is
// what its commit has.
func snapStaged(ctx context.Context, r *Repo, t *Tree) (string, error) {
	index, err := copyIndex(t, filepath.Join(r.Common, ours))
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(index) }()
	look, err := gitstatus.NewLook(ctx, r.Common)
	if err != nil {
		return "", err
	}
	defer look.Close()
	s := snapper{r: r, t: t, run: run{dir: r.Common, env: identity, look: look, index: index}}
	if err := s.splitUnmerged(ctx); err != nil {
		return "", err
	}
	tree, err := s.line(ctx, "write-tree", "--missing-ok")
	if err != nil {
		return "", err
	}
	if had, err := s.line(ctx, "rev-parse", t.Head+"^{tree}"); err != nil || had == tree {
		return "", err
	}
	return s.commit(ctx, tree, "ccdir: what was staged in "+t.Path, []string{"-p", t.Head})
}

// EmptyTrash deletes what lay in the trash for TrashTime, and returns where it was.
func (k *Keeper) EmptyTrash(ctx context.Context) (expired []string) {
	now := k.o.Now()
	for _, e := range k.trashedAll() {
		if !e.Done || now.Before(e.Until) || ctx.Err() != nil {
			continue
		}
		if e.Restored != "" {
			_ = os.Remove(k.trashFile(e.ID))
			continue
		}
		if err := k.discard(ctx, e); err != nil {
			k.o.Logger.Warn("the trash could not be emptied", "id", e.ID, "error", err)
			continue
		}
		expired = append(expired, e.Path)
	}
	halves, _ := filepath.Glob(filepath.Join(globbed(k.o.Trash), "*"+halfMade)) // fails for bad patterns only
	for _, dir := range halves {
		if at, err := time.Parse(idTime, filepath.Base(dir)[:min(len(filepath.Base(dir)), len(idTime))]); err == nil && now.Sub(at) > TrashTime {
			makeWritable(dir)
			_ = os.RemoveAll(dir)
		}
	}
	return expired
}

// halfMade ends the names of directories in the trash that were never whole work trees.
const halfMade = "-half"

// discard deletes an entry for good: the files first, their description last.
func (k *Keeper) discard(ctx context.Context, e trashed) error {
	if filepath.Base(e.Trash) != e.ID || filepath.Base(e.GitDir) != e.ID {
		return errors.New("its description names other directories")
	}
	makeWritable(e.Trash)
	if err := errors.Join(os.RemoveAll(e.Trash), os.RemoveAll(e.GitDir)); err != nil {
		return err
	}
	if exists(e.Common) {
		if _, err := (run{dir: e.Common}).git(ctx, "update-ref", "-d", e.Ref); err != nil {
			return fmt.Errorf("its snapshot stays: %w", err)
		}
	}
	return os.Remove(k.trashFile(e.ID))
}

// makeWritable lets the folders of a tree be emptied, as build tools that write-protect
// their caches make them.
func makeWritable(dir string) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			_ = os.Chmod(path, 0o700) //nolint:gosec // it is deleted next
		}
		return nil
	})
}

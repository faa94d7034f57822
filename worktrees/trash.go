package worktrees

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/untrusted"
)

// TrashTime is how long a removed tree lies in the trash.
const TrashTime = 7 * 24 * time.Hour

// trashRefs is where the snapshots of removed trees are.
const trashRefs = "refs/ccdir/trash/"

// trashed is a removed tree: the content of ID.json beside it. The tree itself is in the
// directory Trash, its own directory of the repository in GitDir, moved from WasGitDir.
type trashed struct {
	api.RemovedWorktree
	Common    string `json:"common"`
	GitDir    string `json:"git_dir"`
	WasGitDir string `json:"was_git_dir"`
	// BranchCommit is where its branch was; Commit is the snapshot.
	BranchCommit string `json:"branch_commit,omitempty"`
	Commit       string `json:"commit"`
	// Request is the call that removed it.
	Request string `json:"request,omitempty"`
	// Restored is where it is since it was restored, by the call RestoredBy; the description
	// stays for a retry of that.
	Restored   string `json:"restored,omitempty"`
	RestoredBy string `json:"restored_by,omitempty"`
	// Done: it is in the trash whole. Otherwise a crash came in between.
	Done bool `json:"done"`
}

// trashFor is a directory of a trash into which a tree can be renamed: ours, or one beside
// the tree if that is on another file system.
func (k *Keeper) trashFor(path string) (string, error) {
	if err := os.MkdirAll(k.o.Trash, 0o700); err != nil {
		return "", fmt.Errorf("the trash cannot be made: %w", err)
	}
	beside := filepath.Dir(path)
	if inodeOf(beside).dev == inodeOf(k.o.Trash).dev {
		return k.o.Trash, nil
	}
	dir := filepath.Join(beside, ".ccdir-trash")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("%s is on another file system, and no trash can be made there: %w", path, err)
	}
	return dir, nil
}

func (k *Keeper) trashFile(id string) string { return filepath.Join(k.o.Trash, id+".json") }

// write saves the description.
func (k *Keeper) writeTrashed(e trashed) error {
	data, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.Replace(k.trashFile(e.ID), data); err != nil {
		return fmt.Errorf("the trash cannot be written: %w", err)
	}
	return nil
}

// readTrashed reads the description of an entry.
func (k *Keeper) readTrashed(id string) (e trashed, err error) {
	if id == "" || id != filepath.Base(id) || strings.HasPrefix(id, ".") {
		return e, api.Errorf(api.CodeNotFound, "%q is nothing in the trash: `ccdir worktree restore` lists it", id)
	}
	data, err := untrusted.Read(k.trashFile(id), maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return e, api.Errorf(api.CodeNotFound, "%q is nothing in the trash: `ccdir worktree restore` lists it", id)
	}
	if err == nil {
		err = json.Unmarshal(data, &e)
	}
	if err == nil && e.ID != id {
		err = errors.New("it describes something else")
	}
	if err != nil {
		err = fmt.Errorf("the description of %s in the trash cannot be read: %w", id, err)
	}
	return e, err
}

// Trash lists removed trees, the newest first; of one repository, or all if dir is "".
func (k *Keeper) Trash(ctx context.Context, dir string) ([]api.RemovedWorktree, error) {
	var only inode
	if dir != "" {
		r, err := Open(ctx, dir)
		if err != nil {
			return nil, err
		}
		only = inodeOf(r.Common)
	}
	list := []api.RemovedWorktree{}
	for _, e := range k.trashedAll() {
		if e.Done && e.Restored == "" && (dir == "" || inodeOf(e.Common) == only) {
			list = append(list, e.RemovedWorktree)
		}
	}
	slices.SortFunc(list, func(a, b api.RemovedWorktree) int { return b.At.Compare(a.At) })
	return list, nil
}

// trashedAll are all entries whose description can be read.
func (k *Keeper) trashedAll() (list []trashed) {
	files, _ := filepath.Glob(filepath.Join(globbed(k.o.Trash), "*.json")) // fails for bad patterns only
	for _, file := range files {
		if e, err := k.readTrashed(strings.TrimSuffix(filepath.Base(file), ".json")); err == nil {
			list = append(list, e)
		}
	}
	return list
}

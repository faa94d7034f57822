package worktrees

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/untrusted"
)

// record is written before an operation begins and deleted when it is done, so
// that after a crash the next one knows how far it came.
type record struct {
	ID   string    `json:"id"`
	Kind string    `json:"kind"`
	At   time.Time `json:"at"`
	// Path is the tree's directory, GitDir its own directory in the repository.
	Path   string `json:"path"`
	GitDir string `json:"git_dir,omitempty"`
	// Branch with NewBranch was made by the operation, at Commit.
	Branch    string `json:"branch,omitempty"`
	NewBranch bool   `json:"new_branch,omitempty"`
	Commit    string `json:"commit,omitempty"`
	// Request is the call that a restore is of.
	Request string `json:"request,omitempty"`
	// To is where a tree is moved, or the commit that a merge makes of Branch.
	To string `json:"to,omitempty"`
}

// Kinds of operations.
const (
	kindAdd     = "add"
	kindRemove  = "remove"
	kindRestore = "restore"
	kindMove    = "move"
	kindMerge   = "merge"
)

// maxRecord bounds a record, in bytes.
const maxRecord = 1 << 20

// idTime is the layout of the time in an id.
const idTime = "20060102-150405"

// newID makes the id of an operation: its day and something random, so that a list is in
// order of time.
func newID(now time.Time) string {
	return now.UTC().Format(idTime) + "-" + strings.ToLower(rand.Text()[:6])
}

func (r *Repo) recordFile(id string) string { return filepath.Join(r.Common, ours, "ops", id+".json") }

// begin writes a record.
func (r *Repo) begin(rec record) error {
	file := r.recordFile(rec.ID)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("cannot write into the repository: %w", err)
	}
	data, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	if err := atomicfile.Replace(file, data); err != nil {
		return fmt.Errorf("cannot write into the repository: %w", err)
	}
	return nil
}

// end deletes a record.
func (r *Repo) end(id string) error {
	err := os.Remove(r.recordFile(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// records are those of operations that did not end, oldest first.
func (r *Repo) records() (list []record) {
	files, _ := filepath.Glob(filepath.Join(globbed(filepath.Join(r.Common, ours, "ops")), "*.json")) // fails for bad patterns only
	for _, file := range files {
		data, err := untrusted.Read(file, maxRecord)
		var rec record
		if err == nil && json.Unmarshal(data, &rec) == nil && rec.ID+".json" == filepath.Base(file) {
			list = append(list, rec)
		}
	}
	slices.SortFunc(list, func(a, b record) int { return a.At.Compare(b.At) })
	return list
}

// globbed is a path as a pattern that matches it alone.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// recover finishes or undoes the operations that a crash interrupted, under the lock, and
// says what it did. One that it cannot finish stays for the next time, and is named too.
func (k *Keeper) recover(ctx context.Context, r *Repo) (finished []string) {
	for _, rec := range r.records() {
		finish := map[string]func(context.Context, *Repo, record) (string, error){
			kindAdd: k.finishAdd, kindRemove: k.finishRemove, kindRestore: k.finishRestore, kindMove: k.finishMove, kindMerge: k.finishMerge,
		}[rec.Kind]
		if finish == nil {
			continue // of a later version
		}
		did, err := finish(ctx, r, rec)
		if err == nil {
			err = r.end(rec.ID)
		}
		if err != nil {
			did = fmt.Sprintf("the interrupted %s of %s could not be finished: %v", rec.Kind, rec.Path, err)
		}
		k.o.Logger.Warn("an operation on work trees was interrupted", "repository", r.Common, "operation", rec.Kind, "path", rec.Path, "finished", did)
		k.o.Finished(did)
		finished = append(finished, did)
		if err := r.read(ctx); err != nil {
			return append(finished, err.Error())
		}
	}
	return finished
}

// madeFile is the file in a tree's own directory of the repository that says how ccdir
// made the tree; others have none.
const madeFile = "ccdir.json"

// maxMade bounds madeFile, in bytes.
const maxMade = 4 << 20

// made is the content of madeFile.
type made struct {
	// Base is the full name of the branch from which the tree was made, "" if it was a
	// commit; Commit is where it began.
	Base   string    `json:"base,omitempty"`
	Commit string    `json:"commit,omitempty"`
	At     time.Time `json:"at,omitzero"`
	// Port is the first of its ten ports.
	Port int `json:"port,omitempty"`
	// Brought are the ignored files that were copied or linked.
	Brought []string `json:"brought,omitempty"`
}

// readMade reads the file of a tree; the zero value if there is none that can be read.
func readMade(gitDir string) (m made) {
	if gitDir == "" {
		return m
	}
	data, err := untrusted.Read(filepath.Join(gitDir, madeFile), maxMade)
	if err != nil || json.Unmarshal(data, &m) != nil {
		return made{}
	}
	return m
}

// write saves it.
func (m made) write(gitDir string) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return atomicfile.Replace(filepath.Join(gitDir, madeFile), data)
}

// brought is the set of Brought.
func (m made) brought() map[string]bool {
	set := make(map[string]bool, len(m.Brought))
	for _, path := range m.Brought {
		set[path] = true
	}
	return set
}

package worktrees

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ccdir/api"

	"golang.org/x/sys/unix"
)

// ours is the folder in a repository's common directory with our lock, records of
// operations, and the trees' own directories in the trash.
const ours = "ccdir"

// lockTry is how often a taken lock is tried again: another process may hold it.
const lockTry = 50 * time.Millisecond

// lock takes the lock of a repository, against other operations of this and other daemons.
// It waits until ctx ends.
func (r *Repo) lock(ctx context.Context) (unlock func(), err error) {
	dir := filepath.Join(r.Common, ours)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, api.Errorf(api.CodeInvalid, "cannot write into the repository: %v", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, api.Errorf(api.CodeInvalid, "cannot lock the repository: %v", err)
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) //nolint:gosec // a descriptor
		if err == nil {
			r.held = f
			return func() { _ = f.Close() }, nil
		}
		if err != unix.EWOULDBLOCK && err != unix.EINTR {
			_ = f.Close()
			return nil, api.Errorf(api.CodeInternal, "cannot lock the repository: %v", err)
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, ctx.Err()
		case <-time.After(lockTry):
		}
	}
}

// locked opens the repository around dir, takes its lock and finishes what a crash
// interrupted; finished says what that was.
func (k *Keeper) locked(ctx context.Context, dir string) (r *Repo, unlock func(), finished []string, err error) {
	if r, err = locate(ctx, dir); err != nil {
		return nil, nil, nil, err
	}
	if unlock, err = r.lock(ctx); err != nil {
		return nil, nil, nil, err
	}
	k.mend(r)
	if err = r.read(ctx); err == nil { // see what the previous holder of the lock changed
		if finished = k.recover(ctx, r); len(finished) > 0 {
			err = r.read(ctx)
		}
	}
	r.dropCopies()
	if err != nil {
		unlock()
		return nil, nil, nil, err
	}
	return r, unlock, finished, nil
}

// Recover finishes what a crash interrupted in the repositories around directories: until then a
// person's git may find the index locked.
func (k *Keeper) Recover(ctx context.Context, dirs []string) {
	seen := map[string]bool{}
	for _, dir := range dirs {
		r, err := locate(ctx, dir)
		if err != nil || seen[r.Common] || len(r.records()) == 0 {
			continue
		}
		seen[r.Common] = true
		if _, unlock, _, err := k.locked(ctx, dir); err == nil {
			unlock()
		}
	}
}

// dropCopies deletes the copies of indexes that a crash left, but those of operations that
// could not be finished yet.
func (r *Repo) dropCopies() {
	files, _ := filepath.Glob(filepath.Join(globbed(filepath.Join(r.Common, ours)), indexCopy+"*")) // fails for bad patterns only
	for _, file := range files {
		id, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(file), indexCopy), ".") // .lock is git's
		if !exists(r.recordFile(id)) {
			_ = os.Remove(file)
		}
	}
}

// updateRef runs git update-ref. A lock that a killed git left of a ref of ours goes first: only
// who has locked the repository writes those.
func (r *Repo) updateRef(ctx context.Context, args ...string) error {
	for _, name := range args {
		if strings.HasPrefix(name, "refs/ccdir/") {
			_ = os.Remove(filepath.Join(r.Common, name+".lock"))
		}
	}
	_, err := run{dir: r.Common, lock: r.held}.git(ctx, append([]string{"update-ref"}, args...)...)
	if err != nil && !dropLock(r.packedLock(), record{}) {
		err = api.Errorf(api.CodeConflict, "git was killed, or is at work: when no git runs in this repository, remove %s (%v)", r.packedLock(), err)
	}
	return err
}

package gitstatus

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// placePrefix begins the names of the directories of Looks, among the temporary files.
const placePrefix = "ccdir-look-"

// newPlace makes a directory for a Look, locked as long as this process has lock open: one
// that nobody has locked is left over.
func newPlace() (place string, lock *os.File, err error) {
	for range 3 { // Sweep may take a new one away before it is locked
		if place, err = os.MkdirTemp("", placePrefix); err != nil {
			break
		}
		if lock, err = os.Open(place); err != nil {
			continue
		}
		if err = flock(lock, syscall.LOCK_EX); errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOLCK) {
			return place, lock, nil // Sweep cannot lock it there either, and leaves it
		}
		if err == nil {
			if _, err = os.Lstat(place); err == nil {
				return place, lock, nil
			}
		}
		_ = lock.Close()
	}
	return "", nil, fmt.Errorf("git cannot be run: %w", err)
}

// Sweep removes what is left of Looks whose process was killed, and returns how many there were.
func Sweep() (removed int) {
	places, _ := filepath.Glob(filepath.Join(os.TempDir(), placePrefix+"*")) // fails for bad patterns only
	for _, place := range places {
		f, err := os.OpenFile(place, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
		if err != nil {
			continue // another user's, or gone
		}
		if info, err := f.Stat(); err == nil {
			st, ok := info.Sys().(*syscall.Stat_t)
			if ok && int(st.Uid) == os.Geteuid() && flock(f, syscall.LOCK_EX|syscall.LOCK_NB) == nil && os.RemoveAll(place) == nil {
				removed++
			}
		}
		_ = f.Close()
	}
	return removed
}

func flock(f *os.File, how int) (err error) {
	for {
		if err = syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) { //nolint:gosec // a descriptor
			return err
		}
	}
}

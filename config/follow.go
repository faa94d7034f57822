package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settleTime is how long the file must be left alone until it is read again: editors
// write it in several steps, and half of a file says something else.
const settleTime = 100 * time.Millisecond

// Follow reads the file that was is from again whenever it has changed, and hands over
// what says something else than the last one did, until ctx ends. changed is called on
// Follow's goroutine. It costs nothing as long as nobody writes. The error says why
// changes are not seen from then on, and what to do about that.
func Follow(ctx context.Context, was Loaded, home string, changed func(Loaded)) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return unseen(err)
	}
	defer w.Close()
	f := follower{add: w.Add, file: was.File}
	if err := f.watch(); err != nil {
		return unseen(err)
	}
	settled := time.NewTimer(0) // it may have changed before it was watched
	defer settled.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-w.Events:
			if !ok {
				return nil
			}
			if slices.Contains(f.names, e.Name) {
				settled.Reset(settleTime)
			}
		case _, ok := <-w.Errors: // some events may be lost
			if !ok {
				return nil
			}
			settled.Reset(settleTime)
		case <-settled.C:
			err := f.watch()
			now := Load(was.File, home)
			if !reflect.DeepEqual(now.Config, was.Config) || !slices.Equal(now.Problems, was.Problems) {
				was = now
				changed(now)
			}
			if err != nil {
				return unseen(err)
			}
		}
	}
}

// unseen says why changes are not seen, and what to do.
func unseen(err error) error {
	why := err.Error()
	switch {
	case errors.Is(err, syscall.ENOSPC):
		why = "all watches of files are in use: raise fs.inotify.max_user_watches"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		why = "too many files are open or watched: raise fs.inotify.max_user_instances or `ulimit -n`"
	}
	return fmt.Errorf("changes count when ccdir is opened again, %s", why)
}

// follower watches where a file is.
type follower struct {
	add   func(dir string) error // to what is watched; what is already is no error
	file  string
	names []string // whose changes count
}

// watch watches directories, because editors replace files: that of the file, the one
// above if that is not there yet, and that of the file which it is a link to. What is
// not there is no error: without it nobody has a configuration.
func (f *follower) watch() error {
	dir := filepath.Dir(f.file)
	f.names = []string{f.file, dir}
	err := f.add(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err = there(f.add(filepath.Dir(dir))); err == nil {
			err = there(f.add(dir)) // it may have come in between
		}
	}
	if target, linked := filepath.EvalSymlinks(f.file); linked == nil && target != f.file {
		f.names = append(f.names, target)
		err = errors.Join(err, there(f.add(filepath.Dir(target))))
	}
	return err
}

// there is err unless it says that something is not there.
func there(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

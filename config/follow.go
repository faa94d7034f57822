package config

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settleTime is how long the file must be unchanged before it is read again: editors
// write it in several steps, and half a file has another meaning.
const settleTime = 100 * time.Millisecond

// Follow reads the file of was again whenever it has changed, and calls changed, on its
// own goroutine, if the content differs from the last one, until ctx ends. It costs
// nothing while nobody writes. The error says why later changes are not noticed, and
// what to do.
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
	settled := time.NewTimer(0) // it may have changed before the watch began
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

// AtStart returns the changed keys that the daemon reads only when it starts.
func AtStart(before, after Config) (keys []string) {
	if before.API.Listen != after.API.Listen {
		keys = append(keys, "api.listen")
	}
	if before.MCP.Listen != after.MCP.Listen {
		keys = append(keys, "mcp.listen")
	}
	return keys
}

// unseen says why changes are not noticed, and what to do.
func unseen(err error) error {
	why := err.Error()
	switch {
	case errors.Is(err, syscall.ENOSPC):
		why = "all watches of files are in use: raise fs.inotify.max_user_watches"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		why = "too many files are open or watched: raise fs.inotify.max_user_instances or `ulimit -n`"
	}
	return errors.New(why)
}

// follower watches the directories of a file.
type follower struct {
	add   func(dir string) error // adds a watch; a second one for the same directory is no error
	file  string
	names []string // changes of other names are ignored
}

// watch watches directories, because editors replace files: the file's directory, the
// one above if that does not exist yet, and the directory of the file's target if the
// file is a symbolic link. A missing directory is no error: then there is no
// configuration.
func (f *follower) watch() error {
	dir := filepath.Dir(f.file)
	f.names = []string{f.file, dir}
	err := f.add(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err = there(f.add(filepath.Dir(dir))); err == nil {
			err = there(f.add(dir)) // the directory may have been created in between
		}
	}
	if target, linked := filepath.EvalSymlinks(f.file); linked == nil && target != f.file {
		f.names = append(f.names, target)
		err = errors.Join(err, there(f.add(filepath.Dir(target))))
	}
	return err
}

// there is err unless it says that a file does not exist.
func there(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

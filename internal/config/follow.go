package config

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settleTime is how long the file must be left alone until it is read again: editors
// write it in several steps, and half of a file says something else.
const settleTime = 100 * time.Millisecond

// Follow reads the file that was is from again whenever it has changed, and hands over
// what says something else than the last one did, until ctx ends. changed is called on
// Follow's goroutine. It costs nothing as long as nobody writes. The error says why
// changes are not seen.
func Follow(ctx context.Context, was Loaded, home string, changed func(Loaded)) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("changes of the configuration are not seen: %w", err)
	}
	defer w.Close()
	f := follower{watcher: w, file: was.File}
	f.watch()
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
			f.watch()
			now := Load(was.File, home)
			if !reflect.DeepEqual(now.Config, was.Config) || !slices.Equal(now.Problems, was.Problems) {
				was = now
				changed(now)
			}
		}
	}
}

// follower watches where a file is.
type follower struct {
	watcher *fsnotify.Watcher
	file    string
	names   []string // whose changes count
}

// watch watches directories, because editors replace files: that of the file, the one
// above if that is not there yet, and that of the file which it is a link to.
func (f *follower) watch() {
	dir := filepath.Dir(f.file)
	f.names = []string{f.file, dir}
	if f.watcher.Add(dir) != nil {
		_ = f.watcher.Add(filepath.Dir(dir)) // without that one nobody has a configuration
		_ = f.watcher.Add(dir)               // it may have come in between
	}
	if target, err := filepath.EvalSymlinks(f.file); err == nil && target != f.file {
		f.names = append(f.names, target)
		_ = f.watcher.Add(filepath.Dir(target))
	}
}

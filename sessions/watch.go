package sessions

import (
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"ccdir/internal/tune/timer"
)

// files tells of changes of files. It has one watcher for all sessions: the
// system allows a user few of them, and agents share a directory. The zero value
// is ready; close waits for its goroutine.
type files struct {
	alarms  *timer.Clock
	mu      sync.Mutex
	closed  bool
	watcher *fsnotify.Watcher
	done    chan struct{}
	dirs    map[string]int  // watched, with the number of watches
	gone    map[string]bool // those of dirs that aren't there: nothing tells of them
	watches map[*fileWatch]struct{}
}

// fileWatch is one who waits.
type fileWatch struct {
	// dir and name are of the file; name "" is every file of the directory.
	dir, name string
	wake      chan<- struct{}
}

// watch sends to wake, without waiting, whenever the file name of dir may have
// changed, or any of its files if name is "". The directory must exist. stop ends
// it.
func (f *files) watch(dir, name string, wake chan<- struct{}) (stop func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, errClosing
	}
	if f.watcher == nil {
		w, err := fsnotify.NewWatcher()
		if err != nil {
			return nil, err
		}
		f.watcher, f.done = w, make(chan struct{})
		f.dirs, f.gone, f.watches = map[string]int{}, map[string]bool{}, map[*fileWatch]struct{}{}
		go f.run(w)
	}
	if f.dirs[dir] == 0 {
		if err := f.watcher.Add(dir); err != nil {
			return nil, err
		}
	}
	f.dirs[dir]++
	w := &fileWatch{dir: dir, name: name, wake: wake}
	f.watches[w] = struct{}{}
	return func() { f.forget(w) }, nil
}

func (f *files) forget(w *fileWatch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.watches, w)
	if f.dirs[w.dir]--; f.dirs[w.dir] == 0 {
		delete(f.dirs, w.dir)
		delete(f.gone, w.dir)
		_ = f.watcher.Remove(w.dir) // fails if the directory is gone
	}
}

// run hands the watcher's events on until it is closed.
func (f *files) run(w *fsnotify.Watcher) {
	defer close(f.done)
	pace := statusAgain
	again := f.alarms.NewTicker(pace)
	defer func() { again.Stop() }()
	for {
		select {
		case <-again.C:
			f.regain(w)
			f.tell("")
		case e, ok := <-w.Events:
			if !ok {
				return
			}
			f.tell(e.Name)
			if e.Has(fsnotify.Remove | fsnotify.Rename) {
				f.lose(w, e.Name)
			}
		case _, ok := <-w.Errors:
			if !ok {
				return
			}
			f.tell("") // some events may be lost
		}
		if next := f.pace(); next != pace {
			again.Stop()
			pace, again = next, f.alarms.NewTicker(next)
		}
	}
}

// pace is how long files may stay unread.
func (f *files) pace() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.gone) > 0 {
		return statusGone
	}
	return statusAgain
}

// lose takes note of a path that isn't there any more: if it is a directory that is
// watched, it may have been made anew already.
func (f *files) lose(w *fsnotify.Watcher, path string) {
	f.mu.Lock()
	watched := f.dirs[path] > 0
	if watched {
		f.gone[path] = true
	}
	f.mu.Unlock()
	if watched && f.regain(w) {
		f.tell("")
	}
}

// regain watches the directories again that were gone, and reports whether one is there.
func (f *files) regain(w *fsnotify.Watcher) (found bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for dir := range f.gone {
		if w.Add(dir) == nil {
			delete(f.gone, dir)
			found = true
		}
	}
	return found
}

// tell wakes those that wait for a file; "" is every file.
func (f *files) tell(path string) {
	dir, name := filepath.Split(path)
	dir = filepath.Clean(dir)
	f.mu.Lock()
	defer f.mu.Unlock()
	for w := range f.watches {
		if path == "" || w.dir == dir && (w.name == "" || w.name == name) {
			nudge(w.wake)
		}
	}
}

// nudge wakes who waits on the channel; one that is awake already needs no more.
func nudge(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

func (f *files) close() {
	f.mu.Lock()
	f.closed = true
	w := f.watcher
	f.mu.Unlock()
	if w != nil {
		_ = w.Close()
		<-f.done
	}
}

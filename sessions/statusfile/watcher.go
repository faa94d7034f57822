package statusfile

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"ccdir/internal/contain"
	"ccdir/internal/tune/timer"
)

const (
	// rereadAfter is the interval at which all files are read again without an event: the
	// system drops events when there are too many, and sends none when a parent directory
	// is moved away. One timer serves all sessions, so that many idle sessions wake the
	// daemon no more often than one.
	rereadAfter = 10 * time.Second
	// rewatchAfter is the interval at which a removed directory is looked for.
	rewatchAfter = 2 * time.Second
)

// errClosed is the error of a watch after Close.
var errClosed = errors.New("the daemon is stopping")

// Watcher reports changes of files. All sessions share one: the system allows a user few
// watchers, and agents share a directory. The zero value is ready; Close stops it.
type Watcher struct {
	// Clock runs the timers; nil is ready. Set it before the first use.
	Clock *timer.Clock

	mu      sync.Mutex // guards the fields below
	closed  bool
	watcher *fsnotify.Watcher   // nil until the first watch
	done    chan struct{}       // closed when run has returned for good
	dirs    map[string]int      // watched directories, with the number of watches
	gone    map[string]bool     // those of dirs that do not exist now, so that no events come
	watches map[*watch]struct{} // all that wait
}

// watch is one waiter.
type watch struct {
	// dir and name are the file's; name "" is every file of dir.
	dir, name string
	wake      chan<- struct{}
}

// watch sends to wake, without blocking, whenever the file name of dir may have changed,
// or any file of dir if name is "". The directory must exist. stop ends the watch.
func (f *Watcher) watch(dir, name string, wake chan<- struct{}) (stop func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, errClosed
	}
	if f.watcher == nil {
		w, err := fsnotify.NewWatcher()
		if err != nil {
			return nil, err
		}
		f.watcher, f.done = w, make(chan struct{})
		f.dirs, f.gone, f.watches = map[string]int{}, map[string]bool{}, map[*watch]struct{}{}
		done := f.done
		contain.Go(nil, func() {
			defer close(done)
			contain.Keep(context.Background(), nil, func(context.Context) { f.run(w) })
		})
	}
	if f.dirs[dir] == 0 {
		if err := f.watcher.Add(dir); err != nil {
			return nil, err
		}
	}
	f.dirs[dir]++
	w := &watch{dir: dir, name: name, wake: wake}
	f.watches[w] = struct{}{}
	return func() { f.forget(w) }, nil
}

func (f *Watcher) forget(w *watch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.watches, w)
	if f.dirs[w.dir]--; f.dirs[w.dir] == 0 {
		delete(f.dirs, w.dir)
		delete(f.gone, w.dir)
		_ = f.watcher.Remove(w.dir) // fails if the directory is gone
	}
}

// run passes on the events of w until w is closed.
func (f *Watcher) run(w *fsnotify.Watcher) {
	pace := rereadAfter
	again := f.Clock.NewTicker(pace)
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
			f.tell("") // events may have been lost
		}
		if next := f.pace(); next != pace {
			again.Stop()
			pace, again = next, f.Clock.NewTicker(next)
		}
	}
}

// pace is the interval at which files are read without an event.
func (f *Watcher) pace() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.gone) > 0 {
		return rewatchAfter
	}
	return rereadAfter
}

// lose notes that a path no longer exists. If it is a watched directory, the directory
// may have been created again already.
func (f *Watcher) lose(w *fsnotify.Watcher, path string) {
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

// regain watches removed directories that exist again, and reports whether there was one.
func (f *Watcher) regain(w *fsnotify.Watcher) (found bool) {
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

// tell wakes the waiters for the file path; "" is every file.
func (f *Watcher) tell(path string) {
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

// nudge sends to wake unless a wake-up is pending already.
func nudge(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

// Close stops the watcher and waits for its goroutine. Later watches fail.
func (f *Watcher) Close() {
	f.mu.Lock()
	f.closed = true
	w := f.watcher
	f.mu.Unlock()
	if w != nil {
		_ = w.Close()
		<-f.done
	}
}

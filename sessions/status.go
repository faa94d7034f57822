package sessions

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"ccdir/internal/agents"
	"ccdir/internal/api"
	"ccdir/internal/hostwire"
)

const (
	// maxStatusFile bounds an agent's status file, in bytes.
	maxStatusFile = 1 << 20
	// statusDirFirst and statusDirMax are the pauses between looks for a
	// directory that the agent has not made yet.
	statusDirFirst = 100 * time.Millisecond
	statusDirMax   = 5 * time.Second
	// statusTorn is when a file that was read half-written is read again.
	statusTorn = 20 * time.Millisecond
	// statusAgain is when the file is read although nothing told of a change: the
	// system drops such news when there is too much of it, and has none for a
	// directory that was moved away and made anew.
	statusAgain = 2 * time.Second
)

// files tells of changes of files. It has one watcher for all sessions: the
// system allows a user few of them, and agents share a directory. The zero value
// is ready; close waits for its goroutine.
type files struct {
	mu      sync.Mutex
	closed  bool
	watcher *fsnotify.Watcher
	done    chan struct{}
	dirs    map[string]int // watched, with the number of files
	wake    map[string]chan<- struct{}
}

// watch sends to wake, without waiting, whenever the file may have changed. The
// directory must exist. stop ends it.
func (f *files) watch(path string, wake chan<- struct{}) (stop func(), err error) {
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
		f.dirs, f.wake = map[string]int{}, map[string]chan<- struct{}{}
		go f.run(w)
	}
	dir := filepath.Dir(path)
	if f.dirs[dir] == 0 {
		if err := f.watcher.Add(dir); err != nil {
			return nil, err
		}
	}
	f.dirs[dir]++
	f.wake[path] = wake
	return func() { f.forget(path) }, nil
}

func (f *files) forget(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.wake, path)
	dir := filepath.Dir(path)
	if f.dirs[dir]--; f.dirs[dir] == 0 {
		delete(f.dirs, dir)
		_ = f.watcher.Remove(dir) // fails if the directory is gone
	}
}

// run hands the watcher's events on until it is closed.
func (f *files) run(w *fsnotify.Watcher) {
	defer close(f.done)
	for {
		select {
		case e, ok := <-w.Events:
			if !ok {
				return
			}
			f.tell(e.Name)
		case _, ok := <-w.Errors:
			if !ok {
				return
			}
			f.tell("") // some events may be lost
		}
	}
}

// tell wakes those that wait for a file; "" is every file.
func (f *files) tell(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for p, wake := range f.wake {
		if path == "" || p == path {
			select {
			case wake <- struct{}{}:
			default:
			}
		}
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

// watchStatus weighs the agent's own status file as long as its process runs.
func (s *session) watchStatus(ctx context.Context, hf hostwire.HostFile) {
	signs, ok := s.adapter.(agents.Signs)
	if !ok {
		return
	}
	path := signs.StatusFile(hf.Spec.Env, hf.ChildPID)
	if path == "" {
		return
	}
	wake := make(chan struct{}, 1)
	s.r.wg.Go(func() { s.watchFile(ctx, path, wake) })
	again := time.NewTicker(statusAgain)
	defer again.Stop()
	var last agents.FileStatus
	for {
		select {
		case <-wake:
		case <-again.C:
		case <-ctx.Done():
			return
		}
		data, err := readSmall(path)
		if err != nil {
			continue // not there yet, or not any more
		}
		now, ok := signs.DecodeStatus(data, hf.ChildPID)
		if !ok && len(data) > 0 && data[len(data)-1] != '}' {
			time.AfterFunc(statusTorn, func() { s.r.files.tell(path) })
			continue
		}
		if !ok || now.Status == last.Status && now.WaitingFor == last.WaitingFor && now.At.Equal(last.At) || !sameStart(now.Start, hf.ChildStart) {
			continue
		}
		last = now
		s.tell(ctx, func() { s.fileStatus(now) })
	}
}

// watchFile has wake told of changes of the file until ctx ends. Until its
// directory is there, and where the system has no watcher left, it tries again.
func (s *session) watchFile(ctx context.Context, path string, wake chan<- struct{}) {
	for pause := statusDirFirst; ; pause = min(2*pause, statusDirMax) {
		stop, err := s.r.files.watch(path, wake)
		if err == nil {
			defer stop()
			break
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
	select {
	case wake <- struct{}{}: // it may be there already
	default:
	}
	<-ctx.Done()
}

// fileStatus weighs what the agent's own file says.
func (s *session) fileStatus(st agents.FileStatus) {
	e := st.Evidence(s.r.now())
	if e.Says.NeedsPerson() && e.Fields["question"] == "dialog open" {
		e.Fields["question"] = "a panel or dialog is open"
	}
	s.weigh(e, change{})
}

// sameStart compares a process's start time as the agent tells it with ours,
// which has the boot's mark before it. What cannot be compared is believed: the
// process id is that of a child that runs.
func sameStart(told, ours string) bool {
	_, ticks, ok := strings.Cut(ours, ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return !ok || !digits(told) || !digits(ticks) || told == ticks
}

// readSmall reads a file that is no larger than maxStatusFile.
func readSmall(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxStatusFile {
		return nil, api.Errorf(api.CodeTooLarge, "%s is no status file", path)
	}
	return os.ReadFile(path)
}

package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"

	"ccdir/policy"
)

// Holder keeps the policy of some files current. Policy may be called from any
// goroutine; Run belongs to one.
type Holder struct {
	options Options
	current atomic.Pointer[loaded]
	// loads counts the reloads.
	loads atomic.Uint64
	// reloading is held while files are read.
	reloading sync.Mutex
}

type loaded struct {
	policy *policy.Policy
	stamps []stamp
	err    error
	// racy: a file had changed so shortly before it was read at, that a later change
	// may have left no trace.
	racy bool
	at   time.Time
}

// NewHolder loads the policy. It always succeeds: with faulty files the policy
// asks about everything until they are mended, and Err tells why.
func NewHolder(o Options) *Holder {
	h := &Holder{options: o}
	h.Reload()
	return h
}

// Policy returns the policy that holds now. It looks at the files' times first,
// one stat for each, so it is current also where no change is notified.
func (h *Holder) Policy() *policy.Policy {
	l := h.current.Load()
	if h.changed(l) {
		h.Reload()
		l = h.current.Load()
	}
	return l.policy
}

// Err is the error of the last load, nil if the files are in force as they are.
func (h *Holder) Err() error { return h.current.Load().err }

func (h *Holder) changed(l *loaded) bool {
	if l.racy && time.Since(l.at) > racyTime {
		return true
	}
	for i, file := range h.options.files() {
		if stampOf(os.Stat(file)) != l.stamps[i] {
			return true
		}
	}
	return false
}

// Reload reads the files again. When they are faulty the last good policy stays.
func (h *Holder) Reload() {
	h.reloading.Lock()
	defer h.reloading.Unlock()
	at := time.Now()
	p, stamps, err := load(h.options)
	next := &loaded{policy: p, stamps: stamps, err: err, at: at}
	next.racy = slices.ContainsFunc(stamps, func(s stamp) bool { return !s.missing && at.Sub(s.changed).Abs() < racyTime })
	if err != nil {
		next.policy = policy.Broken(err)
		if last := h.current.Load(); last != nil && !last.policy.IsBroken() {
			next.policy = last.policy
		}
	}
	h.current.Store(next)
	h.loads.Add(1)
}

// Loads counts how often the files were read: a change of it means that Policy or
// Err may have changed.
func (h *Holder) Loads() uint64 { return h.loads.Load() }

// Run reloads the policy when a file changes, until ctx ends. changed, if not
// nil, is called after each reload, in Run's goroutine.
func (h *Holder) Run(ctx context.Context, changed func()) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("changes of the policy are seen only when a request comes: %w", err)
	}
	defer w.Close()
	for _, file := range h.options.files() {
		// Editors replace files, so the directory is watched. One that isn't there
		// yet is covered by the check that Policy makes.
		if err := w.Add(filepath.Dir(file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-w.Events:
			if !ok {
				return nil
			}
			if slices.Contains(h.options.files(), e.Name) && h.changed(h.current.Load()) {
				h.Reload()
				if changed != nil {
					changed()
				}
			}
		case _, ok := <-w.Errors: // an overflow: look at the files themselves
			if !ok {
				return nil
			}
			h.Policy()
		}
	}
}

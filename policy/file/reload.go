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

// Holder keeps the policy of some files up to date. All methods are safe for concurrent use,
// except that Run belongs to one goroutine.
type Holder struct {
	options Options
	current atomic.Pointer[loaded]
	// loads counts the loads.
	loads atomic.Uint64
	// reloading serialises loads.
	reloading sync.Mutex
}

type loaded struct {
	policy *policy.Policy
	stamps []stamp
	err    error
	// racy: a file changed within racyTime before at, so a later change may have the same
	// times.
	racy bool
	at   time.Time
}

// NewHolder loads the policy. It always succeeds: while the files are invalid, the policy
// asks about everything and Err returns the reason.
func NewHolder(o Options) *Holder {
	h := &Holder{options: o}
	h.Reload()
	return h
}

// Policy returns the policy in force. It checks the files first (one stat each), so changes
// are seen even if no notification arrives.
func (h *Holder) Policy() *policy.Policy {
	l := h.current.Load()
	if h.changed(l) {
		h.Reload()
		l = h.current.Load()
	}
	return l.policy
}

// Err returns the error of the last load, nil if the files are in force as they are.
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

// Reload reads the files again. If they are invalid, the last valid policy stays in force.
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

// Loads returns the number of loads. If it changed, Policy or Err may have changed.
func (h *Holder) Loads() uint64 { return h.loads.Load() }

// Run reloads the policy whenever a file changes, until ctx ends. changed, if not nil, is
// called after each reload in the goroutine of Run.
func (h *Holder) Run(ctx context.Context, changed func()) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("changes of the policy are seen only when a request comes: %w", err)
	}
	defer w.Close()
	for _, file := range h.options.files() {
		// Editors replace files, so the directory is watched. A missing directory is covered
		// by the check in Policy.
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
		case _, ok := <-w.Errors: // after an overflow, check the files themselves
			if !ok {
				return nil
			}
			h.Policy()
		}
	}
}

// Package worktrees makes, lists, removes, restores and merges git work trees, so that
// nothing that was in one is ever lost.
//
// Contract: git is the binary. Looking takes no locks, runs no hook, filter, file system
// monitor, textconv or merge driver that the repository names, and never touches the
// user's index. What changes something holds a lock of the repository (a file in its
// common directory, so that two daemons exclude one another), reads the facts again under
// it, and writes a record before it begins; the record of an operation that a crash
// interrupted is found by the next one in that repository, which finishes or undoes it and
// says so. A work tree is known by the inode of its directory and by its own directory in
// the repository, never by its name. A removed one lies in the trash for TrashTime, beside
// a snapshot commit under refs/ccdir/trash.
//
// A list of large trees keeps what it saw, and on Linux has the kernel tell whether anything has
// changed since; what changes something never relies on that.
//
// The Radar compares work trees by names, modes and git's ids of contents, and merges them in memory: conflicts need no lines, which
// are package review's.
//
// Calls block while git runs. A Keeper has no goroutines of its own.
package worktrees

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/internal/once"
	"ccdir/worktrees/dirwatch"
)

// Session is a Keeper's view of a session.
type Session struct {
	ID, Name string
	// Live: it runs.
	Live bool
	// Dirs are the directories that its processes are in; the first is the one in which it
	// was started.
	Dirs []string
}

// Options join a Keeper with the daemon. Trees, Trash and Sessions are needed.
type Options struct {
	// Trees is the directory of work trees, unless a place is configured; Trash that of
	// removed ones.
	Trees, Trash string
	// Home replaces ~ in a configured place.
	Home string
	// Place is the template of config.toml for places; "" is the default.
	Place func() string
	// Sessions lists the sessions, ended ones too. With deep, Dirs has the directories of all
	// their processes, which takes longer; so it is asked right before a removal.
	Sessions func(ctx context.Context, deep bool) []Session
	// Finished is told what recovery did with an operation that a crash had interrupted; nil
	// is told nothing.
	Finished func(did string)
	// Pause is called at named points, for tests; nil in programs.
	Pause func(point string)
	// Now is the clock; nil is the system's.
	Now func() time.Time
	// Logger is for recovery and cleaning up; nil discards.
	Logger *slog.Logger
}

// maxVerdicts bounds the remembered comparisons of two commits.
const maxVerdicts = 4096

// Keeper does everything with work trees. Make one with New. Its methods may be called at
// the same time.
type Keeper struct {
	o Options
	// mu guards the memories of what two commits are to each other, which never changes.
	mu       sync.Mutex
	merged   *once.Memory[pair, api.Merged]
	distance *once.Memory[pair, [2]int]
	// looks are what large trees were when they were listed last, by directory; they hold as long as
	// watch says that nothing has changed.
	looks map[string]treeLook
	watch dirwatch.Watcher
}

// pair are two commits of a repository.
type pair struct{ repo, a, b string }

// New makes a Keeper.
func New(o Options) *Keeper {
	if o.Pause == nil {
		o.Pause = func(string) {}
	}
	if o.Finished == nil {
		o.Finished = func(string) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Place == nil {
		o.Place = func() string { return "" }
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Keeper{o: o, merged: once.NewMemory[pair, api.Merged](maxVerdicts),
		distance: once.NewMemory[pair, [2]int](maxVerdicts), looks: map[string]treeLook{}}
}

// remembered returns a memory's value of a pair, or computes and puts it.
func remembered[V any](k *Keeper, m *once.Memory[pair, V], at pair, compute func() (V, error)) (V, error) {
	k.mu.Lock()
	v, known := m.Get(at)
	k.mu.Unlock()
	if known {
		return v, nil
	}
	v, err := compute()
	if err == nil {
		k.mu.Lock()
		m.Put(at, v)
		k.mu.Unlock()
	}
	return v, err
}

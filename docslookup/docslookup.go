// Package docslookup finds documentation of exactly the versions that a work tree uses,
// offline: Go modules and the standard library, Node and Python packages, Rust crates, manual
// pages, the project's own documents.
//
// Contract: it starts no process and opens no connection; it reads lock files, package
// directories and the caches of package managers. Everything that it reads is hostile: reads
// stay below the package's directory (os.Root), are bounded in files and bytes, and what is
// left out is said in the answer's notes. Each module and version has one index file, shared
// by all work trees; where the content can change under one version, its hash is part of the
// file's name, so no tree sees what another wrote. Index files are caches: a damaged one is
// deleted and built again.
//
// A question starts the builds that it needs, waits for them for a bounded time, answers
// from those that are ready and says what is missing. At most maxQueued builds wait; what is
// beyond that is started by a later question. Close ends the builds and waits for them.
package docslookup

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ccdir/internal/contain"
)

// Options of a Library.
type Options struct {
	// Dir is the directory of the index files, made if missing.
	Dir string
	// Env is the environment, KEY=VALUE: it says where toolchains and caches are.
	Env []string
	// Wait bounds how long a question waits for builds; 0: a second and a half.
	Wait time.Duration
	// Logger may be nil.
	Logger *slog.Logger
}

// Bounds of the work in the background.
const (
	defaultWait = 1500 * time.Millisecond
	maxQueued   = 512                 // builds that wait
	maxOpen     = 300                 // index files that are open, one descriptor each
	restAfter   = 10 * time.Minute    // index files are closed
	keepUnused  = 60 * 24 * time.Hour // index files that nobody asked
)

// Library answers questions. It is safe for concurrent use.
type Library struct {
	o   Options
	log *slog.Logger

	ctx    context.Context
	cancel context.CancelFunc
	wg     contain.Group
	queue  chan *build

	mu      sync.Mutex
	closed  bool
	builds  map[string]*build // by index file, those that wait or run
	failed  map[string]string // by index file: why it could not be built
	open    map[string]*index // by index file
	uses    int64             // counts uses of open files
	prints  map[string]stamp  // by module and directory: the last fingerprint
	dists   map[string]knownDistribution
	recheck time.Duration // 0: at every question, in tests
	started sync.Once
	resting *time.Timer // nil before the first question
}

// New makes a Library. It starts nothing before the first question.
func New(o Options) *Library {
	l := &Library{o: o, log: o.Logger, queue: make(chan *build, maxQueued), builds: map[string]*build{}, failed: map[string]string{},
		open: map[string]*index{}, prints: map[string]stamp{}, dists: map[string]knownDistribution{}, recheck: recheck}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	if l.o.Wait <= 0 {
		l.o.Wait = defaultWait
	}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// start begins the background work at the first question.
func (l *Library) start() {
	l.started.Do(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.closed {
			return
		}
		l.wg.Go(l.tidy)
		for range builders {
			l.wg.Go(l.work)
		}
	})
}

// asked notes a question: after restAfter without another one the index files are closed.
func (l *Library) asked() {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
	case l.resting == nil:
		l.resting = time.AfterFunc(restAfter, l.rest)
	default:
		l.resting.Reset(restAfter)
	}
}

// rest closes the index files; the next question opens them again.
func (l *Library) rest() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for path, x := range l.open {
		x.release()
		delete(l.open, path)
	}
}

// Close ends builds and waits for them. Questions under way fail.
func (l *Library) Close() {
	l.mu.Lock()
	l.closed = true
	if l.resting != nil {
		l.resting.Stop()
	}
	l.mu.Unlock()
	l.cancel()
	l.wg.Wait()
	l.rest()
}

// tidy removes index files that were not used for long, and those that a crash left.
func (l *Library) tidy() {
	old := time.Now().Add(-keepUnused)
	files, _ := filepath.Glob(filepath.Join(l.o.Dir, "*", "*")) // fails for bad patterns only
	for _, path := range files {
		info, err := os.Lstat(path)
		if err != nil || l.ctx.Err() != nil {
			continue
		}
		half := strings.HasSuffix(path, buildSuffix) && info.ModTime().Before(time.Now().Add(-time.Hour))
		if half || info.ModTime().Before(old) {
			_ = os.Remove(path)
		}
	}
}

// env returns a variable of the environment.
func (l *Library) env(name string) string {
	for i := len(l.o.Env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(l.o.Env[i], name+"="); ok {
			return v
		}
	}
	return ""
}

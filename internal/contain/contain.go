// Package contain runs goroutines whose panics are written to the log, with their stack, and end
// nothing else: one fault in the daemon must not take the sessions of everybody from the grids.
//
// What a goroutine gives to others when it ends (a closed channel, a lock) it must give in a
// deferred call: those run during a panic, too.
package contain

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// Run calls fn and returns false if it panicked. log nil: slog.Default.
func Run(log *slog.Logger, fn func()) bool {
	return Call(log, func() error { fn(); return nil }) == nil
}

// Call returns the error of fn, or one that names its panic. log nil: slog.Default.
func Call(log *slog.Logger, fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if log == nil {
				log = slog.Default()
			}
			log.Error("a fault of ccdir was contained", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("a fault of ccdir, of which the daemon's log has more: %v", p)
		}
	}()
	return fn()
}

// Go starts fn in a goroutine. Its owner waits for it by other means.
func Go(log *slog.Logger, fn func()) {
	go Run(log, fn)
}

// Pauses of Keep: before the second call of a function that panicked, and at most. They double
// while it panics again within lasting.
const (
	firstPause = time.Second
	lasting    = time.Minute
)

// Keep calls fn, and again after a pause when it has panicked, until it returns or ctx ends.
func Keep(ctx context.Context, log *slog.Logger, fn func(context.Context)) {
	pause := firstPause
	for {
		began := time.Now()
		if Run(log, func() { fn(ctx) }) {
			return
		}
		if time.Since(began) > lasting {
			pause = firstPause
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
		pause = min(2*pause, lasting)
	}
}

// Group waits for goroutines, each of which is contained. The zero value is ready.
type Group struct {
	// Log gets panics; nil: slog.Default. Set it before the first use.
	Log *slog.Logger
	wg  sync.WaitGroup
}

// Go starts fn.
func (g *Group) Go(fn func()) { g.wg.Go(func() { Run(g.Log, fn) }) }

// Keep starts fn, and again when it has panicked, until it returns or ctx ends: for what works
// as long as its owner, and holds nothing that a second call could not take up.
func (g *Group) Keep(ctx context.Context, fn func(context.Context)) {
	g.wg.Go(func() { Keep(ctx, g.Log, fn) })
}

// Wait blocks until all have ended.
func (g *Group) Wait() { g.wg.Wait() }

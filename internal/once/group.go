package once

import (
	"context"
	"errors"
	"sync"
)

// ErrReused is returned for a key under which something else runs or ran: the outcome
// of one operation must not be had for another.
var ErrReused = errors.New("once: the key belongs to another operation")

// Print identifies the content of an operation (a hash): a retry has the same.
type Print [32]byte

// Group runs operations once per key and remembers their outcomes. Make one with
// NewGroup.
type Group[K comparable, V any] struct {
	mu sync.Mutex
	// running are the operations in flight.
	running map[K]flown
	done    *Memory[K, outcome[V]]
}

// flown is an operation in flight.
type flown struct {
	print Print
	// ended is closed when it is over.
	ended chan struct{}
}

// outcome is the result of a finished operation.
type outcome[V any] struct {
	print Print
	value V
}

// NewGroup returns a Group that remembers the outcomes of the newest limit keys.
func NewGroup[K comparable, V any](limit int) *Group[K, V] {
	return &Group[K, V]{running: map[K]flown{}, done: NewMemory[K, outcome[V]](limit)}
}

// Do returns the outcome of the key, running f for it unless an earlier run has
// succeeded (replayed). It waits for a run in flight; if that one fails or panics, this
// call runs f itself. The error is f's, ctx's, or ErrReused, which is
// returned at once if print differs from that of the operation known under the key.
// f gets no context: it ends when its own caller says so.
func (g *Group[K, V]) Do(ctx context.Context, key K, print Print, f func() (V, error)) (value V, replayed bool, err error) {
	for {
		g.mu.Lock()
		if o, known := g.done.Get(key); known {
			g.mu.Unlock()
			if o.print != print {
				return value, false, ErrReused
			}
			return o.value, true, nil
		}
		other, busy := g.running[key]
		if !busy {
			mine := flown{print, make(chan struct{})}
			g.running[key] = mine
			g.mu.Unlock()
			value, err = g.run(key, mine, f)
			return value, false, err
		}
		g.mu.Unlock()
		if other.print != print {
			return value, false, ErrReused
		}
		select {
		case <-other.ended:
		case <-ctx.Done():
			return value, false, ctx.Err()
		}
	}
}

// run runs f and remembers its outcome, unless f fails or panics.
func (g *Group[K, V]) run(key K, mine flown, f func() (V, error)) (value V, err error) {
	good := false
	defer func() {
		g.mu.Lock()
		if good {
			g.done.Put(key, outcome[V]{mine.print, value})
		}
		delete(g.running, key)
		g.mu.Unlock()
		close(mine.ended)
	}()
	value, err = f()
	good = err == nil
	return value, err
}

// Len counts the remembered outcomes; at most the limit.
func (g *Group[K, V]) Len() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.done.Len()
}

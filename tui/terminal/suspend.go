package terminal

import (
	"context"
	"sync"

	"ccdir/tui/terminal/tty"
)

// Suspend gives the terminal to another program while f runs: no input is read and
// nothing is painted meanwhile. Afterwards the terminal is taken again whatever happens.
func (t *Terminal) Suspend(ctx context.Context, f func() error) (err error) {
	t.suspending.Lock()
	defer t.suspending.Unlock()
	t.away.Store(true)
	release := t.painter.screen.Own() // holds up the painter
	t.gate.pause(ctx)
	defer func() {
		t.away.Store(false)
		if e := t.tty.Enter(); err == nil {
			err = e
		}
		t.resized()
		release()
		t.gate.resume()
	}()
	t.Drain()
	t.tty.Leave()
	return f()
}

// gate holds up the reader.
type gate struct {
	term *tty.Terminal

	mu      sync.Mutex
	paused  bool
	parked  chan struct{} // closed when the reader has stopped
	resumed chan struct{} // closed when it may go on
}

// pause stops the reader and waits until it no longer reads, or ctx ends.
func (g *gate) pause(ctx context.Context) {
	g.mu.Lock()
	g.paused, g.parked, g.resumed = true, make(chan struct{}), make(chan struct{})
	parked := g.parked
	g.mu.Unlock()
	g.term.Cancel()
	select {
	case <-parked:
	case <-ctx.Done():
	}
}

// resume lets the reader go on.
func (g *gate) resume() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.paused = false
	close(g.resumed)
}

// wait is called by the reader when its read was cancelled. It returns false if that was
// for good.
func (g *gate) wait(ctx context.Context) bool {
	g.mu.Lock()
	if !g.paused {
		g.mu.Unlock()
		return false
	}
	parked, resumed := g.parked, g.resumed
	g.mu.Unlock()
	close(parked)
	select {
	case <-resumed:
	case <-ctx.Done():
		return false
	}
	return g.term.Reread() == nil
}

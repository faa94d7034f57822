package tui

import (
	"context"
	"sync"

	"ccdir/tui/terminal/tty"
)

// inputGate lets somebody else read the terminal for a while.
type inputGate struct {
	term *tty.Terminal

	mu      sync.Mutex
	paused  bool
	parked  chan struct{} // closed when the reader has stopped
	resumed chan struct{} // closed when it may go on
}

// pause stops the reader and waits until it does not read any more, or the grid ends.
func (g *inputGate) pause(ctx context.Context) {
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
func (g *inputGate) resume() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.paused = false
	close(g.resumed)
}

// wait is called by the reader when its read was cancelled; it returns false if
// that was for good.
func (g *inputGate) wait(ctx context.Context) bool {
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

// lend gives the grid's terminal to somebody else while f runs: the grid takes no
// input and paints nothing meanwhile, and takes the terminal back whatever happens.
func (g *program) lend(f func() error) (err error) {
	g.suspending.Lock()
	defer g.suspending.Unlock()
	g.away.Store(true)
	resume := g.painter.screen.Own() // holds up the painter
	g.input.pause(g.ctx)
	defer func() {
		g.away.Store(false)
		if e := g.term.Enter(); err == nil {
			err = e
		}
		g.resized()
		resume()
		g.input.resume()
	}()
	g.drain()
	g.term.Leave()
	return f()
}

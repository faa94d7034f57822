package pane

import "ccdir/wire"

// State is everything about a pane except its picture. It is comparable.
type State struct {
	ID string
	// Connected to the session's host.
	Connected bool
	// Trouble says why not; "" while connecting for the first time.
	Trouble string
	// Cols and Rows are the size of the session's screen, 0 before the first
	// frame.
	Cols, Rows int
	Title      string
	OwnSize    bool
	// Dropped counts inputs that were lost because the session's program does not read.
	Dropped int
	// Pasting is how many bytes of long text are in flight to the program, Pasted how many
	// of these it has taken; both are 0 if none are in flight. Lost counts all bytes that
	// were ever dropped.
	Pasting, Pasted, Lost int
	// Flags are the modes that decide where the mouse goes.
	Flags wire.FrameFlags
}

// change updates the reported state.
func (p *Pane) change(f func(*State)) {
	p.mu.Lock()
	old := p.state
	f(&p.state)
	now := p.state
	p.mu.Unlock()
	if now != old {
		p.cfg.Report(now)
	}
}

// State is the newest one.
func (p *Pane) State() State {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state
}

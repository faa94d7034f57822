package pane

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"ccdir/internal/text/textsafe"
	"ccdir/wire"
)

// The back-off between redials. A host that restarts is back soon; the daemon finds out
// about one that is gone.
const (
	redialFirst = 50 * time.Millisecond
	redialMost  = 2 * time.Second
	dialWithin  = 5 * time.Second
)

// Config describes a pane.
type Config struct {
	// ID is the session's.
	ID     string
	Dialer Dialer
	// ReadOnly sends no input.
	ReadOnly bool
	// NoLinks shows the screen without hyperlinks: it comes from a machine that is not trusted.
	NoLinks bool
	// Ended: the session is over, there is no host to dial (see End).
	Ended bool
	// Report gets new states, Wake is called when the picture changed. Neither may block;
	// nil: not needed.
	Report func(State)
	// Copied gets what the program puts into the clipboard. It may not block; nil: not
	// needed.
	Copied func(id string, c wire.Copy)
	Wake   func(*Pane)
	Fast   FastPath
}

// Pane is one session's connection and picture.
type Pane struct {
	cfg Config

	input chan *wire.Input
	asks  chan *ask
	kick  chan struct{} // one slot: view changed, or try to dial now
	stop  context.CancelFunc
	done  chan struct{}
	gone  atomic.Bool // the session has ended: no redial
	// dirty: the picture changed since the painter took it.
	dirty   atomic.Bool
	dropped atomic.Int32
	full    atomic.Bool // SendSoon has waited for room in vain
	line    directLine
	// arrived: a picture has come, or a reason why none comes.
	arrived atomic.Bool

	mu     sync.Mutex // guards the rest
	pic    Picture
	number uint64 // see Read
	view   wire.View
	fresh  bool // view was not sent yet
	state  State
	asked  map[uint64]*ask // requests that wait for their answers
	askID  uint64
	long   long
}

// New makes a pane that is not connected; input is queued from now on.
func New(c Config) *Pane {
	if c.Report == nil {
		c.Report = func(State) {}
	}
	if c.Copied == nil {
		c.Copied = func(string, wire.Copy) {}
	}
	if c.Wake == nil {
		c.Wake = func(*Pane) {}
	}
	p := &Pane{
		cfg:   c,
		input: make(chan *wire.Input, InputQueue), asks: make(chan *ask, asksWaiting), kick: make(chan struct{}, 1),
		line: directLine{wanted: make(chan struct{}, 1)},
		done: make(chan struct{}), state: State{ID: c.ID},
	}
	p.gone.Store(c.Ended)
	return p
}

// Start connects and follows the session until ctx ends or Close is called. It is
// called once.
func (p *Pane) Start(ctx context.Context) {
	ctx, p.stop = context.WithCancel(ctx)
	go func() {
		defer close(p.done)
		p.run(ctx)
	}()
}

// Close ends a pane that was started, and waits for it.
func (p *Pane) Close() {
	p.stop()
	<-p.done
}

// End says whether the session has ended.
func (p *Pane) End(ended bool) {
	if p.gone.Swap(ended) != ended {
		p.poke()
	}
}

func (p *Pane) poke() {
	select {
	case p.kick <- struct{}{}:
	default:
	}
}

func (p *Pane) run(ctx context.Context) {
	wait := redialFirst
	for ctx.Err() == nil {
		if p.gone.Load() {
			p.change(func(s *State) { s.Connected, s.Trouble = false, "" })
			if !p.pause(ctx, 0) {
				return
			}
			continue
		}
		began := time.Now()
		err := p.attach(ctx)
		if ctx.Err() != nil {
			return
		}
		if err == nil { // the process has ended
			p.gone.Store(true)
			p.DiscardInput()
			continue
		}
		if time.Since(began) > redialMost {
			wait = redialFirst
		}
		p.arrived.Store(true)
		p.change(func(s *State) { s.Connected, s.Trouble = false, textsafe.Line(err.Error()) })
		p.DiscardInput()
		if !p.pause(ctx, wait) {
			return
		}
		wait = min(2*wait, redialMost)
	}
}

// pause waits until d has passed (0: for ever) or the pane is kicked.
func (p *Pane) pause(ctx context.Context, d time.Duration) bool {
	var timer <-chan time.Time
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-ctx.Done():
		return false
	case <-timer:
	case <-p.kick:
		if d > 0 {
			// A layout change is no reason to dial faster than that.
			select {
			case <-ctx.Done():
				return false
			case <-timer:
			}
		}
	}
	return true
}

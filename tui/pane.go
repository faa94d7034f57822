package tui

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"ccdir/internal/hostwire"
	"ccdir/internal/textsafe"
)

// paneState is what the program knows of a pane; the pane reports it whenever
// it changes. Comparable.
type paneState struct {
	ID string
	// Connected to the session's host.
	Connected bool
	// Trouble says why not, "" while connecting for the first time.
	Trouble string
	// Cols and Rows are the size of the session's screen, 0 before the first
	// frame.
	Cols, Rows int
	Title      string
	OwnSize    bool
	// Dropped counts inputs that were lost because the session's program does
	// not read.
	Dropped int
	// Pasting is how many bytes of long text are on their way to the program, Pasted
	// how many of them it has taken; 0 when all is there. Lost counts those that were
	// dropped, ever.
	Pasting, Pasted, Lost int
	// Flags are the modes that decide where the mouse goes.
	Flags hostwire.FrameFlags
}

// Limits of a pane.
const (
	// inputQueue bounds what waits to be written to a host, in messages.
	inputQueue = 512
	// Redials are spaced between these: a host that restarts is back soon, one
	// that is gone is found out by the daemon.
	redialFirst = 50 * time.Millisecond
	redialMost  = 2 * time.Second
	dialWithin  = 5 * time.Second
)

// pane is one session's connection and picture. Its goroutine is started by
// start and ended by stop, which waits.
type pane struct {
	id       string
	client   Client
	readOnly bool
	report   func(paneState) // must not block
	wake     func(*pane)     // tells the painter; must not block

	input chan *hostwire.Input
	asks  chan *ask
	kick  chan struct{} // one slot: view changed, or try to dial now
	stop  context.CancelFunc
	done  chan struct{}
	gone  atomic.Bool // the session has ended: no redial
	// dirty: the picture changed since the painter took it.
	dirty   atomic.Bool
	dropped atomic.Int32
	full    atomic.Bool      // there was no room for input for a while, see sendSoon
	line    directLine       // to type past the host
	display hostwire.Display // to be lent to the host; nil: none
	// arrived: there has been a picture, or a reason why there is none.
	arrived atomic.Bool

	mu     sync.Mutex // guards the rest
	pic    picture
	number uint64 // number that the host gave the picture, 0 if it is none of its
	view   hostwire.View
	fresh  bool // view was not sent yet
	state  paneState
	asked  map[uint64]*ask // requests that wait for their answers
	askID  uint64
	pasting
}

func newPane(id string, c Client, readOnly bool, report func(paneState), wake func(*pane)) *pane {
	return &pane{
		id: id, client: c, readOnly: readOnly, report: report, wake: wake,
		input: make(chan *hostwire.Input, inputQueue), asks: make(chan *ask, asksWaiting), kick: make(chan struct{}, 1),
		line: directLine{wanted: make(chan struct{}, 1)},
		done: make(chan struct{}), state: paneState{ID: id},
	}
}

// start connects and follows the session until ctx ends or stop is called.
func (p *pane) start(ctx context.Context) {
	ctx, p.stop = context.WithCancel(ctx)
	go func() {
		defer close(p.done)
		roomy(false)
		p.run(ctx)
	}()
}

// close ends the pane and waits for it.
func (p *pane) close() {
	p.stop()
	<-p.done
}

func (p *pane) poke() {
	select {
	case p.kick <- struct{}{}:
	default:
	}
}

// end tells the pane that its session has ended (or not any more).
func (p *pane) end(ended bool) {
	if p.gone.Swap(ended) != ended {
		p.poke()
	}
}

// send queues input, in order; it never blocks. When the queue is full, which means
// that the session's program does not read, the input is dropped, counted and told.
func (p *pane) send(in *hostwire.Input) {
	p.line.waiting.Add(1)
	p.enters(in)
	select {
	case p.input <- in:
		return
	default:
	}
	p.leaves(in)
	p.line.waiting.Add(-1)
	n := p.dropped.Add(1)
	p.change(func(s *paneState) { s.Dropped = int(n) })
}

// change updates the reported state.
func (p *pane) change(f func(*paneState)) {
	p.mu.Lock()
	old := p.state
	f(&p.state)
	now := p.state
	p.mu.Unlock()
	if now != old {
		p.report(now)
	}
}

// show replaces the picture (by a still).
func (p *pane) show(pic picture) {
	p.mu.Lock()
	p.pic, p.number = pic, 0
	p.mu.Unlock()
	p.arrived.Store(true)
	cols, rows := pic.Size()
	p.change(func(s *paneState) { s.Cols, s.Rows, s.Flags = cols, rows, 0 })
	p.touch()
}

// touch marks the picture as changed.
func (p *pane) touch() {
	p.dirty.Store(true)
	p.wake(p)
}

// hasPicture reports whether there is anything to show.
func (p *pane) hasPicture() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pic != nil
}

func (p *pane) run(ctx context.Context) {
	wait := redialFirst
	for ctx.Err() == nil {
		if p.gone.Load() {
			p.change(func(s *paneState) { s.Connected, s.Trouble = false, "" })
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
			p.discardInput()
			continue
		}
		if time.Since(began) > redialMost {
			wait = redialFirst
		}
		p.arrived.Store(true)
		p.change(func(s *paneState) { s.Connected, s.Trouble = false, textsafe.Line(err.Error()) })
		p.discardInput()
		if !p.pause(ctx, wait) {
			return
		}
		wait = min(2*wait, redialMost)
	}
}

// pause waits until d has passed (0: for ever) or the pane is kicked.
func (p *pane) pause(ctx context.Context, d time.Duration) bool {
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

// discardInput drops what was typed for a host that is gone: nothing typed
// before the loss may arrive after it.
func (p *pane) discardInput() {
	for {
		select {
		case in := <-p.input:
			p.leaves(in)
			p.line.waiting.Add(-1)
		default:
			return
		}
	}
}

// attach holds one connection. nil means that the process has ended. A panic is
// a lost connection, not the end of the grid.
func (p *pane) attach(ctx context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &PanicError{Value: r, Stack: debug.Stack()}
		}
	}()
	dial, cancelDial := context.WithTimeout(ctx, dialWithin)
	view := p.takeView()
	conn, welcome, err := p.client.DialHost(dial, p.id, p.readOnly, view)
	cancelDial()
	if err != nil {
		p.giveBack(view)
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	p.line.begin()
	var inner sync.WaitGroup
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer func() {
		cancel(nil)
		_ = conn.Close()
		inner.Wait()
		p.line.close()
		stop()
		p.change(func(s *paneState) { s.Connected = false })
		p.disconnected()
		p.dropAsks()
	}()
	p.change(func(s *paneState) {
		s.Connected, s.Trouble, s.Title, s.OwnSize = true, "", welcome.Status.Title, welcome.Status.OwnSize
	})
	p.connected(welcome.Status)
	inner.Go(func() {
		if err := p.write(ctx, conn, &inner); err != nil {
			cancel(err)
		}
	})
	return p.read(conn, hostwire.NewMirror())
}

// write sends the view and the input, in order. What it starts is in inner.
func (p *pane) write(ctx context.Context, conn HostConn, inner *sync.WaitGroup) error {
	for {
		p.mu.Lock()
		fresh := p.fresh
		p.mu.Unlock()
		if fresh {
			view := p.takeView()
			if err := conn.Send(&view); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-p.kick:
		case in := <-p.input:
			if !p.goesOut(in) {
				p.line.waiting.Add(-1)
				continue
			}
			p.line.sent.Add(1)
			err := conn.Send(in)
			p.line.waiting.Add(-1)
			if err != nil {
				return err
			}
		case <-p.line.wanted:
			inner.Go(func() { p.openLine(ctx) })
		case a := <-p.asks:
			if err := p.sendAsk(conn, a); err != nil {
				return err
			}
		}
	}
}

// read lays frames into the mirror. nil means that the process has ended.
func (p *pane) read(conn HostConn, mirror *hostwire.Mirror) error {
	for {
		m, err := conn.Receive()
		if err != nil {
			return fmt.Errorf("the connection to the session's host was lost (%w)", err)
		}
		switch m := m.(type) {
		case *hostwire.Frame:
			if err := p.frame(m, mirror); err != nil {
				return err
			}
			runtime.Gosched() // it is painted before the next read finds nothing
		case *hostwire.Status:
			p.change(func(s *paneState) { s.Title, s.OwnSize = m.Title, m.OwnSize })
			p.took(m)
		case *hostwire.Response:
			p.answered(m)
		case *hostwire.Exit:
			return nil
		case *hostwire.Error:
			return m
		}
	}
}

func (p *pane) frame(f *hostwire.Frame, mirror *hostwire.Mirror) error {
	old, now, refresh, err := p.apply(f, mirror)
	if err != nil {
		return fmt.Errorf("the session's host sent a frame that is not understood: %w", err)
	}
	p.touch()
	if refresh {
		p.poke()
	}
	if now != old {
		p.report(now)
	}
	return nil
}

func (p *pane) apply(f *hostwire.Frame, mirror *hostwire.Mirror) (old, now paneState, refresh bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err = mirror.Apply(f); err != nil {
		return
	}
	if refresh = mirror.NeedsRefresh(); refresh {
		p.view.Refresh, p.fresh = true, true
	} else {
		p.pic, p.number = mirror, f.Gen
		p.arrived.Store(true)
	}
	old = p.state
	p.state.Cols, p.state.Rows = mirror.Size()
	p.state.Flags = mirror.Flags()
	return old, p.state, refresh, nil
}

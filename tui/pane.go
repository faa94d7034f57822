package tui

import (
	"context"
	"fmt"
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
	full    atomic.Bool // there was no room for input for a while, see sendSoon
	// arrived: there has been a picture, or a reason why there is none.
	arrived atomic.Bool

	mu    sync.Mutex // guards the rest
	pic   picture
	view  hostwire.View
	fresh bool // view was not sent yet
	state paneState
	asked map[uint64]*ask // requests that wait for their answers
	askID uint64
}

func newPane(id string, c Client, readOnly bool, report func(paneState), wake func(*pane)) *pane {
	return &pane{
		id: id, client: c, readOnly: readOnly, report: report, wake: wake,
		input: make(chan *hostwire.Input, inputQueue), asks: make(chan *ask, asksWaiting), kick: make(chan struct{}, 1),
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

// setView says what the client has room for; latest wins.
func (p *pane) setView(v hostwire.View) {
	p.mu.Lock()
	changed := p.view != v
	p.view = v
	p.fresh = p.fresh || changed
	p.mu.Unlock()
	if changed {
		p.poke()
	}
}

// inView reports whether the host was told to send frames.
func (p *pane) inView() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.view.Visible
}

// claim makes this client the owner of the session's size.
func (p *pane) claim() {
	p.mu.Lock()
	p.view.Claim, p.fresh = true, true
	p.mu.Unlock()
	p.poke()
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

// send queues input, in order; it never blocks. false: the queue is full, which
// means that the session's program does not read, and the input is dropped.
func (p *pane) send(in *hostwire.Input) bool {
	select {
	case p.input <- in:
		return true
	default:
	}
	n := p.dropped.Add(1)
	p.change(func(s *paneState) { s.Dropped = int(n) })
	return false
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
	p.pic = pic
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
		case <-p.input:
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
	var writer sync.WaitGroup
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer func() {
		cancel(nil)
		_ = conn.Close()
		writer.Wait()
		stop()
		p.change(func(s *paneState) { s.Connected = false })
		p.dropAsks()
	}()
	p.change(func(s *paneState) {
		s.Connected, s.Trouble, s.Title, s.OwnSize = true, "", welcome.Status.Title, welcome.Status.OwnSize
	})
	writer.Go(func() {
		if err := p.write(ctx, conn); err != nil {
			cancel(err)
		}
	})
	return p.read(conn, hostwire.NewMirror())
}

// takeView is the view to be sent now; what it asks for once is asked.
func (p *pane) takeView() hostwire.View {
	p.mu.Lock()
	defer p.mu.Unlock()
	view := p.view
	p.fresh, p.view.Claim, p.view.Refresh = false, false, false
	return view
}

// giveBack takes back a view that was not sent.
func (p *pane) giveBack(view hostwire.View) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fresh = true
	p.view.Claim = p.view.Claim || view.Claim
	p.view.Refresh = p.view.Refresh || view.Refresh
}

// write sends the view and the input, in order.
func (p *pane) write(ctx context.Context, conn HostConn) error {
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
			if err := conn.Send(in); err != nil {
				return err
			}
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
		case *hostwire.Status:
			p.change(func(s *paneState) { s.Title, s.OwnSize = m.Title, m.OwnSize })
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
		p.pic = mirror
		p.arrived.Store(true)
	}
	old = p.state
	p.state.Cols, p.state.Rows = mirror.Size()
	p.state.Flags = mirror.Flags()
	return old, p.state, refresh, nil
}

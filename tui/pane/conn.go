package pane

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"ccdir/wire"
)

// Dialer connects to the hosts of sessions. Several panes call its methods at once; these
// end when their context does.
type Dialer interface {
	// DialHost connects to the session's host and sends it the view. Hello and Welcome
	// have been exchanged when it returns.
	DialHost(ctx context.Context, id string, readOnly bool, view wire.View) (Conn, wire.Welcome, error)
}

// Conn is one connection to a session's host (a *wire.Conn). One goroutine calls Receive,
// another one Send. Close ends both; it may be called from any goroutine and more than
// once. A message is valid until the next Receive.
type Conn interface {
	Receive() (wire.Message, error)
	Send(wire.Message) error
	Close() error
}

// attach dials and serves one connection. nil: the session's process has ended. A panic
// counts as a lost connection, so the grid goes on.
func (p *Pane) attach(ctx context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a fault in ccdir: %v", r)
		}
	}()
	dial, cancelDial := context.WithTimeout(ctx, dialWithin)
	view := p.takeView()
	conn, welcome, err := p.cfg.Dialer.DialHost(dial, p.cfg.ID, p.cfg.ReadOnly, view)
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
		p.change(func(s *State) { s.Connected = false })
		p.disconnected()
		p.dropAsks()
	}()
	p.change(func(s *State) {
		s.Connected, s.Trouble, s.Title, s.OwnSize = true, "", welcome.Status.Title, welcome.Status.OwnSize
	})
	p.connected(welcome.Status)
	inner.Go(func() {
		if err := p.write(ctx, conn, &inner); err != nil {
			cancel(err)
		}
	})
	mirror := wire.NewMirror()
	if p.cfg.NoLinks {
		mirror.DropLinks()
	}
	return p.read(conn, mirror)
}

// write sends the view and the input, in order. Goroutines that it starts are in inner.
func (p *Pane) write(ctx context.Context, conn Conn, inner *sync.WaitGroup) error {
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

// read applies frames to the mirror. nil: the session's process has ended.
func (p *Pane) read(conn Conn, mirror *wire.Mirror) error {
	for {
		m, err := conn.Receive()
		if err != nil {
			return fmt.Errorf("the connection to the session's host was lost (%w)", err)
		}
		switch m := m.(type) {
		case *wire.Frame:
			if err := p.Lay(m, mirror); err != nil {
				return err
			}
			runtime.Gosched() // so that it is painted before the next read blocks
		case *wire.Status:
			p.change(func(s *State) { s.Title, s.OwnSize = m.Title, m.OwnSize })
			p.took(m)
		case *wire.Response:
			p.answered(m)
		case *wire.Copy:
			p.cfg.Copied(p.cfg.ID, *m)
		case *wire.Exit:
			return nil
		case *wire.Error:
			return m
		}
	}
}

// Lay applies a frame to a mirror and makes the mirror the picture. The caller must not
// change the mirror in another way from then on.
func (p *Pane) Lay(f *wire.Frame, mirror *wire.Mirror) error {
	old, now, refresh, err := p.apply(f, mirror)
	if err != nil {
		return fmt.Errorf("the session's host sent a frame that is not understood: %w", err)
	}
	p.touch()
	if refresh {
		p.poke()
	}
	if now != old {
		p.cfg.Report(now)
	}
	return nil
}

func (p *Pane) apply(f *wire.Frame, mirror *wire.Mirror) (old, now State, refresh bool, err error) {
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

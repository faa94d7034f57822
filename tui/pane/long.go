package pane

import (
	"context"
	"encoding/json"
	"errors"

	"ccdir/wire"
)

// long is the progress of long text: hosts report how much of it they have written.
// Guarded by Pane.mu.
type long struct {
	conn    uint64 // number of the connection; 0: its host does not report progress
	inputs  uint64 // sent over this connection
	bytes   uint64 // of their text
	dropped uint64 // bytes, as the host reported last
	waiting int    // long texts that were not sent yet
	skip    int    // how many of these were cancelled
	sent    []longInput
	// total, done and lost are bytes of long text since none was in flight: all of it,
	// the written or dropped part, and the dropped part.
	total, done, lost int
}

// longInput is long text that was sent and that the host has not written or dropped yet.
type longInput struct {
	end  uint64 // bytes of text that were sent on the connection, up to its end
	size int
}

// isLong reports whether an input is text whose progress is reported and that can be
// dropped.
func isLong(in *wire.Input) bool {
	return (in.Type == wire.InputPaste || in.Type == wire.InputRaw) && len(in.Text) >= wire.LongText
}

// counting updates the progress of long text, and reports it.
func (p *Pane) counting(f func(g *long)) {
	p.change(func(s *State) {
		g := &p.long
		f(g)
		if len(g.sent) == 0 && g.waiting == 0 {
			s.Lost += g.lost
			g.total, g.done, g.lost = 0, 0, 0
		}
		s.Pasting, s.Pasted = g.total, g.done
	})
}

// enters counts an input that is about to be queued. leaves takes that back, for one that
// was not queued, or that leaves the queue without being sent.
func (p *Pane) enters(in *wire.Input) {
	if isLong(in) {
		p.counting(func(g *long) { g.waiting++; g.total += len(in.Text) })
	}
}

func (p *Pane) leaves(in *wire.Input) {
	if isLong(in) {
		p.counting(func(g *long) { g.waiting--; g.total -= len(in.Text) })
	}
}

// goesOut counts an input that is about to be sent; false: it was cancelled.
func (p *Pane) goesOut(in *wire.Input) (sent bool) {
	if !isLong(in) {
		p.mu.Lock()
		p.long.inputs++
		p.long.bytes += uint64(len(in.Text))
		p.mu.Unlock()
		return true
	}
	p.counting(func(g *long) {
		g.waiting--
		if sent = g.skip == 0; !sent {
			g.skip--
			g.done += len(in.Text)
			g.lost += len(in.Text)
			return
		}
		g.inputs++
		g.bytes += uint64(len(in.Text))
		if g.conn == 0 {
			g.done += len(in.Text) // its progress will not be reported
			return
		}
		g.sent = append(g.sent, longInput{g.bytes, len(in.Text)})
	})
	return sent
}

// connected resets the counters of the connection.
func (p *Pane) connected(status wire.Status) {
	p.counting(func(g *long) {
		g.conn, g.inputs, g.bytes, g.dropped = status.Connection, 0, 0, 0
	})
}

// disconnected counts text as lost that the host has not reported as written.
func (p *Pane) disconnected() {
	p.counting(func(g *long) {
		for _, l := range g.sent {
			g.lost += l.size
			g.done += l.size
		}
		g.sent, g.skip = nil, 0
	})
}

// took takes the host's report about the connection's inputs.
func (p *Pane) took(status *wire.Status) {
	p.counting(func(g *long) {
		if g.conn == 0 {
			return
		}
		g.lost += int(status.Dropped - g.dropped)
		g.dropped = status.Dropped
		for len(g.sent) > 0 && g.sent[0].end <= status.Taken {
			g.done += g.sent[0].size
			g.sent = g.sent[1:]
		}
		if len(g.sent) > 0 {
			l := &g.sent[0]
			if left := int(l.end - status.Taken); left < l.size {
				g.done += l.size - left
				l.size = left
			}
		}
	})
}

// CancelLong drops long text that was not sent yet and keeps other input. If the host has
// long text that it has not written, rest asks it to drop that and waits for the response;
// otherwise rest is nil.
func (p *Pane) CancelLong() (rest func(context.Context) error) {
	var ask wire.DropParams
	var asks bool
	p.counting(func(g *long) {
		g.skip = g.waiting
		ask, asks = wire.DropParams{Connection: g.conn, Inputs: g.inputs}, len(g.sent) > 0
	})
	if !asks {
		return nil
	}
	return func(ctx context.Context) error { return p.drop(ctx, ask) }
}

// drop asks the host to drop long text, in two ways at once: over the pane's connection,
// which the host does not read if input waits behind the text, and over a new one, which
// may need the daemon. The request is idempotent.
func (p *Pane) drop(ctx context.Context, ask wire.DropParams) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan error, 2)
	go func() { results <- p.Request(ctx, wire.MethodDrop, ask, nil) }()
	go func() { results <- p.dropBeside(ctx, ask) }()
	err := <-results
	if err == nil {
		cancel()
		<-results
		return nil
	}
	if other := <-results; other == nil {
		return nil
	}
	return err
}

// dropBeside is drop over a new connection.
func (p *Pane) dropBeside(ctx context.Context, ask wire.DropParams) error {
	conn, _, err := p.cfg.Dialer.DialHost(ctx, p.cfg.ID, false, wire.View{})
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer func() {
		stop()
		_ = conn.Close()
	}()
	params, err := json.Marshal(ask)
	if err != nil {
		return err
	}
	if err := conn.Send(&wire.Request{ID: 1, Method: wire.MethodDrop, Params: params}); err != nil {
		return err
	}
	for {
		m, err := conn.Receive()
		if err != nil {
			return err
		}
		switch m := m.(type) {
		case *wire.Response:
			if m.Error != nil {
				return m.Error
			}
			return nil
		case *wire.Error:
			return m
		case *wire.Exit:
			return errors.New("the session's process has ended")
		}
	}
}

// Unhanded reports whether input would be lost if the connection ended now, and how many
// bytes of long text would be.
func (p *Pane) Unhanded() (size int, waits bool) {
	if p.cfg.ReadOnly || p.gone.Load() {
		return 0, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	g := &p.long
	if len(g.sent) > 0 {
		// The host finishes the first of them in any case.
		waits = g.bytes > g.sent[0].end
		size = -g.sent[0].size
	}
	size += g.total - g.done
	return size, waits || p.line.waiting.Load() > 0
}

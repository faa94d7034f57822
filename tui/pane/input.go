package pane

import (
	"time"

	"ccdir/wire"
)

const (
	// InputQueue bounds what waits to be written to a host, in messages.
	InputQueue = 512
	// RoomWithin is how long SendSoon waits for room in it.
	RoomWithin = 2 * time.Second
)

// Send queues input, in order; it never blocks. When the queue is full, which means
// that the session's program does not read, the input is dropped, counted and told.
func (p *Pane) Send(in *wire.Input) {
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
	p.change(func(s *State) { s.Dropped = int(n) })
}

// SendSoon is Send for who reads the terminal: it waits for room, RoomWithin at most,
// and not again before there was some: behind a program that does not read waits the
// key that leaves its pane.
func (p *Pane) SendSoon(in *wire.Input) {
	p.line.waiting.Add(1)
	p.enters(in)
	if p.queued(in) {
		return
	}
	p.leaves(in)
	p.line.waiting.Add(-1)
	p.Send(in)
}

// queued puts an input into the queue, after a wait if there has been room.
func (p *Pane) queued(in *wire.Input) bool {
	select {
	case p.input <- in:
		p.full.Store(false)
		return true
	default:
	}
	if p.full.Load() {
		return false
	}
	t := time.NewTimer(RoomWithin)
	defer t.Stop()
	select {
	case p.input <- in:
		return true
	case <-p.done:
	case <-t.C:
		p.full.Store(true)
	}
	return false
}

// DiscardInput takes out what waits and returns it. The pane does so when the connection
// is lost.
func (p *Pane) DiscardInput() (all []*wire.Input) {
	for {
		select {
		case in := <-p.input:
			p.leaves(in)
			p.line.waiting.Add(-1)
			all = append(all, in)
		default:
			return all
		}
	}
}

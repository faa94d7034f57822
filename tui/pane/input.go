package pane

import (
	"time"

	"ccdir/wire"
)

const (
	// InputQueue bounds the inputs that wait to be sent to a host.
	InputQueue = 512
	// RoomWithin is how long SendSoon waits for room in that queue.
	RoomWithin = 2 * time.Second
)

// Send queues input, in order, and never blocks. If the queue is full, because the session's
// program does not read, the input is dropped and counted (State.Dropped).
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

// SendSoon is Send for the reader of the terminal. It waits for room, at most RoomWithin,
// and does not wait again until there was room: the key that leaves the pane of a program
// that does not read is behind this input.
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

// queued puts an input into the queue. It waits for room unless the last wait was in vain.
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

// DiscardInput empties the queue and returns its inputs. The pane calls it when the
// connection is lost.
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

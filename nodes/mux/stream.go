package mux

import (
	"encoding/binary"
	"net"
	"time"
)

// stream joins one connection with one at the other end. Two goroutines serve it: one sends
// what the connection says, the other one writes what came for it.
type stream struct {
	m    *Mux
	id   uint32
	name string

	// Guarded by m.mu.

	conn    net.Conn // nil while it is dialled
	gone    bool     // closed by either end
	ended   chan struct{}
	room    int           // bytes that may still be sent
	more    chan struct{} // one slot: room has grown
	in      []byte        // received and not written yet, at most window
	taken   int           // bytes written and not credited yet
	arrived chan struct{} // one slot: in has grown, or the stream is gone

	out     []byte        // data that waits for the writer
	written chan struct{} // the writer has taken out
}

// joinLocked makes a stream and starts serving it; conn nil: it is dialled first.
func (m *Mux) joinLocked(id uint32, name string, conn net.Conn) {
	s := &stream{m: m, id: id, name: name, conn: conn, ended: make(chan struct{}), room: window,
		more: make(chan struct{}, 1), arrived: make(chan struct{}, 1), written: make(chan struct{}, 1)}
	m.streams[id] = s
	m.wg.Go(s.serve)
}

// dropLocked ends a stream. tell: the other end does not know.
func (m *Mux) dropLocked(s *stream, tell bool) {
	if s.gone {
		return
	}
	s.gone = true
	delete(m.streams, s.id)
	if m.first == s {
		m.first = nil
	}
	close(s.ended)
	signal(s.arrived)
	s.boundLocked()
	if tell {
		m.sendLocked(frame{s.id, kindClose, nil})
	}
}

// boundLocked bounds the writing of what had come before the close.
func (s *stream) boundLocked() {
	if s.conn != nil {
		_ = s.conn.SetWriteDeadline(time.Now().Add(drainTime)) // fails if it is closed
	}
}

func (m *Mux) drop(s *stream, tell bool) {
	m.mu.Lock()
	m.dropLocked(s, tell)
	m.mu.Unlock()
}

// serve runs the stream's two directions until it is closed.
func (s *stream) serve() {
	if s.conn == nil {
		conn, err := s.m.o.Dial(s.name)
		if err != nil {
			s.m.drop(s, true)
			return
		}
		s.m.mu.Lock()
		s.conn = conn
		if s.gone {
			s.boundLocked()
		}
		s.m.mu.Unlock()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.send()
	}()
	s.receive()
	s.conn.Close() // ends send, which may be reading
	<-done
}

// send sends what the connection says, as far as the other end has room.
func (s *stream) send() {
	m := s.m
	buf := make([]byte, maxBody)
	for {
		m.mu.Lock()
		room := min(s.room, len(buf))
		m.mu.Unlock()
		if room == 0 {
			select {
			case <-s.more:
				continue
			case <-s.ended:
				return
			}
		}
		n, err := s.conn.Read(buf[:room])
		if n > 0 && !s.hand(buf[:n]) {
			return
		}
		if err != nil {
			m.drop(s, true)
			return
		}
	}
}

// hand gives data to the writer and waits until it is written; false: the stream or the
// connection has ended.
func (s *stream) hand(data []byte) bool {
	m := s.m
	m.mu.Lock()
	if s.gone || m.err != nil {
		m.mu.Unlock()
		return false
	}
	s.room -= len(data)
	s.out = append(s.out[:0], data...)
	m.ready = append(m.ready, s)
	m.wake.Signal()
	m.mu.Unlock()
	select {
	case <-s.written:
		return true
	case <-m.over:
		return false
	}
}

// dataLocked takes data that came. m.mu is held.
func (s *stream) dataLocked(data []byte) error {
	if len(s.in)+s.taken+len(data) > window {
		return errWindow
	}
	s.in = append(s.in, data...)
	if f := s.m.o.First; f != nil && f(s.name) {
		s.m.first = s
	}
	signal(s.arrived)
	return nil
}

// creditLocked gives room back. m.mu is held.
func (s *stream) creditLocked(n int) error {
	if n < 0 || n > window-s.room {
		return errCredit
	}
	s.room += n
	signal(s.more)
	return nil
}

// receive writes what came for the connection until the stream is closed, and then what had
// come before.
func (s *stream) receive() {
	var spare []byte
	for {
		s.m.mu.Lock()
		data, gone := s.in, s.gone
		s.in, spare = spare[:0], data
		s.taken += len(data)
		s.m.mu.Unlock()
		if len(data) == 0 {
			if gone {
				return
			}
			<-s.arrived
			continue
		}
		if _, err := s.conn.Write(data); err != nil {
			s.m.drop(s, true)
			return
		}
		s.credit()
	}
}

// credit tells the other end what was taken, as soon as it is worth a frame.
func (s *stream) credit() {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	if s.gone || s.taken < window/4 {
		return
	}
	s.m.sendLocked(frame{s.id, kindCredit, binary.LittleEndian.AppendUint32(nil, uint32(s.taken))})
	s.taken = 0
}

// signal fills a slot.
func signal(slot chan struct{}) {
	select {
	case slot <- struct{}{}:
	default:
	}
}

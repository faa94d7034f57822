package mux

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// maxStreams bounds the open streams; a grid has one for each pane and a few for calls.
const maxStreams = 2000

// drainTime bounds how long a closed stream's last bytes may take to be written.
const drainTime = time.Second

// Options describe one end.
type Options struct {
	// Dial connects to what the other end opens; nil: this end opens streams.
	Dial func(name string) (net.Conn, error)
	// First reports whether the stream of that name may go before the others; nil: none may.
	First func(name string) bool
	// Pong is called with the time since the ping, on the goroutine of Run. May be nil.
	Pong func(round time.Duration)
	// Ended is called when the connection ends, before the joined connections are closed and Run
	// waits for its goroutines: it has to make a pending write return. May be nil.
	Ended func()
	// Heard is called for each frame that arrives, on the goroutine of Run. May be nil.
	Heard func()
}

// Mux is one end of a connection.
type Mux struct {
	r    *bufio.Reader
	w    io.Writer
	o    Options
	wg   sync.WaitGroup
	over chan struct{} // closed when Run ends

	mu      sync.Mutex
	wake    *sync.Cond // for the writer
	control []byte     // framed, goes before all data; bounded by what it answers
	ready   []*stream  // with data to write, the longest waiting first
	first   *stream    // goes before the others
	streams map[uint32]*stream
	next    uint32
	err     error // why it ended; nil while it runs
}

// New makes one end over r and w, which the caller closes.
func New(r io.Reader, w io.Writer, o Options) *Mux {
	m := &Mux{r: bufio.NewReaderSize(r, 64<<10), w: w, o: o, streams: map[uint32]*stream{}, over: make(chan struct{})}
	m.wake = sync.NewCond(&m.mu)
	return m
}

// ErrOver: the connection has ended.
var ErrOver = errors.New("the connection has ended")

// Run reads until the connection ends, and returns why; never nil.
func (m *Mux) Run() error {
	m.wg.Go(m.writeLoop)
	err := m.readLoop()
	m.fail(err)
	m.wg.Wait()
	return m.err
}

// fail ends the connection; the first reason stays.
func (m *Mux) fail(err error) {
	m.mu.Lock()
	if m.err != nil {
		m.mu.Unlock()
		return
	}
	m.err = err
	close(m.over)
	m.wake.Broadcast()
	m.mu.Unlock()
	if m.o.Ended != nil {
		m.o.Ended()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.streams {
		m.dropLocked(s, true)
	}
}

// Open joins conn with a new stream to what name stands for at the other end. It does not wait.
// The mux owns conn from now on, also after an error.
func (m *Mux) Open(name string, conn net.Conn) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil || len(m.streams) >= maxStreams {
		conn.Close()
		return ErrOver
	}
	for {
		if m.next++; m.next != 0 && m.streams[m.next] == nil {
			break
		}
	}
	m.sendLocked(frame{m.next, kindOpen, []byte(name)})
	m.joinLocked(m.next, name, conn)
	return nil
}

// Ping asks the other end for a pong.
func (m *Mux) Ping() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.control) < maxBody { // not while the line is stuck
		m.sendLocked(frame{0, kindPing, binary.LittleEndian.AppendUint64(nil, uint64(time.Since(began)))})
	}
}

// began is the beginning of the monotonic clock that pings carry.
var began = time.Now()

// Streams returns how many streams are open.
func (m *Mux) Streams() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.streams)
}

// sendLocked queues a control frame. m.mu is held.
func (m *Mux) sendLocked(f frame) {
	if m.err == nil {
		m.control = appendFrame(m.control, f)
		m.wake.Signal()
	}
}

func (m *Mux) readLoop() error {
	buf := new([headerLen + maxBody]byte)
	for {
		f, err := readFrame(m.r, buf)
		if err != nil {
			return err
		}
		if m.o.Heard != nil {
			m.o.Heard()
		}
		if err := m.take(f); err != nil {
			return err
		}
	}
}

// take handles one frame.
func (m *Mux) take(f frame) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return m.err
	}
	s := m.streams[f.stream]
	switch f.kind {
	case kindOpen:
		return m.openedLocked(s, f)
	case kindPing:
		if len(m.control) < maxControl {
			m.sendLocked(frame{0, kindPong, f.body})
		}
	case kindPong:
		if len(f.body) == 8 && m.o.Pong != nil {
			if round := time.Since(began) - time.Duration(binary.LittleEndian.Uint64(f.body)); round >= 0 {
				m.o.Pong(round)
			}
		}
	case kindData:
		if s != nil {
			return s.dataLocked(f.body)
		}
	case kindCredit:
		if s != nil && len(f.body) == 4 {
			return s.creditLocked(int(binary.LittleEndian.Uint32(f.body)))
		}
	case kindClose:
		if s != nil {
			m.dropLocked(s, false)
		}
	}
	return nil
}

// maxControl bounds the queued control frames in bytes. Only pongs can reach it: opens,
// closes and credits are bounded by the streams.
const maxControl = 256 << 10

// openedLocked dials for a stream that the other end opened. Data may follow at once.
func (m *Mux) openedLocked(s *stream, f frame) error {
	switch {
	case m.o.Dial == nil:
		return errOpen
	case s != nil || f.stream == 0 || len(m.streams) >= maxStreams || len(f.body) > maxName:
		return errStream
	}
	m.joinLocked(f.stream, string(f.body), nil)
	return nil
}

// maxName bounds the name of what is opened, in bytes.
const maxName = 255

// writeLoop is the only writer.
func (m *Mux) writeLoop() {
	for {
		m.mu.Lock()
		for m.err == nil && len(m.control) == 0 && len(m.ready) == 0 {
			m.wake.Wait()
		}
		if m.err != nil {
			m.mu.Unlock()
			return
		}
		out := m.control
		m.control = nil
		var from *stream
		if from = m.pickLocked(); from != nil {
			out = appendFrame(out, frame{from.id, kindData, from.out})
			from.out = from.out[:0]
		}
		m.mu.Unlock()
		_, err := m.w.Write(out)
		if err != nil {
			m.fail(err)
			return
		}
		if from != nil {
			signal(from.written)
		}
	}
}

// pickLocked takes the stream whose data is written next off the list; nil: none has any.
func (m *Mux) pickLocked() *stream {
	if len(m.ready) == 0 {
		return nil
	}
	at := 0
	for i, s := range m.ready {
		if s == m.first {
			at = i
			break
		}
	}
	s := m.ready[at]
	m.ready = append(m.ready[:at], m.ready[at+1:]...)
	return s
}

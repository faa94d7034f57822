package host

import (
	"os"
	"time"

	"golang.org/x/sys/unix"

	"ccdir/internal/tune/rawio"
	"ccdir/wire"
	"ccdir/wire/directline"
)

const (
	// frameBurst is the number of frames sent at once before pacing starts; each key press
	// allows as many again.
	frameBurst = 4
	defaultFPS = 60
	// maxRequests bounds the unanswered requests of one connection.
	maxRequests = 64
	// evidenceBatch bounds the evidence of one write.
	evidenceBatch = 256
	// largeInput is the size, in bytes, from which a client's next input waits until this
	// one is written.
	largeInput = 64 << 10
	// hangUpInterval is the interval at which a client whose input waits is checked for a
	// hang-up.
	hangUpInterval = 500 * time.Millisecond
)

// client is one connection. Its reader starts its writer and waits for it; both are
// goroutines.
type client struct {
	// Constant after newClient.

	h        *host
	conn     *wire.Conn
	nc       *rawio.Conn   // the same connection, below conn
	readOnly bool          // may neither type nor change the size
	follows  bool          // subscribes to evidence
	among    bool          // a grid, which shows it among others
	may      func() bool   // whether the peer may do more than watch; see peer.go
	wake     chan struct{} // one slot: the writer has something to send
	done     chan struct{} // closed when the reader has ended
	over     chan struct{} // closed when the writer has ended
	slots    chan struct{} // one slot per unanswered request

	// Guarded by h.mu: the connection.

	gone     bool      // the connection has ended
	refused  bool      // the refusal is in outbox
	view     wire.View // the latest; zero before any
	focused  bool      // its person has the keyboard here
	lastUse  uint64    // number of its last use, see sizing; 0: never used
	outbox   []byte    // framed responses to send
	answered int       // responses in outbox
	evidence uint64    // number of the last evidence sent
	status   wire.Status
	told     bool // status has been sent
	screen   screenWatch
	line     directline.End
	intake   intake
	copy     *wire.Copy // what the application copied; nil: nothing, or it has been sent
	copiedAt time.Time  // when the last one was sent

	// Guarded by h.mu: the last frame sent, and the pacing of frames.

	full       bool   // the next frame must be complete
	epoch      uint64 // engine of the last frame; 0 before the first
	gen        uint64 // its generation
	cols, rows int    // its size
	tokens     float64
	refilled   time.Time // when tokens were last added
	typed      uint64    // host.typed at the last frame
	paced      bool      // a timer runs for the next frame
	settling   bool      // a timer runs until h.settled

	// Owned by the reader.

	writing <-chan struct{} // closed when the last large input has been written; nil: none
	inputs  uint64          // inputs received

	// Owned by the writer.

	enc   wire.RowEncoder
	frame wire.Frame
	buf   []byte // the last result of collect
}

// serve welcomes the client and exchanges messages until the connection ends. A View that
// came with the Hello is applied before the welcome, so that welcome and first frame go out
// in one write: a client of many sessions is woken once for each.
func (c *client) serve(proto int) {
	h := c.h
	if c.conn.Ready() && !c.takeOne() {
		return
	}
	h.mu.Lock()
	c.status, c.told = h.statusFor(c), true
	welcome := appendMessage(nil, &wire.Welcome{
		Protocol: proto, Version: h.opts.Version, Session: h.spec.Session,
		PID: h.child.PID, HostPID: os.Getpid(), Started: h.started.UTC(),
		Status: c.status,
	})
	c.outbox = append(welcome, c.outbox...)
	h.mu.Unlock()
	go func() {
		defer close(c.over)
		c.writeLoop()
	}()
	for c.takeOne() {
	}
	close(c.done)
	<-c.over
}

// takeOne receives and handles the client's next message; false at the end of the
// connection.
func (c *client) takeOne() bool {
	m, err := c.conn.Receive()
	if err != nil {
		return false
	}
	switch m := m.(type) {
	case *wire.Input:
		c.inputs++
		return !c.allowed() || c.hand(c.counted(c.inputJob(m), len(m.Text)), len(m.Text) > largeInput)
	case *wire.View:
		if o := c.decides(m); o != nil {
			_ = o.may() // asked here without h.mu, because it may be slow; the answer is cached for whoever sets the size
		}
		if !m.Claim || c.allowed() {
			c.setView(*m)
		}
	case *wire.Request:
		if changes(m.Method) && !c.allowed() {
			break
		}
		select {
		case c.slots <- struct{}{}:
			c.h.request(c, m)
		case <-c.h.over:
		case <-c.over:
			return false // nobody frees slots any more
		}
	}
	return true
}

// hand passes input to the PTY's writer. The client's next input waits until this one was
// taken, or, if it is large, written: a process may read slowly, and pending input must
// stay bounded. Other messages are handled meanwhile. False: the client hung up. Input for
// a process that has ended is dropped; its exit is about to be sent.
func (c *client) hand(j job, large bool) bool {
	if j == nil {
		return true
	}
	if c.writing != nil && !c.await(nil, c.writing) {
		return false
	}
	c.writing = nil
	if large {
		written := make(chan struct{})
		c.writing = written
		work := j
		j = func() { work(); close(written) }
	}
	return c.h.tryEnqueue(j) || c.await(j, nil)
}

// await blocks until the writer takes j, if j is not nil, or until done closes. False: the
// client hung up first.
func (c *client) await(j job, done <-chan struct{}) bool {
	queue := c.h.input
	if j == nil {
		queue = nil
	}
	look := time.NewTicker(hangUpInterval)
	defer look.Stop()
	for {
		select {
		case queue <- j:
			return true
		case <-done:
			return true
		case <-c.h.over:
			return true
		case <-look.C:
			if hungUp(c.nc) {
				return false
			}
		}
	}
}

// hungUp reports whether the peer has closed a connection that nobody reads now.
func hungUp(nc *rawio.Conn) bool {
	gone := false
	err := nc.Control(func(fd uintptr) {
		p := []unix.PollFd{{Fd: int32(fd)}}
		n, err := unix.Poll(p, 0)
		gone = err == nil && n > 0 && p[0].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0
	})
	return gone || err != nil
}

// decides returns the client whose right to type decides whether the view changes the size:
// c if it would become the owner or change its own size, else the owner; nil if the view
// changes nothing.
func (c *client) decides(v *wire.View) *client {
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	s := &c.h.size
	switch {
	case c.readOnly || v.Cols <= 0 || v.Rows <= 0:
		return nil
	case s.owner != nil && s.owner != c:
		return s.owner
	case v.Cols != s.cols || v.Rows != s.rows:
		return c
	}
	return nil
}

func (c *client) setView(v wire.View) {
	h := c.h
	h.mu.Lock()
	defer h.mu.Unlock()
	c.view = v
	if v.Refresh {
		c.full = true
	}
	if v.Claim {
		h.size.use(c, true)
	}
	h.size.viewChanged(c)
	if o := h.size.owner; o == nil || o == c || !o.view.Colours.Known {
		h.seen(v.Colours)
	}
	c.wakeUp()
}

// wakeUp wakes the client's writer.
func (c *client) wakeUp() { wake(c.wake) }

// wakeAll wakes every client's writer. h.mu is held.
func (h *host) wakeAll() {
	for c := range h.clients {
		c.wakeUp()
	}
}

// screenChanged wakes the writer unless it waits for the time of its next frame. h.mu is
// held.
func (c *client) screenChanged() {
	if c.settling && !c.h.settled.IsZero() {
		return
	}
	if c.view.Visible && (!c.paced || c.typed != c.h.typed) || c.screen.params.Lines > 0 && !c.screen.timed {
		c.wakeUp()
	}
}

// writeLoop sends until the connection or the session ends, and closes the connection,
// which ends the reader. After a hang-up it sends nothing, but runs on while the reader
// takes what the client typed before.
func (c *client) writeLoop() {
	defer c.conn.Close()
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	for deaf := false; ; {
		b, answered, wait, last := c.collect(time.Now())
		if len(b) > 0 && !deaf && c.conn.SendEncoded(b) != nil {
			if deaf = hungUp(c.nc); !deaf {
				return
			}
		}
		for range answered {
			<-c.slots
		}
		if last {
			return
		}
		if wait > 0 {
			timer.Reset(wait)
		}
		select {
		case <-c.wake:
		case <-timer.C:
		case <-c.done:
			return
		}
		timer.Stop()
	}
}

// respond queues a response. h.mu is held.
func (c *client) respond(r *wire.Response) {
	if c.gone {
		return
	}
	b, err := wire.AppendMessage(c.outbox, r)
	if err != nil {
		b, _ = wire.AppendMessage(c.outbox, &wire.Response{ID: r.ID, Error: wire.NewError(wire.CodeInternal, err.Error())})
	}
	c.outbox = b
	c.answered++
	c.wakeUp()
}

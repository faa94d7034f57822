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
	// frameBurst is how many frames go out at once before pacing begins; a key
	// press allows as many again.
	frameBurst = 4
	defaultFPS = 60
	// maxRequests bounds the unanswered requests of one connection.
	maxRequests = 64
	// evidenceBatch bounds what one write carries.
	evidenceBatch = 256
	// largeInput is the size in bytes from which on input is waited for.
	largeInput = 64 << 10
	// hangUpInterval is how often a client whose input waits is looked after.
	hangUpInterval = 500 * time.Millisecond
)

// client is one connection. Its reader and writer are goroutines of their own;
// the reader starts the writer and waits for it.
type client struct {
	h        *host
	conn     *wire.Conn
	nc       *rawio.Conn // below conn
	readOnly bool
	follows  bool
	// may tells whether the peer may do more than look; see peer.go.
	may   func() bool
	wake  chan struct{} // one slot: something may have to be sent
	done  chan struct{} // the reader has ended
	over  chan struct{} // the writer has ended
	slots chan struct{} // one per unanswered request

	// Guarded by h.mu.
	gone     bool
	refused  bool // the farewell is in outbox
	view     wire.View
	lastUse  uint64
	evidence uint64 // number sent last
	outbox   []byte // responses, framed
	answered int    // how many
	full     bool   // the next frame must be full
	epoch    uint64
	gen      uint64
	cols     int
	rows     int
	status   wire.Status
	told     bool // status was sent
	tokens   float64
	refilled time.Time
	paced    bool // a timer is running for the next frame
	settling bool // a timer is running until h.settled
	typed    uint64
	screen   screenWatch
	line     directline.End
	intake   intake

	// The reader's own: closed when a large input has been written, and how many
	// inputs have come.
	writing <-chan struct{}
	inputs  uint64

	// The writer's own.
	enc   wire.RowEncoder
	frame wire.Frame
	buf   []byte
}

// serve welcomes the client and exchanges messages with it until the connection
// ends. A view that came with the greeting is taken before the welcome, so that
// the first picture goes out in the same write: a client that attaches to many
// sessions is woken once for each.
func (c *client) serve(proto int) {
	h := c.h
	if c.conn.Ready() && !c.takeOne() {
		return
	}
	h.mu.Lock()
	c.status, c.told = h.statusFor(c), true
	welcome := appendMessage(nil, &wire.Welcome{
		Protocol: proto, Version: h.opts.Version, Session: h.spec.Session,
		PID: h.child.pid, HostPID: os.Getpid(), Started: h.started.UTC(),
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

// takeOne waits for the client's next message and takes it; false: there comes
// none.
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
			_ = o.may() // found out here, without h.mu; whoever sets the size asks again
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
			return false // nobody gives slots back
		}
	}
	return true
}

// hand gives input to the PTY's writer. The next input waits until this one has
// been taken, or, if it is large, until it is written: the process may be slow
// to read, and what waits must stay bounded. Other messages are read meanwhile.
// It is false when the client is gone. Input for a process that has ended is
// dropped: the exit is on its way.
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

// await waits until the writer takes j, if there is one, or until done closes.
// It is false when the client hung up before.
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

// hungUp reports whether the other end of a connection that nobody reads now
// was closed.
func hungUp(nc *rawio.Conn) bool {
	gone := false
	err := nc.Control(func(fd uintptr) {
		p := []unix.PollFd{{Fd: int32(fd)}}
		n, err := unix.Poll(p, 0)
		gone = err == nil && n > 0 && p[0].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0
	})
	return gone || err != nil
}

// decides is the client whose right to type decides what becomes of the size with
// that view: its own, where the session would take its size from it, or the owner's.
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
	c.wakeUp()
}

// wakeUp tells the writer to look.
func (c *client) wakeUp() { wake(c.wake) }

// wakeAll tells every writer to look. h.mu is held.
func (h *host) wakeAll() {
	for c := range h.clients {
		c.wakeUp()
	}
}

// screenChanged wakes the writer unless it waits for its next frame's time
// anyway. h.mu is held.
func (c *client) screenChanged() {
	if c.settling && !c.h.settled.IsZero() {
		return
	}
	if c.view.Visible && (!c.paced || c.typed != c.h.typed) || c.screen.params.Lines > 0 && !c.screen.timed {
		c.wakeUp()
	}
}

// writeLoop sends what there is to send, until the connection or the session
// ends. It closes the connection at its end, which ends the reader too. To a client that
// has hung up nothing is sent any more, but what it typed before may still have to be read.
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

// respond answers a request. h.mu is held.
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

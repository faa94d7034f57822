package host

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"ccdir/internal/proc"
	"ccdir/internal/tune/rawio"
	"ccdir/wire"
)

// acceptLoop serves connections until the listener closes.
func (h *host) acceptLoop() {
	for {
		nc, err := h.listen.accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			time.Sleep(10 * time.Millisecond) // probably out of descriptors
			continue
		}
		h.mu.Lock()
		ok := !h.stopping
		if ok {
			h.clientWG.Add(1)
		}
		h.mu.Unlock()
		if !ok {
			nc.Close()
			continue
		}
		go func() {
			defer h.clientWG.Done()
			h.serveClient(nc)
		}()
	}
}

// serveClient greets a connection and serves it until it ends.
func (h *host) serveClient(peer *net.UnixConn) {
	uid, uidErr := proc.PeerUID(peer)
	pid, pidErr := proc.PeerPID(peer)
	nc, err := rawio.NewConn(peer)
	if err != nil {
		return // out of descriptors; the client dials again
	}
	defer nc.Close()
	defer h.keepHostFile() // before the close, for which a probing daemon waits
	conn := wire.NewConn(nc)
	conn.SetWriteTimeout(h.opts.WriteTimeout)
	if uidErr != nil {
		uid = -1
	}
	may := h.typist(pid, pidErr) // before the greeting, which may take long: the pid is fresh now
	hello, refusal := greet(conn, uid, h.spec.Ticket)
	if refusal == nil && !hello.ReadOnly && !hello.Looks && !may() {
		refusal = errInside
	}
	if refusal != nil {
		_ = conn.Send(refusal)
		return
	}
	if hello.Line != "" {
		if err := h.direct.Deliver(nc, hello, h.child.PTY); err != nil {
			_ = conn.Send(lineRefusal(err))
		}
		return
	}
	if hello.Far {
		bound(nc)
	}
	c := h.newClient(conn, nc, hello, may)
	if !h.join(c) {
		_ = conn.Send(wire.NewError(wire.CodeLimit, "too many connections to this session: detach one"))
		return
	}
	proto, _ := wire.Negotiate(hello.ProtocolMin, hello.ProtocolMax)
	c.serve(proto)
	h.leave(c)
}

// farBuffer bounds, in bytes, what the system holds of frames that a far client has not read
// (a unix socket takes 208 KiB): as on a full connection, the next frame is made when the last
// one has left.
const farBuffer = 8 << 10

// bound makes the connection's send buffer small.
func bound(nc *rawio.Conn) {
	_ = nc.Control(func(fd uintptr) { // without it, frames only come later
		_ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_SNDBUF, farBuffer)
	})
}

// newClient makes a client that has greeted but not joined.
func (h *host) newClient(conn *wire.Conn, nc *rawio.Conn, hello *wire.Hello, may func() bool) *client {
	c := &client{
		h: h, conn: conn, nc: nc,
		readOnly: hello.ReadOnly,
		among:    hello.Looks && !hello.ReadOnly,
		may:      may,
		wake:     make(chan struct{}, 1),
		done:     make(chan struct{}),
		over:     make(chan struct{}),
		slots:    make(chan struct{}, maxRequests),
		full:     true,
	}
	if hello.Evidence != nil {
		c.follows, c.evidence = true, *hello.Evidence
	}
	return c
}

// join adds c to the clients; false if there are too many.
func (h *host) join(c *client) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.clients) >= maxClients {
		return false
	}
	if c.evidence > h.evidence.last {
		c.evidence = 0 // the number is an earlier host's: the client has seen none of ours
	}
	h.clients[c] = struct{}{}
	h.greeted++
	c.intake.id = h.greeted
	h.wakeAll()
	return true
}

// leave removes c and what it held, after the end of its connection.
func (h *host) leave(c *client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c.gone = true
	h.absorb(c)
	c.line.Close()
	delete(h.clients, c)
	h.size.gone(c)
	h.wakeAll()
}

// greet reads the Hello and authorises the client; uid is the peer's.
func greet(conn *wire.Conn, uid int, ticket string) (*wire.Hello, *wire.Error) {
	if uid != os.Getuid() {
		return nil, wire.NewError(wire.CodeForbidden, "this session belongs to another user")
	}
	_ = conn.SetReadDeadline(time.Now().Add(helloTimeout))
	m, err := conn.Receive()
	if err != nil {
		return nil, wire.NewError(wire.CodeInvalid, "no hello: "+err.Error())
	}
	_ = conn.SetReadDeadline(time.Time{})
	hello, ok := m.(*wire.Hello)
	if !ok {
		return nil, wire.NewError(wire.CodeInvalid, "the first message is not a Hello")
	}
	if subtle.ConstantTimeCompare([]byte(hello.Ticket), []byte(ticket)) != 1 {
		return nil, wire.NewError(wire.CodeForbidden, "wrong ticket for this session")
	}
	if _, ok := wire.Negotiate(hello.ProtocolMin, hello.ProtocolMax); !ok {
		return nil, wire.NewError(wire.CodeBadVersion, fmt.Sprintf(
			"this session's host speaks protocol %d to %d, the client %d to %d: use a ccdir of the same version, or restart the session",
			wire.ProtocolMin, wire.ProtocolMax, hello.ProtocolMin, hello.ProtocolMax))
	}
	return hello, nil
}

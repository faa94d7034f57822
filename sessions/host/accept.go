package host

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"ccdir/internal/hostwire"
	"ccdir/internal/procinfo"
	"ccdir/internal/rawio"
)

// acceptLoop serves connections until the listener closes.
func (h *host) acceptLoop() {
	for {
		nc, err := h.listen.accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			time.Sleep(10 * time.Millisecond) // out of descriptors, most likely
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

// serveClient greets a connection and serves it to its end.
func (h *host) serveClient(peer *net.UnixConn) {
	uid, uidErr := procinfo.PeerUID(peer)
	pid, pidErr := procinfo.PeerPID(peer)
	nc, err := rawio.NewConn(peer)
	if err != nil {
		return // out of descriptors; the client dials again
	}
	defer nc.Close()
	conn := hostwire.NewConn(nc)
	conn.SetWriteTimeout(h.opts.WriteTimeout)
	if uidErr != nil {
		uid = -1
	}
	may := h.typist(pid, pidErr) // before the greeting, which may be long in coming
	hello, refusal := greet(conn, uid, h.spec.Ticket)
	if refusal == nil && !hello.ReadOnly && !hello.Looks && !may() {
		refusal = errInside
	}
	if refusal != nil {
		_ = conn.Send(refusal)
		return
	}
	c := &client{
		h: h, conn: conn, nc: nc,
		readOnly: hello.ReadOnly,
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
	proto, _ := hostwire.Negotiate(hello.ProtocolMin, hello.ProtocolMax)
	h.mu.Lock()
	if len(h.clients) >= maxClients {
		h.mu.Unlock()
		_ = conn.Send(hostwire.NewError(hostwire.CodeLimit, "too many connections to this session: detach one"))
		return
	}
	if c.evidence > h.evidence.last {
		c.evidence = 0 // a number of another host: all of it is new
	}
	h.clients[c] = struct{}{}
	h.wakeAll()
	h.mu.Unlock()
	c.serve(proto)
	h.mu.Lock()
	c.gone = true
	delete(h.clients, c)
	h.size.gone(c)
	h.wakeAll()
	h.mu.Unlock()
}

// greet reads the Hello and checks who is there; uid is the peer's.
func greet(conn *hostwire.Conn, uid int, ticket string) (*hostwire.Hello, *hostwire.Error) {
	if uid != os.Getuid() {
		return nil, hostwire.NewError(hostwire.CodeForbidden, "this session belongs to another user")
	}
	_ = conn.SetReadDeadline(time.Now().Add(helloTimeout))
	m, err := conn.Receive()
	if err != nil {
		return nil, hostwire.NewError(hostwire.CodeInvalid, "no hello: "+err.Error())
	}
	_ = conn.SetReadDeadline(time.Time{})
	hello, ok := m.(*hostwire.Hello)
	if !ok {
		return nil, hostwire.NewError(hostwire.CodeInvalid, "the first message is no hello")
	}
	if subtle.ConstantTimeCompare([]byte(hello.Ticket), []byte(ticket)) != 1 {
		return nil, hostwire.NewError(hostwire.CodeForbidden, "wrong ticket for this session")
	}
	if _, ok := hostwire.Negotiate(hello.ProtocolMin, hello.ProtocolMax); !ok {
		return nil, hostwire.NewError(hostwire.CodeBadVersion, fmt.Sprintf(
			"this session's host speaks protocol %d to %d, the client %d to %d: use a ccdir of the same version, or restart the session",
			hostwire.ProtocolMin, hostwire.ProtocolMax, hello.ProtocolMin, hello.ProtocolMax))
	}
	return hello, nil
}

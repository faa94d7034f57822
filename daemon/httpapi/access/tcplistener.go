package access

import (
	"context"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"ccdir/api"
)

// Bounds of open connections over TCP.
const (
	unauthenticatedOpen = 64 // no call has sent the token
	authenticatedOpen   = 64 // a call has sent the token
)

// TCPListener accepts connections, by default of this machine only, and bounds them, separately for
// those on which a call has sent the token (Authenticated) and for others. If there are too
// many of the latter, a new one closes the oldest: connections that send nothing do not keep
// others out. The log has that at most once a minute. Make one with NewTCPListener.
type TCPListener struct {
	net.Listener
	log  *slog.Logger
	warn *rate.Limiter // of the log
	// anywhere: connections of other machines are accepted, too.
	anywhere bool

	mu                  sync.Mutex // guards what follows
	mostUnauthenticated int
	mostAuthenticated   int
	unauthenticated     []*tcpConn // oldest first
	authenticated       int
}

// NewTCPListener bounds the connections of l, which listens on a loopback address.
func NewTCPListener(l net.Listener, log *slog.Logger) *TCPListener {
	return &TCPListener{Listener: l, log: log, warn: rate.NewLimiter(rate.Every(time.Minute), 1), mostUnauthenticated: unauthenticatedOpen, mostAuthenticated: authenticatedOpen}
}

// NewOpenListener bounds the connections of l, and accepts those of other machines, too.
func NewOpenListener(l net.Listener, log *slog.Logger) *TCPListener {
	open := NewTCPListener(l, log)
	open.anywhere = true
	return open
}

// Accept returns the next connection.
func (l *TCPListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if !l.anywhere && !IsLoopback(c.RemoteAddr()) {
			c.Close()
			continue
		}
		conn := &tcpConn{Conn: c, l: l}
		if oldest := l.admit(conn); oldest != nil {
			oldest.Close()
			if l.warn.Allow() {
				l.log.Warn("connections over TCP are closed: too many are open that have not sent the token", "address", l.Addr(), "most", l.mostUnauthenticated)
			}
		}
		return conn, nil
	}
}

// admit adds a new connection, and returns the one that has to be closed for it; nil: none.
func (l *TCPListener) admit(c *tcpConn) (oldest *tcpConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.unauthenticated) >= l.mostUnauthenticated {
		oldest = l.unauthenticated[0]
		l.unauthenticated = slices.Delete(l.unauthenticated, 0, 1)
	}
	l.unauthenticated = append(l.unauthenticated, c)
	return oldest
}

// IsLoopback reports whether an address is of this machine.
func IsLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// tcpConn is a connection of a TCPListener.
type tcpConn struct {
	net.Conn
	l *TCPListener
	// Guarded by l.mu.
	closed, authenticated bool
}

// Close closes the connection and removes it from the listener.
func (c *tcpConn) Close() error {
	err := c.Conn.Close()
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	if c.closed {
		return err
	}
	c.closed = true
	if c.authenticated {
		c.l.authenticated--
	} else if i := slices.Index(c.l.unauthenticated, c); i >= 0 { // else admit removed it
		c.l.unauthenticated = slices.Delete(c.l.unauthenticated, i, i+1)
	}
	return err
}

// authenticate moves the connection to the authenticated ones; false: there are too many.
func (c *tcpConn) authenticate() bool {
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	if c.authenticated || c.closed {
		return true
	}
	if c.l.authenticated >= c.l.mostAuthenticated {
		return false
	}
	c.authenticated = true
	c.l.authenticated++
	if i := slices.Index(c.l.unauthenticated, c); i >= 0 {
		c.l.unauthenticated = slices.Delete(c.l.unauthenticated, i, i+1)
	}
	return true
}

// Authenticated tells the listener that a call on the connection of ctx has sent the token.
// It fails if too many such connections are open.
func Authenticated(ctx context.Context) *api.Error {
	p, ok := ctx.Value(peerKey{}).(*peer)
	if !ok {
		return nil
	}
	if c, ok := p.tcp.(*tcpConn); ok && !c.authenticate() {
		return api.Errorf(api.CodeLimit, "%d connections with the token are open: close some, or use the control socket", c.l.mostAuthenticated)
	}
	return nil
}

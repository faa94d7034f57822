package httpapi

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

// Places of connections over TCP.
const (
	// strangersOpen bounds the connections whose callers have not shown the token.
	strangersOpen = 64
	// friendsOpen bounds those whose callers have.
	friendsOpen = 64
)

// TCPListener takes connections of this machine alone, and bounds them. A connection is a
// stranger's until a call on it has shown the token (Befriend); then it has one of the
// places that strangers cannot take. A new stranger takes the place of the one that came
// first, if there is no other: so connections that say nothing keep nobody out. The log
// has a line a minute of that at most. Make one with NewTCPListener.
type TCPListener struct {
	net.Listener
	log  *slog.Logger
	warn *rate.Limiter // of the log

	mu            sync.Mutex // guards what follows
	mostStrangers int
	mostFriends   int
	strangers     []*tcpConn // oldest first
	friends       int
}

// NewTCPListener bounds the connections of l, which listens on a loopback address.
func NewTCPListener(l net.Listener, log *slog.Logger) *TCPListener {
	return &TCPListener{Listener: l, log: log, warn: rate.NewLimiter(rate.Every(time.Minute), 1), mostStrangers: strangersOpen, mostFriends: friendsOpen}
}

// Accept returns the next connection.
func (l *TCPListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if !IsLoopback(c.RemoteAddr()) {
			c.Close()
			continue
		}
		conn := &tcpConn{Conn: c, l: l}
		if oldest := l.admit(conn); oldest != nil {
			oldest.Close()
			if l.warn.Allow() {
				l.log.Warn("connections over TCP are closed: too many are open that have not shown the token", "address", l.Addr(), "most", l.mostStrangers)
			}
		}
		return conn, nil
	}
}

// admit gives a new connection a place, and returns the stranger that loses its own; nil:
// there was room.
func (l *TCPListener) admit(c *tcpConn) (oldest *tcpConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.strangers) >= l.mostStrangers {
		oldest = l.strangers[0]
		l.strangers = slices.Delete(l.strangers, 0, 1)
	}
	l.strangers = append(l.strangers, c)
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
	l      *TCPListener
	closed bool // guarded by l.mu, as friend is
	friend bool
}

// Close closes the connection and gives its place back.
func (c *tcpConn) Close() error {
	err := c.Conn.Close()
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	if c.closed {
		return err
	}
	c.closed = true
	if c.friend {
		c.l.friends--
	} else if i := slices.Index(c.l.strangers, c); i >= 0 { // else it lost its place
		c.l.strangers = slices.Delete(c.l.strangers, i, i+1)
	}
	return err
}

// befriend gives the connection a place that strangers cannot take; false: there is none.
func (c *tcpConn) befriend() bool {
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	if c.friend || c.closed {
		return true
	}
	if c.l.friends >= c.l.mostFriends {
		return false
	}
	c.friend = true
	c.l.friends++
	if i := slices.Index(c.l.strangers, c); i >= 0 {
		c.l.strangers = slices.Delete(c.l.strangers, i, i+1)
	}
	return true
}

// Befriend tells the listener that the caller has shown a good token. The error says that
// too many such connections are open.
func Befriend(ctx context.Context) *api.Error {
	p, ok := ctx.Value(peerKey{}).(*peer)
	if !ok {
		return nil
	}
	if c, ok := p.tcp.(*tcpConn); ok && !c.befriend() {
		return api.Errorf(api.CodeLimit, "%d connections with the token are open: close some, or use the control socket", c.l.mostFriends)
	}
	return nil
}

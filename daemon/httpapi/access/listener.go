package access

import (
	"context"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"ccdir/internal/proc"
)

// sessionOpen bounds the open connections of one session's processes: an agent has few, and the
// daemon's descriptors are everybody's.
const sessionOpen = 256

// Listener accepts connections of one user's processes, and of one session's processes only so
// many at a time. The socket's mode keeps other users out too; Listener also holds if the mode was
// changed, and against root. Its zero value has no bound.
type Listener struct {
	net.Listener
	UID    int
	Logger *slog.Logger
	// Refused is called for each connection that was refused; may be nil.
	Refused func(uid int)
	// Callers finds out who connects, before the first byte is read; nil: nobody is bounded.
	Callers Callers
	// open counts connections by session; made by Bounded.
	open *openConns
}

// Bounded returns the listener with its bound of connections.
func Bounded(l Listener, callers Callers) Listener {
	l.Callers, l.open = callers, &openConns{most: sessionOpen, of: map[string]int{}, warn: rate.NewLimiter(rate.Every(time.Minute), 1)}
	return l
}

// Accept returns the next connection of the user.
func (l Listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if unix, ok := c.(*net.UnixConn); ok {
			uid, err := proc.PeerUID(unix)
			if err == nil && uid == l.UID {
				if l.open == nil {
					return c, nil
				}
				return &localConn{UnixConn: unix, l: l, peer: peerOf(unix)}, nil
			}
			l.Logger.Warn("a connection of another user was refused", "uid", uid, "error", err)
			if l.Refused != nil {
				l.Refused(uid)
			}
		}
		c.Close()
	}
}

// openConns counts the open connections by the session whose process connected; those of unknown
// processes share one count. Safe for concurrent use.
type openConns struct {
	most int
	warn *rate.Limiter // of the log

	mu sync.Mutex // guards of
	of map[string]int
}

// take counts a connection; false: there are too many.
func (o *openConns) take(session string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of[session] >= o.most {
		return false
	}
	o.of[session]++
	return true
}

func (o *openConns) free(session string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of[session]--; o.of[session] <= 0 {
		delete(o.of, session)
	}
}

// localConn is a connection of a Listener. Its first Read, in the goroutine that serves it, finds
// out who connected: a process that ends right after its call is known all the same.
type localConn struct {
	*net.UnixConn
	l    Listener
	peer *peer

	once sync.Once
	mu   sync.Mutex // guards what follows
	// counted: it has a place among those of session.
	counted, closed bool
	session         string
	refused         bool
}

// tooMany is the answer to a connection beyond the bound.
const tooMany = "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nConnection: close\r\nRetry-After: 1\r\n\r\n" +
	`{"code":"limit","message":"the processes of this session hold too many connections with the daemon: close some"}` + "\n"

// Read reads, after it has looked who connected.
func (c *localConn) Read(p []byte) (int, error) {
	c.once.Do(c.admit)
	c.mu.Lock()
	refused := c.refused
	c.mu.Unlock()
	if refused {
		return 0, io.EOF
	}
	return c.UnixConn.Read(p)
}

// admit identifies the peer and gives the connection its place.
func (c *localConn) admit() {
	o, err := c.peer.identify(context.Background(), c.l.Callers)
	if err == nil && !o.Inside {
		return // the person's
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	if c.session, c.counted = o.Session, c.l.open.take(o.Session); c.counted {
		return
	}
	c.refused = true
	_ = c.SetWriteDeadline(time.Now().Add(dismissed))
	_, _ = io.WriteString(c.UnixConn, tooMany) // it is closed either way
	if c.l.open.warn.Allow() {
		c.l.Logger.Warn("connections of a session are closed: too many are open", "session", o.Session, "most", c.l.open.most)
	}
}

// Close closes the connection and frees its place.
func (c *localConn) Close() error {
	c.mu.Lock()
	if c.counted && !c.closed {
		c.l.open.free(c.session)
	}
	c.closed = true
	c.mu.Unlock()
	return c.UnixConn.Close()
}

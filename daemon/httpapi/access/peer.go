package access

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"

	"ccdir/api"
	"ccdir/internal/proc"
)

// Callers identifies the session that a process runs in.
type Callers interface {
	// Identify returns the origin of the process pid, which had that start time when its
	// connection was accepted. The error says why it is not known.
	Identify(ctx context.Context, pid int, start string) (api.Origin, error)
}

// peer is the process at the other end of a connection. On a unix socket the system
// records it at the connect, and it is identified once, before its first call. Over TCP
// the system records nothing, and each call looks for the processes that hold the
// connection.
type peer struct {
	pid   int
	start string
	// foreign: the process is in a process namespace that the daemon does not see.
	foreign bool
	// tcp is the connection over TCP; nil for a unix socket.
	tcp net.Conn
	// user is the user id of the other end of tcp; nil while it is not known. It never
	// changes.
	user atomic.Pointer[int]

	once   sync.Once
	origin api.Origin
	err    error
}

type peerKey struct{}

// ConnContext adds the peer of a connection to its context (http.Server.ConnContext).
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if _, tcp := c.RemoteAddr().(*net.TCPAddr); tcp {
		if under, ok := c.(interface{ NetConn() net.Conn }); ok { // TLS
			c = under.NetConn()
		}
		return context.WithValue(ctx, peerKey{}, &peer{tcp: c})
	}
	switch c := c.(type) {
	case *localConn:
		return context.WithValue(ctx, peerKey{}, c.peer)
	case *net.UnixConn:
		return context.WithValue(ctx, peerKey{}, peerOf(c))
	}
	return ctx
}

// peerOf returns the process that connected; its pid is 0 if it has ended.
func peerOf(c *net.UnixConn) *peer {
	pid, err := proc.PeerPID(c)
	if err == nil && pid == 0 {
		return &peer{foreign: true}
	}
	if err == nil && pid > 0 {
		if start, err := proc.StartTime(pid); err == nil {
			return &peer{pid: pid, start: start}
		}
	}
	return &peer{}
}

// OfProcess adds the process pid, which has that start time, to the context of its calls.
func OfProcess(ctx context.Context, pid int, start string) context.Context {
	return context.WithValue(ctx, peerKey{}, &peer{pid: pid, start: start})
}

// ErrForeign: the caller is in a process namespace that the daemon does not see (a
// container that has the socket), so its origin is not known.
var ErrForeign error = api.Errorf(api.CodeForbidden, "who calls cannot be told: its process is in another process namespace: call from outside of the container")

// OriginOf returns the origin of the call with this context.
func OriginOf(ctx context.Context, callers Callers) (api.Origin, error) {
	p, ok := ctx.Value(peerKey{}).(*peer)
	if !ok {
		return api.Origin{}, api.Errorf(api.CodeForbidden, "who calls cannot be told: this call is for the daemon's socket")
	}
	if p.tcp != nil {
		look := func() (api.Origin, error) { return tcpOrigin(context.WithoutCancel(ctx), callers, p.tcp) }
		if a, ok := ctx.Value(answerKey{}).(*originAnswer); ok {
			a.once.Do(func() { a.origin, a.err = look() })
			return a.origin, a.err
		}
		return look()
	}
	return p.identify(context.WithoutCancel(ctx), callers)
}

// OriginAtFirst is OriginOf as of the first call of the connection that asked for it: over TCP the search
// takes milliseconds, and for calls that only look a connection in flight between processes does no harm.
func OriginAtFirst(ctx context.Context, callers Callers) (api.Origin, error) {
	p, ok := ctx.Value(peerKey{}).(*peer)
	if !ok || p.tcp == nil {
		return OriginOf(ctx, callers)
	}
	p.once.Do(func() { p.origin, p.err = tcpOrigin(context.WithoutCancel(ctx), callers, p.tcp) })
	return p.origin, p.err
}

// identify returns the origin of a peer on the socket, which is looked for once.
func (p *peer) identify(ctx context.Context, callers Callers) (api.Origin, error) {
	p.once.Do(func() {
		switch {
		case p.foreign:
			p.err = ErrForeign
		case p.pid == 0:
			p.err = api.Errorf(api.CodeForbidden, "who calls cannot be told: its process has ended: keep it until the answer has come")
		default:
			p.origin, p.err = callers.Identify(ctx, p.pid, p.start)
		}
	})
	return p.origin, p.err
}

// originAnswer is the origin of one call, once it was looked for.
type originAnswer struct {
	once   sync.Once
	origin api.Origin
	err    error
}

type answerKey struct{}

// AskedOnce makes the checks of one call over TCP share one search for its origin. The
// next call of the same connection searches again.
func AskedOnce(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if Remote(r.Context()) {
			r = r.WithContext(context.WithValue(r.Context(), answerKey{}, &originAnswer{}))
		}
		next.ServeHTTP(w, r)
	})
}

// OtherUser refuses a call over TCP whose connection belongs to another user, whatever its
// token. It returns nil if the user is not known: calls that change something also need
// the process (OriginOf).
func OtherUser(ctx context.Context) *api.Error {
	p, ok := ctx.Value(peerKey{}).(*peer)
	if !ok || p.tcp == nil {
		return nil
	}
	user := p.user.Load()
	if user == nil {
		uid, err := proc.TCPUser(p.tcp)
		if err != nil {
			return nil
		}
		user = &uid
		p.user.Store(user)
	}
	if *user == os.Getuid() {
		return nil
	}
	return otherUser(*user)
}

func otherUser(uid int) *api.Error {
	return api.Errorf(api.CodeForbidden, "this connection is of another user (uid %d): call as the user that the daemon runs as (uid %d)", uid, os.Getuid())
}

// unknown is the error if no process is found at the other end of a connection over TCP, and
// what was found instead. The token alone does not make a caller the person.
func unknown(found string) error {
	return api.Errorf(api.CodeForbidden, "who calls cannot be told: no process of yours is found that holds the connection (%s): keep it open, in the process that calls, until the answer has come, or call the daemon's socket (`ccdir api socket`)", found)
}

// tcpLooks bounds the searches for processes if one of them has just ended, or if the
// system's list changed while it was read. A caller that starts programs shares its
// connection with each of them for a moment.
const tcpLooks = 16

// tcpOrigin identifies a caller over TCP with the token by the processes that hold its end
// of the connection. Where the system does not report these (macOS), the token decides.
func tcpOrigin(ctx context.Context, callers Callers, c net.Conn) (o api.Origin, err error) {
	last := ""
	for range tcpLooks {
		holders, hidden, err := proc.TCPHolders(c, os.Getuid())
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			return api.Origin{}, nil
		case errors.Is(err, proc.ErrTCPUser):
			if uid, err := proc.TCPUser(c); err == nil {
				return api.Origin{}, otherUser(uid)
			}
			return api.Origin{}, unknown("its user is not yours, and is gone")
		case err != nil:
			last = err.Error()
			continue
		}
		found := tcpFound{holders: holders, hidden: hidden,
			login: func(pid int) bool { return proc.LoginServer(pid, os.Getuid()) },
			identify: func(pid int) (api.Origin, error) {
				start, err := proc.StartTime(pid)
				if err == nil {
					o, err = callers.Identify(ctx, pid, start)
				}
				if err != nil {
					return api.Origin{}, fmt.Errorf("process %d: %w", pid, errEnded)
				}
				return o, nil
			}}
		if o, err = found.origin(); !errors.Is(err, errEnded) {
			return o, err
		}
		last = err.Error()
	}
	return api.Origin{}, unknown(last)
}

// errEnded: a process has ended since it was found.
var errEnded = errors.New("the process has ended")

// tcpFound are the processes that hold, or may hold, the other end of a connection.
type tcpFound struct {
	holders, hidden []int
	// login reports whether a hidden process belongs to a login server.
	login    func(pid int) bool
	identify func(pid int) (api.Origin, error)
}

// origin returns the origin of any process inside a session that holds the connection, or
// else the person if one of their processes holds it. If none is found, the connection is
// in flight between processes or held in a way that the system does not report, and could
// be a session's: then it is an error. The exception is a login server that forwards a
// port (sshd), whose files the user cannot read: if one runs, and no process inside a
// session hides its files, the token decides.
func (f tcpFound) origin() (api.Origin, error) {
	for _, pid := range f.holders {
		if o, err := f.identify(pid); err != nil || o.Inside {
			return o, err
		}
	}
	if len(f.holders) > 0 {
		return api.Origin{}, nil
	}
	login := false
	for _, pid := range f.hidden {
		o, err := f.identify(pid)
		if err != nil {
			return api.Origin{}, err
		}
		if o.Inside {
			return api.Origin{}, unknown(fmt.Sprintf("process %d, of a session, hides its files", pid))
		}
		login = login || f.login(pid)
	}
	if !login {
		return api.Origin{}, unknown("none holds it")
	}
	return api.Origin{}, nil
}

package httpapi

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"

	"ccdir/api"
	"ccdir/internal/proc"
)

// Callers tells where a process comes from.
type Callers interface {
	// Identify recognizes the process pid, which had that start time when its
	// connection was accepted. The error says why it can't be told.
	Identify(ctx context.Context, pid int, start string) (api.Origin, error)
}

// peer is the process at the other end of a connection, as it was when the
// connection was accepted. On a unix socket it is recognized once, when that is
// first asked: the system keeps who connected. Over TCP it keeps nothing, and who
// holds the connection is looked for anew with each call that asks.
type peer struct {
	pid   int
	start string
	// foreign: the process is in a process namespace that the daemon does not see.
	foreign bool
	// tcp is the connection, of one over TCP; nil otherwise.
	tcp net.Conn
	// user is whose socket the other end of tcp is, nil while that is not known. It
	// never changes.
	user atomic.Pointer[int]

	once   sync.Once
	origin api.Origin
	err    error
}

type peerKey struct{}

// ConnContext notes who is at the other end of a connection
// (http.Server.ConnContext).
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if _, tcp := c.RemoteAddr().(*net.TCPAddr); tcp {
		return context.WithValue(ctx, peerKey{}, &peer{tcp: c})
	}
	unix, ok := c.(*net.UnixConn)
	if !ok {
		return ctx
	}
	p := &peer{}
	pid, err := proc.PeerPID(unix)
	p.foreign = err == nil && pid == 0
	if err == nil && pid > 0 {
		if start, err := proc.StartTime(pid); err == nil {
			p.pid, p.start = pid, start
		}
	}
	return context.WithValue(ctx, peerKey{}, p)
}

// ErrForeign: the caller is in a process namespace that the daemon does not see (a
// container that has the socket), so nothing can be told of it.
var ErrForeign error = api.Errorf(api.CodeForbidden, "who calls cannot be told: its process is in another process namespace: call from outside of the container")

// originOf tells where a call comes from, and records it if that cannot be told. On
// the socket the session, if any, stays the same for a connection; name and role are
// those of that time.
func (s *server) originOf(r *http.Request) (api.Origin, error) {
	if s.Callers == nil {
		return api.Origin{}, nil
	}
	o, err := OriginOf(r.Context(), s.Callers)
	if err != nil && s.Insiders != nil {
		s.Insiders.Refused(api.Origin{}, r.Method+" "+r.URL.Path, err.Error())
	}
	return o, err
}

// OriginOf is the origin of the call that has this context.
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
	p.once.Do(func() {
		switch {
		case p.foreign:
			p.err = ErrForeign
		case p.pid == 0:
			p.err = api.Errorf(api.CodeForbidden, "who calls cannot be told: its process has ended: keep it until the answer has come")
		default:
			p.origin, p.err = callers.Identify(context.WithoutCancel(ctx), p.pid, p.start)
		}
	})
	return p.origin, p.err
}

// originAnswer keeps, for one call, what was found of where it comes from.
type originAnswer struct {
	once   sync.Once
	origin api.Origin
	err    error
}

type answerKey struct{}

// askedOnce has the origin of each call over TCP looked for at most once, however
// many checks ask, and once more for the next call of the same connection.
func askedOnce(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if remote(r.Context()) {
			r = r.WithContext(context.WithValue(r.Context(), answerKey{}, &originAnswer{}))
		}
		next.ServeHTTP(w, r)
	})
}

// OtherUser refuses a call over TCP whose connection is of another user, whatever
// token it bears. Where that cannot be told it is nil: what changes something looks
// for the process, too (OriginOf).
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

// errUnknown: nobody is found at the other end of a connection over TCP. The token
// alone makes nobody the person.
var errUnknown = api.Errorf(api.CodeForbidden, "who calls cannot be told: no process of yours is found that holds the connection: keep it open, in the process that calls, until the answer has come, or call the daemon's socket (`ccdir api socket`)")

// tcpLooks is how often the processes are looked for if one of them has just ended.
const tcpLooks = 3

// tcpOrigin recognizes a caller over TCP, who has the token, by the processes
// that hold its end of the connection. Only where the system does not tell these
// (macOS) the token speaks.
func tcpOrigin(ctx context.Context, callers Callers, c net.Conn) (o api.Origin, err error) {
	for range tcpLooks {
		holders, hidden, err := proc.TCPHolders(c, os.Getuid())
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			return api.Origin{}, nil
		case errors.Is(err, proc.ErrTCPUser):
			if uid, err := proc.TCPUser(c); err == nil {
				return api.Origin{}, otherUser(uid)
			}
			return api.Origin{}, errUnknown
		case err != nil:
			return api.Origin{}, errUnknown
		}
		found := tcpFound{holders: holders, hidden: hidden,
			login: func(pid int) bool { return proc.LoginServer(pid, os.Getuid()) },
			identify: func(pid int) (api.Origin, error) {
				start, err := proc.StartTime(pid)
				if err == nil {
					o, err = callers.Identify(ctx, pid, start)
				}
				if err != nil {
					return api.Origin{}, errEnded
				}
				return o, nil
			}}
		if o, err = found.origin(); !errors.Is(err, errEnded) {
			return o, err
		}
	}
	return api.Origin{}, errUnknown
}

// errEnded: a process has ended since it was found.
var errEnded = errors.New("the process has ended")

// tcpFound are the processes that hold, or may hold, the other end of a connection.
type tcpFound struct {
	holders, hidden []int
	// login reports whether a hidden process is of a login server.
	login    func(pid int) bool
	identify func(pid int) (api.Origin, error)
}

// origin is that of any process inside a session which holds the connection, else
// the person's if a process of theirs holds it. If none is found, it is in flight
// between processes, or is held in a way that the system does not tell: it can be a
// session's. One exception is the login server that forwards a port (sshd), which
// keeps its files from the user: if such a one runs, and no hidden process inside a
// session does, the token speaks.
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
			return api.Origin{}, errUnknown
		}
		login = login || f.login(pid)
	}
	if !login {
		return api.Origin{}, errUnknown
	}
	return api.Origin{}, nil
}

package httpapi

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"

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
// connection was accepted. It is recognized once, when that is first asked.
type peer struct {
	pid   int
	start string
	// tcp is the connection, of one over TCP; nil otherwise.
	tcp net.Conn

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
	if pid, err := proc.PeerPID(unix); err == nil && pid > 0 {
		if start, err := proc.StartTime(pid); err == nil {
			p.pid, p.start = pid, start
		}
	}
	return context.WithValue(ctx, peerKey{}, p)
}

// originOf tells where a call comes from. Its session, if any, stays the same for
// a connection; name and role are those of that time.
func (s *server) originOf(r *http.Request) (api.Origin, error) {
	if s.Callers == nil {
		return api.Origin{}, nil
	}
	return OriginOf(r.Context(), s.Callers)
}

// OriginOf is the origin of the call that has this context.
func OriginOf(ctx context.Context, callers Callers) (api.Origin, error) {
	p, ok := ctx.Value(peerKey{}).(*peer)
	if !ok {
		return api.Origin{}, api.Errorf(api.CodeForbidden, "who calls cannot be told: this call is for the daemon's socket")
	}
	p.once.Do(func() {
		if p.tcp != nil {
			p.origin, p.err = tcpOrigin(context.WithoutCancel(ctx), callers, p.tcp)
			return
		}
		if p.pid == 0 {
			p.err = api.Errorf(api.CodeForbidden, "who calls cannot be told: its process is gone, or is in another process namespace")
			return
		}
		p.origin, p.err = callers.Identify(context.WithoutCancel(ctx), p.pid, p.start)
	})
	return p.origin, p.err
}

// tcpOrigin recognizes a caller over TCP, who has the token, by the processes
// that hold its end of the connection. Where the system does not tell these, or
// they are such as keep their files from the user (sshd, for one), the token
// speaks, unless one of the latter runs in a session.
func tcpOrigin(ctx context.Context, callers Callers, c net.Conn) (api.Origin, error) {
	holders, hidden, err := proc.TCPHolders(c, os.Getuid())
	if errors.Is(err, errors.ErrUnsupported) {
		return api.Origin{}, nil
	}
	unknown := api.Errorf(api.CodeForbidden, "who calls cannot be told: keep the connection open until the answer has come, or call the daemon's socket")
	if err != nil {
		return api.Origin{}, unknown
	}
	identify := func(pid int) (api.Origin, error) {
		start, err := proc.StartTime(pid)
		if err != nil {
			return api.Origin{}, unknown
		}
		return callers.Identify(ctx, pid, start)
	}
	for _, pid := range holders {
		if o, err := identify(pid); err != nil || o.Inside {
			return o, err
		}
	}
	if len(holders) > 0 {
		return api.Origin{}, nil
	}
	for _, pid := range hidden {
		if o, err := identify(pid); err == nil && o.Inside {
			return api.Origin{}, unknown
		}
	}
	return api.Origin{}, nil
}

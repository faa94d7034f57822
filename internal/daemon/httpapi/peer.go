package httpapi

import (
	"context"
	"net"
	"net/http"
	"sync"

	"ccdir/internal/api"
	"ccdir/internal/procinfo"
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

	once   sync.Once
	origin api.Origin
	err    error
}

type peerKey struct{}

// ConnContext notes who is at the other end of a connection
// (http.Server.ConnContext).
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	unix, ok := c.(*net.UnixConn)
	if !ok {
		return ctx
	}
	p := &peer{}
	if pid, err := procinfo.PeerPID(unix); err == nil && pid > 0 {
		if start, err := procinfo.StartTime(pid); err == nil {
			p.pid, p.start = pid, start
		}
	}
	return context.WithValue(ctx, peerKey{}, p)
}

// Origin tells where a call comes from. Its session, if any, stays the same for
// a connection; name and role are those of that time.
func (s *server) originOf(r *http.Request) (api.Origin, error) {
	if s.Callers == nil || remote(r.Context()) { // over TCP the token speaks
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
		if p.pid == 0 {
			p.err = api.Errorf(api.CodeForbidden, "who calls cannot be told: its process is gone, or is in another process namespace")
			return
		}
		p.origin, p.err = callers.Identify(context.WithoutCancel(ctx), p.pid, p.start)
	})
	return p.origin, p.err
}

package daemon

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/daemon/httpapi"
	"ccdir/daemon/httpapi/access"
	"ccdir/hooks"
	"ccdir/internal/contain"
)

// Limits of the HTTP server.
const (
	headerTimeout = 5 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10 // bytes
)

// apiHandler is the handler of the API.
type apiHandler struct{ http.Handler }

// httpServer serves one handler on one or more listeners.
type httpServer struct {
	uid int
	log *slog.Logger
	// refused is called for connections of other users; it may be nil.
	refused func(uid int)
	http    *http.Server
	cancel  context.CancelCauseFunc
	wg      contain.Group

	mu      sync.Mutex // guards closing
	closing bool
	// calls are the handlers in flight: the HTTP server does not wait for those with
	// hijacked connections (WebSockets).
	calls sync.WaitGroup
}

func newServer(h http.Handler, uid int, log *slog.Logger) *httpServer {
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &httpServer{uid: uid, log: log, cancel: cancel}
	s.http = &http.Server{
		Handler:           s.counted(h),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnContext: func(conn context.Context, c net.Conn) context.Context {
			return access.ConnContext(httpapi.WithLife(conn, ctx), c)
		},
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		// It would answer before the peer is checked.
		DisableGeneralOptionsHandler: true,
	}
	return s
}

// counted makes close wait for the handler. MCP handlers are ended and awaited by
// tools.Server.Close.
func (s *httpServer) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == api.MCPPath {
			next.ServeHTTP(w, r)
			return
		}
		s.mu.Lock()
		if s.closing {
			s.mu.Unlock()
			panic(http.ErrAbortHandler) // the connection is about to be closed
		}
		s.calls.Add(1)
		s.mu.Unlock()
		defer s.calls.Done()
		next.ServeHTTP(w, r)
	})
}

// serve starts to accept on the daemon's socket.
func (s *httpServer) serve(l net.Listener, callers access.Callers) {
	s.serveOn(access.Bounded(access.Listener{Listener: l, UID: s.uid, Logger: s.log, Refused: s.refused}, callers))
}

// serveOn starts to accept on a listener that checks peers itself.
func (s *httpServer) serveOn(l net.Listener) {
	s.wg.Go(func() {
		err := s.http.Serve(l)
		if err != nil && !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			s.log.Error("the socket is not served any more", "error", err)
		}
	})
}

// end is close for a server that may be nil; errors are logged.
func (s *httpServer) end() {
	if s == nil {
		return
	}
	if err := s.close(); err != nil {
		s.log.Warn("a server did not end well", "error", err)
	}
}

// cutOff is the log message about calls that did not end within stopTime.
const cutOff = "open calls did not end and were cut off"

// close ends streams at once and gives other calls stopTime.
func (s *httpServer) close() error {
	// Streams and held calls end with the base context.
	s.cancel(api.ErrStopping)
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn(cutOff, "after", stopTime)
		err = s.http.Close()
	}
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.calls.Wait()
	s.wg.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil // its listener was closed first, to end new connections
	}
	return err
}

// handler puts the API together.
func (d *daemon) handler() *apiHandler {
	endpoint := hooks.NewEndpoint(d.registry, func() time.Time { return time.Now().UTC() })
	endpoint.Check = d.callers.HookOf
	return &apiHandler{Handler: httpapi.New(httpapi.Deps{
		Env:      d.o.Env,
		Alarms:   d.alarms,
		Sessions: d.registry, Log: logView{d.events}, Hook: endpoint, Approvals: d.registry, Grid: d.grid, Past: d.past,
		Keys: d.store, Pause: d.o.Pause, MCP: d.tools.Load(), Messages: d.tools.Load().PersonMessages(),
		Policy: policyView{d}, Ledger: d.store, Callers: d.callers, Insiders: d.callers,
		Agents: d.agents, Accounts: d.accounts, Directories: d.repositories.Directories, Repos: d.repositories.Repos,
		Tasks: d.tasks, History: d.history, Conversations: d.conversations, Pending: d.pending, Schedules: d.schedules, Reactions: d.reactions, Watches: d.watches, Reviews: d.reviews,
		Worktrees: d.repositories, Docs: docsView{d}, Usage: usageView{d}, Web: d.page,
		Config: func() any { return d.config.Load() }, Process: d.processUse,
		Shutdown: func(stop api.Stop) {
			select {
			case d.stop <- stop:
			default: // a stop was requested before
			}
		},
		Logger: d.log,
	})}
}

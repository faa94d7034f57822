package listen

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
	"ccdir/internal/contain"
)

// Limits of the HTTP server.
const (
	headerTimeout = 5 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10 // bytes
)

// StopTime bounds how long a stop waits for open calls.
const StopTime = 3 * time.Second

// Server serves one handler on one or more listeners.
type Server struct {
	uid int
	log *slog.Logger
	// Refused is called for connections of other users; it may be nil. It is set before Serve.
	Refused func(uid int)
	http    *http.Server
	cancel  context.CancelCauseFunc
	wg      contain.Group

	mu      sync.Mutex // guards closing
	closing bool
	// calls are the handlers in flight: the HTTP server does not wait for those with
	// hijacked connections (WebSockets).
	calls sync.WaitGroup
}

// NewServer returns a server that is told of the daemon's end by its handlers' contexts.
func NewServer(h http.Handler, uid int, log *slog.Logger) *Server {
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &Server{uid: uid, log: log, cancel: cancel}
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

// counted makes Close wait for the handler. MCP handlers are ended and awaited by
// tools.Server.Close.
func (s *Server) counted(next http.Handler) http.Handler {
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

// Serve starts to accept on the daemon's socket.
func (s *Server) Serve(l net.Listener, callers access.Callers) {
	s.ServeOn(access.Bounded(access.Listener{Listener: l, UID: s.uid, Logger: s.log, Refused: s.Refused}, callers))
}

// ServeOn starts to accept on a listener that checks peers itself.
func (s *Server) ServeOn(l net.Listener) {
	s.wg.Go(func() {
		err := s.http.Serve(l)
		if err != nil && !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			s.log.Error("the socket is not served any more", "error", err)
		}
	})
}

// End is Close for a server that may be nil; errors are logged.
func (s *Server) End() {
	if s == nil {
		return
	}
	if err := s.Close(); err != nil {
		s.log.Warn("a server did not end well", "error", err)
	}
}

// CutOff is the log message about calls that did not end within StopTime.
const CutOff = "open calls did not end and were cut off"

// Close ends streams at once and gives other calls StopTime; it blocks until all have ended.
func (s *Server) Close() error {
	// Streams and held calls end with the base context.
	s.cancel(api.ErrStopping)
	ctx, cancel := context.WithTimeout(context.Background(), StopTime)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn(CutOff, "after", StopTime)
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

package tools

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/daemon/httpapi/access"
)

// Limits of the HTTP server, the same as those of the API.
const (
	headerTimeout = 5 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10 // bytes
)

// serveTCP serves Streamable HTTP on a loopback address.
func (s *Server) serveTCP(l net.Listener) {
	s.tcp = s.server.HTTP(s.byToken, true)
	mux := http.NewServeMux()
	mux.Handle(api.MCPPath, s.counted(s.admitted(s.tcp).ServeHTTP))
	s.tcpHTTP = &http.Server{
		Handler: mux, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return s.ctx }, ConnContext: access.ConnContext,
		ErrorLog:                     slog.NewLogLogger(s.o.Logger.Handler(), slog.LevelWarn),
		DisableGeneralOptionsHandler: true,
	}
	s.wg.Go(func() {
		if err := s.tcpHTTP.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.o.Logger.Error("MCP is not served any more", "address", l.Addr().String(), "error", err)
		}
	})
}

// admitted limits the rate of calls over TCP like that of the API: any process and any
// web page on this machine can reach the address.
func (s *Server) admitted(next http.Handler) http.Handler {
	var rates access.Rates
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		_, err := s.caller(r.Context(), "", strings.TrimSpace(token))
		if limit := rates.Admit(w.Header(), err == nil, s.o.Config().API.Rate, time.Now()); limit != nil {
			access.Dismiss(w)
			http.Error(w, limit.Message, limit.Code.Status())
			return
		}
		if err != nil {
			access.Dismiss(w)
		} else if other := access.OtherUser(r.Context()); other != nil {
			s.o.Callers.Refused(api.Origin{}, r.Method+" "+api.MCPPath, other.Message)
			access.Dismiss(w)
			http.Error(w, other.Message, other.Code.Status())
			return
		} else if full := access.Authenticated(r.Context()); full != nil {
			access.Dismiss(w)
			http.Error(w, full.Message, full.Code.Status())
			return
		}
		next.ServeHTTP(w, r)
	})
}

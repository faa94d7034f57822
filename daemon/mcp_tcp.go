package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/daemon/httpapi"
)

// listen opens the loopback address, if one is configured. That it can't be
// opened is an event, not the end of the daemon.
func (t *tools) listen() {
	address := t.d.config.Load().MCP.Listen
	if address == "" {
		return
	}
	l, err := net.Listen("tcp", address)
	if err == nil && !isLoopback(l.Addr()) {
		l.Close()
		err = fmt.Errorf("%s is no loopback address", l.Addr())
	}
	if err != nil {
		t.d.note(api.EventConfigError, fmt.Sprintf("mcp.listen: %v: MCP is not served there", err))
		return
	}
	t.tcp = t.server.HTTP(t.byToken, true)
	mux := http.NewServeMux()
	mux.Handle(api.MCPPath, t.counted(t.admitted(t.tcp).ServeHTTP))
	t.tcpHTTP = &http.Server{
		Handler: mux, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return t.ctx }, ConnContext: httpapi.ConnContext,
		ErrorLog:                     slog.NewLogLogger(t.d.log.Handler(), slog.LevelWarn),
		DisableGeneralOptionsHandler: true,
	}
	t.wg.Go(func() {
		err := t.tcpHTTP.Serve(newTCPListener(l, maxTCP, t.d.log))
		if !errors.Is(err, http.ErrServerClosed) {
			t.d.log.Error("MCP is not served any more", "address", address, "error", err)
		}
	})
	t.d.log.Info("MCP is served", "address", l.Addr().String())
}

// admitted bounds calls over TCP, as those of the API are: any process and any web
// page of this machine can reach the address.
func (t *tools) admitted(next http.Handler) http.Handler {
	var rates httpapi.Rates
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		_, err := t.caller(r.Context(), "", strings.TrimSpace(token))
		if limit := rates.Admit(w.Header(), err == nil, t.d.config.Load().API.Rate, time.Now()); limit != nil {
			httpapi.Dismiss(w)
			http.Error(w, limit.Message, limit.Code.Status())
			return
		}
		if err != nil {
			httpapi.Dismiss(w)
		} else if other := httpapi.OtherUser(r.Context()); other != nil {
			t.d.callers.Refused(api.Origin{}, r.Method+" "+api.MCPPath, other.Message)
			httpapi.Dismiss(w)
			http.Error(w, other.Message, other.Code.Status())
			return
		}
		next.ServeHTTP(w, r)
	})
}

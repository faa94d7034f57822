package httpapi

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"

	"ccdir/internal/api"
)

// Limits of bodies, in bytes.
const (
	maxBody = 1 << 20
	// maxNew: an environment may be 2 MiB on Linux, a prompt 1 MiB.
	maxNew = 4 << 20
	// maxInput: a paste, or bytes in base64.
	maxInput = 24 << 20
)

// server has the handlers.
type server struct {
	Deps
	log *slog.Logger
}

// New returns the API's handler.
func New(d Deps) http.Handler {
	s := &server{Deps: d, log: d.Logger}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	mux := http.NewServeMux()
	handle := func(pattern string, h func(http.ResponseWriter, *http.Request) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := h(w, r); err != nil {
				s.fail(w, r, err)
			}
		})
	}
	handle("GET /v1/health", s.health)
	handle("GET /v1/sessions", s.list)
	handle("POST /v1/sessions", s.create)
	handle("GET /v1/sessions/{ref}", s.get)
	handle("DELETE /v1/sessions/{ref}", s.remove)
	handle("GET /v1/sessions/{ref}/explain", s.explain)
	handle("GET /v1/sessions/{ref}/host", s.host)
	handle("GET /v1/sessions/{ref}/process", s.process)
	handle("POST /v1/sessions/{ref}/input", s.input)
	handle("POST /v1/sessions/{ref}/input/raw", s.rawInput)
	handle("POST /v1/sessions/{ref}/resize", s.resize)
	handle("POST /v1/sessions/{ref}/kill", s.kill)
	handle("POST /v1/sessions/{ref}/restart", s.restart)
	handle("POST /v1/sessions/{ref}/rename", s.rename)
	handle("POST /v1/sessions/{ref}/focus", s.focus)
	handle("POST /v1/sessions/{ref}/seen", s.seen)
	handle("GET /v1/sessions/{ref}/buffer", s.buffer)
	handle("GET /v1/sessions/{ref}/wait", s.wait)
	handle("GET /v1/approvals", s.approvals)
	handle("POST /v1/approvals/{ref}/approve", s.approve)
	handle("POST /v1/approvals/{ref}/deny", s.deny)
	s.taskRoutes(handle)
	handle("GET /v1/decisions", s.decisions)
	handle("GET /v1/decisions/verify", s.verifyDecisions)
	handle("GET /v1/sessions/{ref}/policy", s.sessionPolicy)
	handle("POST /v1/sessions/{ref}/role", s.setRole)
	handle("POST /v1/sessions/{ref}/override", s.setOverride)
	handle("DELETE /v1/sessions/{ref}/rules", s.revokeRule)
	handle("POST /v1/rules", s.newRule)
	handle("GET /v1/events", s.events)
	handle("GET /v1/events/stream", s.eventStream)
	handle("GET /v1/watch", s.watch)
	handle("POST /v1/shutdown", s.shutdown)
	handle("GET /v1/agents", s.agents)
	handle("GET /v1/directories", s.directories)
	handle("GET /v1/grid", s.getGrid)
	handle("PUT /v1/grid", s.putGrid)
	handle("GET /v1/config", s.config)
	handle("/", func(_ http.ResponseWriter, r *http.Request) error {
		return api.Errorf(api.CodeNotFound, "the daemon has no %s %.200q: it may be older than this ccdir (`ccdir daemon restart`)", r.Method, r.URL.Path)
	})
	handle("GET /v1/messages", s.messages)
	handle("POST /v1/messages", s.sendMessage)
	handle("POST /v1/messages/ack", s.ackMessages)
	mux.Handle("POST /v1/hook", d.Hook)
	if d.MCP != nil {
		mux.Handle(api.MCPPath, d.MCP)
	}
	return s.contain(mux)
}

// contain makes a panic cost one call.
func (s *server) contain(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(p)
			}
			s.log.Error("panic in a call", "method", r.Method, "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
			s.fail(w, r, api.Errorf(api.CodeInternal, "the daemon failed in this call: its log says why"))
		}()
		next.ServeHTTP(w, r)
	})
}

// fail answers with an error.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // nobody listens
	}
	var known *api.Error
	if !errors.As(err, &known) {
		s.log.Error("a call failed", "method", r.Method, "path", r.URL.Path, "error", err)
		known = api.Errorf(api.CodeInternal, "%s", err.Error())
	}
	answer(w, known.Code.Status(), known)
}

// answer writes JSON.
func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client is gone if this fails
}

// ok answers with v, or passes the error on.
func ok(w http.ResponseWriter, v any, err error) error {
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, v)
	return nil
}

// done answers a call that has no result.
func done(w http.ResponseWriter, err error) error {
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// body decodes a JSON body of at most limit bytes; an empty one leaves v.
func body(w http.ResponseWriter, r *http.Request, limit int64, v any) error {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return api.Errorf(api.CodeTooLarge, "the request is larger than %d bytes", limit)
	case err != nil:
		return api.Errorf(api.CodeInvalid, "the request did not arrive whole")
	case len(data) == 0:
		return nil
	}
	if err := json.Unmarshal(data, v); err != nil {
		return api.Errorf(api.CodeInvalid, "the request is not the JSON expected: %v", err)
	}
	return nil
}

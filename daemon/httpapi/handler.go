package httpapi

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"

	"ccdir/api"
	"ccdir/api/hint"
	"ccdir/daemon/httpapi/access"
	"ccdir/daemon/httpapi/websock"
	"ccdir/internal/once"
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
	// records are the idempotency records of calls in flight.
	records *records
	// turns are the versions for which a call in flight is meant (route.alone).
	turns once.Flight[string]
	// root is the whole chain: the control socket calls it, too.
	root http.Handler
}

// New returns the API's handler. Calls of the control socket go through the same chain of
// handlers as HTTP calls.
func New(d Deps) http.Handler {
	s := &server{Deps: d, log: d.Logger, records: newRecords()}
	if s.Pause == nil {
		s.Pause = func(string) {}
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.root = s.contain(access.AskedOnce(s.patient(s.plain(s.mux()))))
	return s.root
}

// contain turns a panic into a failure of its call.
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
	if errors.Is(err, websock.ErrAnswered) {
		return
	}
	var known *api.Error
	switch {
	case errors.As(err, &known):
	case r.Context().Err() != nil:
		s.leave(w)
		return
	default:
		s.log.Error("a call failed", "method", r.Method, "path", r.URL.Path, "error", err)
		known = api.Errorf(api.CodeInternal, "%s%s", err.Error(), hint.Of(err))
	}
	answer(w, known.Code.Status(), known)
}

// leave answers a call whose context has ended: the caller hung up and does not read the
// answer, or the daemon is stopping. Without an answer net/http would send 200.
func (s *server) leave(w http.ResponseWriter) {
	if _, control := w.(*answerWriter); control {
		return // it was cancelled; result says so
	}
	w.Header().Set("Connection", "close")
	e := api.Errorf(api.CodeUnavailable, "the daemon is stopping: whether the call was carried out is not known")
	answer(w, e.Code.Status(), e)
}

// answer sends JSON.
func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client is gone if this fails
}

// ok sends v unless there is an error.
func ok(w http.ResponseWriter, v any, err error) error {
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, v)
	return nil
}

// done answers a call without a result, unless there is an error.
func done(w http.ResponseWriter, err error) error {
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

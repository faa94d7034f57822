package httpapi

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"ccdir/api"
)

// defaultBodyWait is the default of Deps.BodyWait.
const defaultBodyWait = 30 * time.Second

// patient bounds the wait for the next part of a body, so that a silent caller does not
// hold a connection for ever.
func (s *server) patient(next http.Handler) http.Handler {
	wait := s.BodyWait
	if wait <= 0 {
		wait = defaultBodyWait
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.ContentLength != 0 {
			r = r.WithContext(r.Context()) // a copy: the server keeps using its own request's body
			r.Body = &patientBody{ReadCloser: r.Body, rc: http.NewResponseController(w), wait: wait}
		}
		next.ServeHTTP(w, r)
	})
}

// patientBody is a body whose reads have a deadline each.
type patientBody struct {
	io.ReadCloser
	rc   *http.ResponseController
	wait time.Duration
}

// Read implements io.Reader. A call of the control socket has no deadlines and needs none:
// its body is complete.
func (b *patientBody) Read(p []byte) (int, error) {
	_ = b.rc.SetReadDeadline(time.Now().Add(b.wait))
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		// The server goes on reading, to notice that the caller hangs up.
		_ = b.rc.SetReadDeadline(time.Time{})
	}
	return n, err
}

// unread returns the error for a body that did not arrive completely.
func unread(w http.ResponseWriter, err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		w.Header().Set("Connection", "close")
		return api.Errorf(api.CodeTimeout, "the rest of the request did not come")
	}
	return api.Errorf(api.CodeInvalid, "the request did not arrive whole")
}

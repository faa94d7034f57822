package sessions

import (
	"context"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/wire"
)

// maxRequest bounds NewSession.Request, in bytes.
const maxRequest = 128

// CreateOnce is Create with an idempotency key: of the calls with the same Request (unless
// it is "") the first starts a session, and the others return that session and known true,
// as long as it exists. Later daemons know the key too: it is written to session.json
// before the process starts.
func (r *Registry) CreateOnce(ctx context.Context, n api.NewSession) (v api.Session, known bool, err error) {
	if n.Request == "" {
		v, err = r.Create(ctx, n)
		return v, false, err
	}
	if len(n.Request) > maxRequest || strings.ContainsFunc(n.Request, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return v, false, api.Errorf(api.CodeInvalid, "request must be 1 to %d printable ASCII characters without blanks", maxRequest)
	}
	leave, err := r.requests.Enter(ctx, n.Request)
	if err != nil {
		return v, false, err
	}
	defer leave()
	if v, known, err = r.OfRequest(ctx, n.Request); known {
		return v, true, err
	}
	v, err = r.Create(ctx, n)
	return v, false, err
}

// launchOf returns the id of a start (api.Session.Launch): each has a host of its own.
func launchOf(hf wire.HostFile) string {
	if hf.PID == 0 {
		return ""
	}
	return strconv.Itoa(hf.PID) + "/" + hf.Start
}

// Version returns api.Session.Version of a session. Unlike Get it does not wait for the
// last change to be saved, so that a session can be ended while the disk is full.
func (r *Registry) Version(ctx context.Context, ref string) (version string, err error) {
	s, err := r.find(ref)
	if err != nil {
		return "", err
	}
	err = s.do(ctx, func() { version = s.cur.Version() })
	return version, err
}

// OfRequest returns the session that was made for a request.
func (r *Registry) OfRequest(ctx context.Context, request string) (v api.Session, known bool, err error) {
	for _, s := range r.all() {
		if s.spec.Request == request {
			v, err = s.value(ctx)
			return v, true, err
		}
	}
	return v, false, nil
}

package sessions

import (
	"context"
	"strings"

	"ccdir/internal/api"
)

// maxRequest bounds NewSession.Request, in bytes.
const maxRequest = 128

// CreateOnce is Create for callers that may repeat themselves: of calls with the
// same Request (unless it is "") the first starts a session, and the others
// return it with known true for as long as it is there, also from a later
// daemon: the request is written to session.json before the process is started.
func (r *Registry) CreateOnce(ctx context.Context, n api.NewSession) (v api.Session, known bool, err error) {
	if n.Request == "" {
		v, err = r.Create(ctx, n)
		return v, false, err
	}
	if len(n.Request) > maxRequest || strings.ContainsFunc(n.Request, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return v, false, api.Errorf(api.CodeInvalid, "request must be 1 to %d printable ASCII characters without blanks", maxRequest)
	}
	done, err := r.ask(ctx, n.Request)
	if err != nil {
		return v, false, err
	}
	defer done()
	for _, s := range r.all() {
		if s.spec.Request == n.Request {
			v, err = s.value(ctx)
			return v, true, err
		}
	}
	v, err = r.Create(ctx, n)
	return v, false, err
}

// ask waits until nobody else makes the session of a request. The caller calls
// done.
func (r *Registry) ask(ctx context.Context, request string) (done func(), err error) {
	for {
		r.mu.Lock()
		busy, taken := r.asking[request]
		if !taken {
			mine := make(chan struct{})
			if r.asking == nil {
				r.asking = map[string]chan struct{}{}
			}
			r.asking[request] = mine
			r.mu.Unlock()
			return func() {
				r.mu.Lock()
				delete(r.asking, request)
				r.mu.Unlock()
				close(mine)
			}, nil
		}
		r.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

package access

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"ccdir/api"
)

const (
	// unauthenticatedPerMinute bounds the calls without a good token that are processed.
	unauthenticatedPerMinute = 60
	// burst is the size of the bucket, in seconds of the rate.
	burst = 2
	// dismissed bounds how long a refused caller may go on sending its body.
	dismissed = time.Second
)

// Rates limits the rate of calls over TCP, separately for callers with a good token and
// without one, so that the latter do not delay the former. The zero value is ready; safe
// for concurrent use.
type Rates struct {
	mu sync.Mutex // guards both
	// Limiters of calls without a good token and with one; nil before the first.
	unauthenticated, authenticated *rate.Limiter
}

// Admit counts a call with or without a good token; perSecond is the rate of the former.
// On an error it sets Retry-After in h.
func (l *Rates) Admit(h http.Header, good bool, perSecond int, now time.Time) *api.Error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !good {
		if l.unauthenticated == nil {
			l.unauthenticated = rate.NewLimiter(unauthenticatedPerMinute/60.0, unauthenticatedPerMinute)
		}
		if !l.unauthenticated.AllowN(now, 1) {
			h.Set("Retry-After", "60")
			return api.Errorf(api.CodeLimit, "too many calls without a good token: wait a minute")
		}
		return nil
	}
	if l.authenticated == nil || l.authenticated.Burst() != burst*perSecond { // api.rate was changed
		l.authenticated = rate.NewLimiter(rate.Limit(perSecond), burst*perSecond)
	}
	if !l.authenticated.AllowN(now, 1) {
		h.Set("Retry-After", "1")
		return api.Errorf(api.CodeLimit, "more than %s calls a second (api.rate): slow down, or use the control socket or a stream", strconv.Itoa(perSecond))
	}
	return nil
}

// Dismiss closes the connection of a refused call after the answer, and soon if the caller
// goes on sending, because the number of connections is bounded.
func Dismiss(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(dismissed)) // of what is left of the body
}

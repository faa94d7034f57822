package httpapi

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"ccdir/api"
)

const (
	// strangersPerMinute bounds the calls without a good token that are looked at.
	strangersPerMinute = 60
	// burst is how many seconds' worth of calls may come at once.
	burst = 2
	// dismissed is how long a caller that was refused may take to be done.
	dismissed = time.Second
)

// Rates bounds calls over TCP. Who has a token is not held up by those that have
// not. The zero value is ready; its methods may be called at the same time.
type Rates struct {
	mu sync.Mutex // guards both
	// Limiters of calls without a good token and with one; nil before the first.
	strangers, friends *rate.Limiter
}

// Admit counts a call, with a good token or without one; at most perSecond a second of
// the former. Its error says what to do, and h when to come again.
func (l *Rates) Admit(h http.Header, good bool, perSecond int, now time.Time) *api.Error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !good {
		if l.strangers == nil {
			l.strangers = rate.NewLimiter(strangersPerMinute/60.0, strangersPerMinute)
		}
		if !l.strangers.AllowN(now, 1) {
			h.Set("Retry-After", "60")
			return api.Errorf(api.CodeLimit, "too many calls without a good token: wait a minute")
		}
		return nil
	}
	if l.friends == nil || l.friends.Burst() != burst*perSecond { // api.rate was changed
		l.friends = rate.NewLimiter(rate.Limit(perSecond), burst*perSecond)
	}
	if !l.friends.AllowN(now, 1) {
		h.Set("Retry-After", "1")
		return api.Errorf(api.CodeLimit, "more than %s calls a second (api.rate): slow down, or use the control socket or a stream", strconv.Itoa(perSecond))
	}
	return nil
}

// Dismiss has the connection of a call that was refused end with the answer, soon,
// whatever the caller does: there are few connections, and strangers must not hold
// them.
func Dismiss(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(dismissed)) // of what is left of the body
}

// Package ratelimit bounds how often something is reported.
//
// Contract: nothing here reads a clock or blocks. The caller passes the time, and
// decides what becomes of a report that is held back.
package ratelimit

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Reports bounds the records of an event that may occur in a loop: Burst at once,
// then one per second. It counts the others. The zero value is ready, and safe for
// concurrent use.
type Reports struct {
	mu      sync.Mutex    // guards both
	limiter *rate.Limiter // nil before the first report
	held    int           // reports held back since the last one that passed
}

// Burst is how many reports may pass at once.
const Burst = 20

// Next reports whether one passes now, and how many were held back before it.
func (r *Reports) Next(now time.Time) (held int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.limiter == nil {
		r.limiter = rate.NewLimiter(1, Burst)
	}
	if !r.limiter.AllowN(now, 1) {
		r.held++
		return 0, false
	}
	held, r.held = r.held, 0
	return held, true
}

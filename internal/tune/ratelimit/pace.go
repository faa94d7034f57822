// Package ratelimit holds back what comes too often.
//
// Contract: nothing here reads a clock or waits. Whoever calls says what time it is,
// and decides what becomes of what is held back. A clock that goes backwards gives
// nothing back and takes nothing away.
package ratelimit

import (
	"sync"
	"time"
)

// Bucket is a token bucket; the zero value is full. It is not safe for concurrent
// use.
type Bucket struct {
	used float64 // how much is missing
	at   time.Time
}

// Take takes one if there is one: rate a second come back, up to size.
func (b *Bucket) Take(now time.Time, rate, size float64) bool {
	if passed := now.Sub(b.at).Seconds(); passed > 0 {
		b.used = max(b.used-passed*rate, 0)
	}
	b.at = now
	if b.used+1 > size {
		return false
	}
	b.used++
	return true
}

// Reports lets through what is to be recorded of something that may happen in a loop:
// Burst at once, then one a second. It counts the rest. The zero value is ready, and
// safe for concurrent use.
type Reports struct {
	mu     sync.Mutex // guards both
	bucket Bucket
	held   int
}

// Burst is how many reports may come at once.
const Burst = 20

// Next reports whether one passes now, and how many were held back before it.
func (r *Reports) Next(now time.Time) (held int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.bucket.Take(now, 1, Burst) {
		r.held++
		return 0, false
	}
	held, r.held = r.held, 0
	return held, true
}

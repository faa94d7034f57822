package timer

import (
	"sync"
	"time"
)

// Ticker ticks at equal intervals.
type Ticker struct {
	// C receives the time of a tick; it buffers one.
	C <-chan time.Time

	every time.Duration
	ticks chan time.Time
	plain *time.Ticker // used when the clock is nil

	mu      sync.Mutex // guards the fields below
	alarm   *Alarm
	stopped bool
}

// NewTicker returns a ticker whose first tick comes after every, which is above 0. The
// caller stops it.
func (c *Clock) NewTicker(every time.Duration) *Ticker {
	if c == nil {
		plain := time.NewTicker(every)
		return &Ticker{C: plain.C, plain: plain}
	}
	ticks := make(chan time.Time, 1)
	t := &Ticker{C: ticks, every: every, ticks: ticks}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.alarm = c.AfterFunc(every, t.tick)
	return t
}

// tick runs on the clock's goroutine.
func (t *Ticker) tick() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return
	}
	now := time.Now()
	select {
	case t.ticks <- now:
	default:
	}
	late := now.Sub(t.alarm.at) // after SIGSTOP, for instance
	t.alarm.set(now.Add(t.every - late%t.every))
}

// Stop ends the ticks. An earlier one may still be in C.
func (t *Ticker) Stop() {
	if t.plain != nil {
		t.plain.Stop()
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	t.alarm.Stop()
}

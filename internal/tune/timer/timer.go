// Package timer waits for seconds to hours in a process that is at rest, without more
// wake-ups than the one that is due.
//
// A timer of the Go runtime that is d away fires up to d/1000 late on Linux: an idle
// runtime waits in epoll_wait, whose timeouts the kernel delays by that much
// (select_estimate_accuracy in fs/select.c). Meanwhile the runtime's monitor sees a timer
// that is due and polls every 20 to 80 µs: some sixty wake-ups for a wait of ten seconds
// (Go 1.26, Linux 6; `perf trace` shows them). A Clock waits with a timerfd instead, which
// fires on time and which the monitor does not see. On other systems it waits with a
// runtime timer.
//
// Contract: alarms fire in the order of their times, and never before their time. A tick
// that is not received is dropped when the next one comes; nothing else is lost. The time
// is that of the monotonic clock, as in the runtime.
package timer

import (
	"container/heap"
	"sync"
	"time"

	"ccdir/internal/contain"
)

// Clock fires alarms. Make one with New, end it with Close. A nil *Clock is ready and
// uses the runtime's timers, for tests with fake time (testing/synctest).
type Clock struct {
	wake  waker
	ended chan struct{} // closed when its goroutine has ended

	mu      sync.Mutex // guards the fields below, and wake.set
	pending queue
	closed  bool
}

// waker lets the goroutine of a Clock wait.
type waker interface {
	// set ends one wait after d, which is above 0; it replaces an earlier set.
	set(d time.Duration)
	// wait blocks until that time, or returns false after close. It may return early.
	wait() bool
	close()
}

// New returns a clock.
func New() *Clock {
	c := &Clock{wake: newWaker(), ended: make(chan struct{})}
	contain.Go(nil, c.run)
	return c
}

// Close ends the clock and waits for the call in progress. Pending and later alarms do
// not fire.
func (c *Clock) Close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	for len(c.pending) > 0 {
		heap.Pop(&c.pending)
	}
	if !c.closed {
		c.closed = true
		c.wake.close()
	}
	c.mu.Unlock()
	<-c.ended
}

// run calls the alarms that are due, until the clock is closed.
func (c *Clock) run() {
	defer close(c.ended)
	for c.wake.wait() {
		for a := c.due(); a != nil; a = c.due() {
			contain.Run(nil, a.call)
		}
	}
}

// due takes an alarm whose time has come; if there is none, it sets the wake-up for the
// next one and returns nil.
func (c *Clock) due() *Alarm {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) == 0 {
		return nil
	}
	if left := time.Until(c.pending[0].at); left > 0 {
		c.wake.set(left)
		return nil
	}
	return heap.Pop(&c.pending).(*Alarm)
}

// Alarm is a call at some time.
type Alarm struct {
	clock *Clock
	call  func()
	timer *time.Timer // used when the clock is nil
	at    time.Time
	index int // in clock.pending; gone if not pending
}

// gone is the index of an Alarm that is not pending.
const gone = -1

// AfterFunc calls f after d, once. f must not block, nor close the clock: all alarms
// share one goroutine.
func (c *Clock) AfterFunc(d time.Duration, f func()) *Alarm {
	if c == nil {
		return &Alarm{timer: time.AfterFunc(d, f)}
	}
	a := &Alarm{clock: c, call: f, index: gone}
	a.set(time.Now().Add(d))
	return a
}

// set makes an alarm that is not pending due at a time.
func (a *Alarm) set(at time.Time) {
	c := a.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	a.at = at
	heap.Push(&c.pending, a)
	if a.index == 0 {
		c.wake.set(max(time.Until(at), 1))
	}
}

// Stop cancels the alarm. It reports whether it was pending; if not, the call may be in
// progress.
func (a *Alarm) Stop() bool {
	if a.clock == nil {
		return a.timer.Stop()
	}
	a.clock.mu.Lock()
	defer a.clock.mu.Unlock()
	if a.index == gone {
		return false
	}
	heap.Remove(&a.clock.pending, a.index)
	return true // the wake-up fires for nothing: setting it anew costs as much
}

// queue is a heap of alarms, the next one first.
type queue []*Alarm

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].at.Before(q[j].at) }

func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *queue) Push(x any) {
	a := x.(*Alarm)
	a.index = len(*q)
	*q = append(*q, a)
}

func (q *queue) Pop() any {
	last := len(*q) - 1
	a := (*q)[last]
	(*q)[last] = nil
	*q, a.index = (*q)[:last], gone
	return a
}

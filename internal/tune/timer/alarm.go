// Package timer waits for seconds to hours in a process that is at rest, without more
// wake-ups than the one that is due.
//
// A timer of the Go runtime that is d away ends up to d/1000 late on Linux: an idle
// runtime waits in epoll_wait, whose timeouts the kernel puts off by that much
// (select_estimate_accuracy in fs/select.c). Meanwhile the runtime's monitor knows of a
// timer that is due and looks after it every 20 to 80 µs: some sixty wake-ups for a wait
// of ten seconds (Go 1.26, Linux 6; `perf trace` shows them). A Clock waits by a timerfd
// instead, which ends when it is due and of which the monitor knows nothing. Elsewhere it
// waits by one of the runtime's timers.
//
// Contract: what is asked for comes when its time has come and never before, in the order
// of the times. A tick that nobody took is lost with the next one; nothing else is. The
// time is the monotonic clock's, as the runtime's.
package timer

import (
	"container/heap"
	"sync"
	"time"
)

// Clock sets off alarms. Make one with New, end it with Close. A nil *Clock is ready and
// has the runtime's timers, which tests need that have a time of their own
// (testing/synctest).
type Clock struct {
	wake  waker
	ended chan struct{} // closed when its goroutine has ended

	mu      sync.Mutex // guards what follows, and wake.set
	pending queue
	closed  bool
}

// waker lets the goroutine of a Clock wait.
type waker interface {
	// set ends one wait in d, which is above 0; what was set before is forgotten.
	set(d time.Duration)
	// wait blocks until then, or longer, and reports false after close. It may end
	// before its time.
	wait() bool
	close()
}

// New returns a clock.
func New() *Clock {
	c := &Clock{wake: newWaker(), ended: make(chan struct{})}
	go c.run()
	return c
}

// Close ends the clock and waits for the call under way. What is pending, or asked for
// later, doesn't happen.
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

// run makes the calls that are due, until the clock is closed.
func (c *Clock) run() {
	defer close(c.ended)
	for c.wake.wait() {
		for a := c.due(); a != nil; a = c.due() {
			a.call()
		}
	}
}

// due takes an alarm whose time has come, nil if there is none: the goroutine is woken
// for the next one then.
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

// Alarm is a call that is due at some time.
type Alarm struct {
	clock *Clock
	call  func()
	timer *time.Timer // of a nil clock
	at    time.Time
	index int // in clock.pending; gone if it isn't there
}

// gone is the index of an Alarm that isn't pending.
const gone = -1

// AfterFunc calls f in d, once. f must not block, nor close the clock: all alarms wait
// for it.
func (c *Clock) AfterFunc(d time.Duration, f func()) *Alarm {
	if c == nil {
		return &Alarm{timer: time.AfterFunc(d, f)}
	}
	a := &Alarm{clock: c, call: f, index: gone}
	a.set(time.Now().Add(d))
	return a
}

// set makes an alarm that isn't pending due at that time.
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

// Stop takes the alarm back. It reports whether it was pending; if it wasn't, the call
// may be under way.
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
	return true // a wait for it ends once, for nothing: setting it anew costs as much
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

// Package mailbox is the way to an actor: a goroutine that owns values and runs functions from a
// bounded mailbox one after another. A full mailbox blocks its senders.
//
//	Post    nothing is waited for: fn runs later
//	Do      fn has run
//	Await   a condition holds, which the actor calls after every function
//
// The actor's goroutine takes functions from Mail, runs them, and then calls Wake; it calls Close
// when it returns.
package mailbox

import (
	"context"
	"sync"

	"ccdir/api"
)

// Mailbox is the mailbox of one actor. Make it with New.
type Mailbox struct {
	// Mail gives the actor its functions.
	Mail chan func()

	ctx     context.Context
	gone    func() error
	done    chan struct{} // closed when the actor has returned
	waiters []*Waiter     // owned by the actor
}

// New makes a mailbox for at most size functions. ctx ends with the actor; gone is the error of
// calls after that.
func New(ctx context.Context, size int, gone func() error) *Mailbox {
	return &Mailbox{Mail: make(chan func(), size), ctx: ctx, gone: gone, done: make(chan struct{})}
}

// Close says that the actor has returned.
func (m *Mailbox) Close() { close(m.done) }

// Done is closed when the actor has returned.
func (m *Mailbox) Done() <-chan struct{} { return m.done }

// Post puts fn into the mailbox; it blocks while the mailbox is full. If the actor is gone, fn is
// dropped.
func (m *Mailbox) Post(fn func()) {
	select {
	case m.Mail <- fn:
	case <-m.ctx.Done():
	}
}

// job is a function passed to the actor. mu is held while fn runs, so that a caller that
// gives up knows whether it ran; once the caller has given up, it never runs.
type job struct {
	mu   sync.Mutex
	fn   func()
	gone bool // the caller gave up
	ran  bool // fn returned
	done chan struct{}
}

// run runs the job in the actor.
func (j *job) run() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.gone {
		return
	}
	defer close(j.done)
	j.fn()
	j.ran = true
}

// outcome ends the job and returns nil if fn ran, else otherwise.
func (j *job) outcome(otherwise error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.gone = true
	if j.ran {
		return nil
	}
	return otherwise
}

// errPanic is the error of a call whose job panicked.
var errPanic = api.Errorf(api.CodeInternal, "the daemon failed in this call: its log says why")

// Do runs fn in the actor and waits for it. On an error fn has not run and never will, or
// it panicked.
func (m *Mailbox) Do(ctx context.Context, fn func()) error {
	j := &job{fn: fn, done: make(chan struct{})}
	select {
	case m.Mail <- j.run:
	case <-m.ctx.Done():
		return m.gone()
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-j.done:
		return j.outcome(errPanic)
	case <-m.done:
		return j.outcome(m.gone())
	case <-ctx.Done():
		return j.outcome(ctx.Err())
	}
}

// Wake releases the waiters whose conditions hold; in the actor.
func (m *Mailbox) Wake() {
	kept := m.waiters[:0]
	for _, w := range m.waiters {
		if !w.over() {
			kept = append(kept, w)
		}
	}
	clear(m.waiters[len(kept):])
	m.waiters = kept
}

// Await blocks until cond holds. The actor calls cond, and not after Await has returned.
func (m *Mailbox) Await(ctx context.Context, cond func() bool) error {
	var w *Waiter
	if err := m.Do(ctx, func() { w = m.Expect(cond) }); err != nil {
		return err
	}
	return m.WaitFor(ctx, w)
}

// Expect makes a waiter, which somebody passes to WaitFor; in the actor.
func (m *Mailbox) Expect(cond func() bool) *Waiter {
	w := &Waiter{cond: cond, met: make(chan struct{})}
	m.waiters = append(m.waiters, w)
	return w
}

// WaitFor blocks until the condition of a waiter holds.
func (m *Mailbox) WaitFor(ctx context.Context, w *Waiter) error {
	select {
	case <-w.met:
		return nil
	case <-m.done:
		return w.giveUp(m.gone())
	case <-ctx.Done():
		return w.giveUp(ctx.Err())
	}
}

// Waiter is one call of WaitFor.
type Waiter struct {
	mu   sync.Mutex // held while cond runs
	cond func() bool
	gone bool // WaitFor has returned or given up
	met  chan struct{}
}

// over reports whether the waiter is done: its condition holds, or its caller gave up. In
// the actor.
func (w *Waiter) over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.gone && w.cond() {
		w.gone = true
		close(w.met)
	}
	return w.gone
}

// giveUp ends the wait; it returns nil if the condition held after all.
func (w *Waiter) giveUp(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gone {
		return nil
	}
	w.gone = true
	return err
}

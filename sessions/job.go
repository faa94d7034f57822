package sessions

import (
	"context"
	"sync"

	"ccdir/api"
)

// post puts fn into the mailbox, waiting while it is full. It is dropped if the
// session is gone.
func (s *session) post(fn func()) {
	select {
	case s.mail <- fn:
	case <-s.ctx.Done():
	}
}

// job is a function handed to the actor. Its lock is held while it runs, so that
// a caller that gives up knows whether it ran: afterwards it does not any more.
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

// outcome is what came of the job, and ends it.
func (j *job) outcome(otherwise error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.gone = true
	if j.ran {
		return nil
	}
	return otherwise
}

// errPanic is the answer to a call whose job panicked.
var errPanic = api.Errorf(api.CodeInternal, "the daemon failed in this call: its log says why")

// do runs fn in the actor and waits for it. If it returns an error, fn was not
// run and will not be (or panicked).
func (s *session) do(ctx context.Context, fn func()) error {
	j := &job{fn: fn, done: make(chan struct{})}
	select {
	case s.mail <- j.run:
	case <-s.ctx.Done():
		return s.gone()
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-j.done:
		return j.outcome(errPanic)
	case <-s.done:
		return j.outcome(s.gone())
	case <-ctx.Done():
		return j.outcome(ctx.Err())
	}
}

// commit runs fn in the actor and returns once everybody can see what it published:
// the channel that it returns, nil for nothing. If fn fails, its error is returned.
func (s *session) commit(ctx context.Context, fn func() (<-chan error, error)) error {
	var committed <-chan error
	var failed error
	if err := s.do(ctx, func() { committed, failed = fn() }); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	return wait(ctx, committed)
}

// wait is for the journal's answer. That a change could not be saved is no
// failure of the call: it is in force and shown, and the journal, which logs
// it, tries again.
func wait(ctx context.Context, committed <-chan error) error {
	if committed == nil {
		return nil
	}
	select {
	case <-committed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// wake releases the waiters whose condition holds.
func (s *session) wake() {
	kept := s.waiters[:0]
	for _, w := range s.waiters {
		if !w.over() {
			kept = append(kept, w)
		}
	}
	clear(s.waiters[len(kept):])
	s.waiters = kept
}

// await blocks until cond, called in the actor, holds. cond is not called any
// more when await has returned.
func (s *session) await(ctx context.Context, cond func() bool) error {
	w := &waiter{cond: cond, met: make(chan struct{})}
	if err := s.do(ctx, func() { s.waiters = append(s.waiters, w) }); err != nil {
		return err
	}
	select {
	case <-w.met:
		return nil
	case <-s.done:
		return w.giveUp(s.gone())
	case <-ctx.Done():
		return w.giveUp(ctx.Err())
	}
}

// waiter waits for a condition.
type waiter struct {
	mu   sync.Mutex // held while cond runs
	cond func() bool
	gone bool // nobody waits any more
	met  chan struct{}
}

// over reports, in the actor, whether the waiter can be forgotten: its
// condition holds, or nobody waits.
func (w *waiter) over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.gone && w.cond() {
		w.gone = true
		close(w.met)
	}
	return w.gone
}

// giveUp ends the waiting; nil if the condition was met after all.
func (w *waiter) giveUp(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gone {
		return nil
	}
	w.gone = true
	return err
}

// gone says why the actor does not answer.
func (s *session) gone() error {
	if s.r.ctx.Err() != nil {
		return errClosing
	}
	return api.Errorf(api.CodeNotFound, "session %s was removed: `ccdir history` tells what is kept of it", s.id)
}

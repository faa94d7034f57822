package sessions

import (
	"context"
	"sync"

	"ccdir/api"
	"ccdir/api/hint"
)

// Ways to the actor, and what their callers wait for:
//
//	post    nothing: fn runs later
//	do      fn has run
//	commit  what fn published is visible
//	change  it is saved
//	await   a condition holds

// post puts fn into the mailbox; it blocks while the mailbox is full. If the session is
// gone, fn is dropped.
func (s *session) post(fn func()) {
	select {
	case s.mail <- fn:
	case <-s.ctx.Done():
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

// do runs fn in the actor and waits for it. On an error fn has not run and never will, or
// it panicked.
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

// commit runs fn in the actor and waits until what it published is visible to everybody:
// the channel that fn returns, nil for nothing. It returns fn's error, if any.
func (s *session) commit(ctx context.Context, fn func() (<-chan error, error)) error {
	_, err := s.commitSaved(ctx, fn)
	return err
}

// change is commit for calls whose change must not be lost: it fails if the change could
// not be saved.
func (s *session) change(ctx context.Context, fn func() (<-chan error, error)) error {
	unsaved, err := s.commitSaved(ctx, fn)
	if err != nil {
		return err
	}
	return inForce(unsaved)
}

// inForce is the error of a call whose change is in force and visible, but not saved; nil
// if it is.
func inForce(unsaved error) error {
	if unsaved == nil {
		return nil
	}
	return api.Errorf(api.CodeInternal, "the change is in force, but it could not be saved and is lost when the daemon ends: %v%s", unsaved, hint.Of(unsaved))
}

// commitSaved is commit, and also returns why the change could not be saved; nil: it is.
func (s *session) commitSaved(ctx context.Context, fn func() (<-chan error, error)) (unsaved, err error) {
	var committed <-chan error
	var failed error
	if err := s.do(ctx, func() { committed, failed = fn() }); err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, failed
	}
	return answer(ctx, committed)
}

// wait waits for the journal's answer. A change that could not be saved is no failure: it is
// in force and visible, and the journal logs it and retries.
func wait(ctx context.Context, committed <-chan error) error {
	_, err := answer(ctx, committed)
	return err
}

// answer waits for the journal's answer: why the change could not be saved, nil if it is or
// there is none. err is that of ctx.
func answer(ctx context.Context, committed <-chan error) (unsaved, err error) {
	if committed == nil {
		return nil, nil
	}
	select {
	case unsaved = <-committed: // closed after the first value: nil
		return unsaved, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// wake releases the waiters whose conditions hold.
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

// await blocks until cond holds. The actor calls cond, and not after await has returned.
func (s *session) await(ctx context.Context, cond func() bool) error {
	w := newWaiter(cond)
	if err := s.do(ctx, func() { s.waiters = append(s.waiters, w) }); err != nil {
		return err
	}
	return s.waitFor(ctx, w)
}

func newWaiter(cond func() bool) *waiter { return &waiter{cond: cond, met: make(chan struct{})} }

// waitFor blocks until the condition of one of the actor's waiters holds.
func (s *session) waitFor(ctx context.Context, w *waiter) error {
	select {
	case <-w.met:
		return nil
	case <-s.done:
		return w.giveUp(s.gone())
	case <-ctx.Done():
		return w.giveUp(ctx.Err())
	}
}

// waiter is one call of waitFor.
type waiter struct {
	mu   sync.Mutex // held while cond runs
	cond func() bool
	gone bool // waitFor has returned or given up
	met  chan struct{}
}

// over reports whether the waiter is done: its condition holds, or its caller gave up. In
// the actor.
func (w *waiter) over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.gone && w.cond() {
		w.gone = true
		close(w.met)
	}
	return w.gone
}

// giveUp ends the wait; it returns nil if the condition held after all.
func (w *waiter) giveUp(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gone {
		return nil
	}
	w.gone = true
	return err
}

// gone is the error of a call to a session whose actor has ended.
func (s *session) gone() error {
	if s.r.ctx.Err() != nil {
		return errClosing
	}
	return api.Errorf(api.CodeNotFound, "session %s was removed: `ccdir history` shows what is kept of it", s.id)
}

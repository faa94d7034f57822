package pending

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/internal/contain"
)

// Run delivers prompts until ctx ends, and waits for the deliveries under way, which then
// end without an outcome: the next daemon takes them up.
func (p *Prompts) Run(ctx context.Context) {
	ctx, end := context.WithCancel(ctx)
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(api.ErrStopping)
	defer context.AfterFunc(ctx, func() { stop(api.ErrStopping) })()
	running := contain.Group{Log: p.o.Logger}
	defer running.Wait()
	defer end()
	defer stop(api.ErrStopping)
	p.load(ctx)
	running.Keep(ctx, p.follow)
	for {
		select {
		case <-p.wake:
		case <-ctx.Done():
			return
		}
		for _, id := range p.take() {
			running.Go(func() { p.look(work, id) })
		}
	}
}

// load finds the sessions with prompts that an earlier daemon left.
func (p *Prompts) load(ctx context.Context) {
	for {
		list, err := p.o.Store.PendingSessions(ctx)
		if err == nil {
			for _, s := range p.o.Journal.Sessions() {
				if s.Pending > 0 && !slices.Contains(list, s.ID) {
					p.count(s.ID)
				}
			}
			for _, id := range list {
				p.count(id)
				p.watch(id)
			}
			return
		}
		p.o.Logger.Error("cannot read the pending prompts", "error", err)
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return
		}
	}
}

// follow marks sessions that have changed.
func (p *Prompts) follow(ctx context.Context) {
	w := p.o.Journal.Watch()
	defer w.Close()
	for {
		messages, err := w.Next(ctx)
		if err != nil {
			return
		}
		for _, m := range messages {
			switch {
			case m.Snapshot != nil:
				p.markAll()
			case m.Session != nil:
				p.mark(m.Session.ID)
			}
			if m.Removed != "" {
				p.mark(m.Removed)
			}
		}
	}
}

// watch notes that a session has prompts.
func (p *Prompts) watch(id string) {
	p.mu.Lock()
	p.open[id] = true
	p.mu.Unlock()
	p.mark(id)
}

// mark makes Run look at a session, if it has prompts.
func (p *Prompts) mark(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[id] {
		p.due[id] = true
		p.ring()
	}
}

func (p *Prompts) markAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id := range p.open {
		p.due[id] = true
	}
	p.ring()
}

// ring wakes Run; the caller holds mu.
func (p *Prompts) ring() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// take returns the sessions to look at, which are busy from then on. One that is busy
// already stays due.
func (p *Prompts) take() (list []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id := range p.due {
		if !p.busy[id] {
			p.busy[id] = true
			delete(p.due, id)
			list = append(list, id)
		}
	}
	return list
}

// look delivers the prompts of a session as far as it takes them.
func (p *Prompts) look(ctx context.Context, session string) {
	again := false
	for more := true; more && ctx.Err() == nil; {
		more, again = p.next(ctx, session)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.busy, session)
	if p.due[session] {
		p.ring()
	}
	if t := p.timer[session]; t != nil {
		t.Stop()
		delete(p.timer, session)
	}
	if again && ctx.Err() == nil {
		p.timer[session] = time.AfterFunc(lookAgain, func() { p.mark(session) }) // after Run has ended it does nothing
	}
}

// next delivers the next prompt of a session. more: there may be another one that can be
// delivered now; again: look at the session again in a while.
func (p *Prompts) next(ctx context.Context, session string) (more, again bool) {
	now, found, err := p.nextOf(ctx, session)
	if err != nil {
		p.o.Logger.Error("cannot read the pending prompts of a session", "session", session, "error", err)
		return false, true
	}
	if !found {
		return false, false
	}
	s, err := p.o.Sessions.Get(ctx, session)
	switch {
	case api.CodeOf(err) == api.CodeNotFound || err == nil && s.ID != session:
		return p.ended(now, api.PendingFailed, "its session was removed")
	case err != nil:
		return false, true
	case !takes(s):
		return false, false // the session's next change marks it for another look
	}
	claimed := now.Typing
	_, err = p.o.Sessions.SendClaimed(ctx, session, api.SendPrompt{Text: now.Text, Wait: true, ID: deliveryID(now)}, func(context.Context) error {
		err := p.claim(now)
		claimed = claimed || err == nil
		p.o.Pause(PauseClaimed)
		return err
	})
	switch code := api.CodeOf(err); {
	case err == nil:
		p.o.Pause(PauseDone)
		return p.ended(now, api.PendingDelivered, "")
	case ctx.Err() != nil:
		return false, false
	case errors.Is(err, errChanged) || code == api.CodeNotFound: // changed, taken back, or its session was removed
		return true, false
	case code == api.CodeNotRunning:
		p.release(now)
		return false, true
	case !claimed:
		return false, true
	}
	return p.ended(now, api.PendingFailed, err.Error())
}

// nextOf returns the next prompt of a session; without one the session is watched no more.
func (p *Prompts) nextOf(ctx context.Context, session string) (now api.PendingPrompt, found bool, err error) {
	p.mu.Lock()
	delete(p.open, session) // Add notes it again if it comes after the look into the store
	p.mu.Unlock()
	now, found, err = p.o.Store.NextPending(ctx, session)
	if found || err != nil {
		p.mu.Lock()
		p.open[session] = true
		p.mu.Unlock()
	}
	return now, found, err
}

// ended records an outcome; more and again are those of next.
func (p *Prompts) ended(now api.PendingPrompt, state api.PendingState, reason string) (more, again bool) {
	if err := p.end(now.ID, state, reason); err != nil {
		p.o.Logger.Error("the outcome of a pending prompt cannot be saved now", "prompt", now.ID, "error", err)
		return false, true
	}
	return true, false
}

// release lets a prompt be changed again: its session's process ended before it took it.
func (p *Prompts) release(now api.PendingPrompt) {
	_, err := p.o.Store.ChangePending(now.ID, func(row *api.PendingPrompt) error { row.Typing = false; return nil })
	if err != nil {
		p.o.Logger.Warn("a pending prompt cannot be changed for now", "prompt", now.ID, "error", err)
	}
}

// takes reports whether a session can take a prompt, as far as its value tells. A delivery to
// one that cannot would keep others waiting instead of failing.
func takes(s api.Session) bool {
	return !s.External && !s.State.Ended() && !s.State.NeedsPerson() && s.State != api.StateStarting && s.State != api.StateExiting && !s.Restarting && !s.PromptPending
}

// deliveryID is the id under which a prompt is typed. The time tells it from one of a database
// that was lost.
func deliveryID(now api.PendingPrompt) string { return fmt.Sprintf("%s-%x", now.ID, now.At.UnixNano()) }

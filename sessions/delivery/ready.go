package delivery

import (
	"context"
	"errors"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/sessions/state"
)

// signlessStart is how long after the conversation's begin to wait for an agent that shows
// none of the ready signs of its version.
const signlessStart = 10 * time.Second

// toolsLimit is how long an agent that takes input is given to list our tools, if the delivery
// may take as long again. It may never list them: the person's own flags can exclude them.
const toolsLimit = 5 * time.Second

// awaitInput blocks until a prompt may be typed, and returns the state then. idle: wait
// until the agent is at its prompt.
func (d *Delivery) awaitInput(ctx context.Context, patient, idle bool) (current api.State, err error) {
	if err := d.s.Wake(ctx); err != nil {
		return current, err
	}
	limit := d.o.Timeout()
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if patient {
		timed = ctx
	}
	trusting := false // the expected signs did not come: the begin of the conversation is enough
	ready := func() bool {
		current, err = d.s.Fold().State, nil
		switch {
		case (current.Ended() || current == api.StateExiting) && d.s.Restarting():
			return false // the prompt is for the new process
		case current.Ended() || current == api.StateExiting:
			err = d.s.NotRunning()
		case current.NeedsPerson() || current == api.StateWorking && d.s.Fold().FileFor == state.PanelOpen:
			if !patient {
				err = dialogOpen(d.s.Value().Name, d.s.Value().Question)
			}
			return err != nil
		case current == api.StateStarting, idle && current != api.StateIdle:
			return false
		default:
			return trusting || d.takesInput()
		}
		return true
	}
	first, stop := context.WithTimeout(timed, signlessStart)
	defer stop()
	waitErr := d.s.Await(first, ready)
	for waitErr != nil && timed.Err() == nil && errors.Is(waitErr, context.DeadlineExceeded) {
		trusting = true
		waitErr = d.s.Await(timed, ready)
	}
	if waitErr == nil && err == nil && d.awaitTools(timed) {
		waitErr = d.s.Await(timed, ready) // a dialog can have opened
	}
	if waitErr != nil && errors.Is(waitErr, context.DeadlineExceeded) && ctx.Err() == nil {
		waitErr = api.Errorf(api.CodeTimeout, "the session is %s and did not take input within %s: look at the pane", current, limit)
	}
	if waitErr != nil {
		return current, waitErr
	}
	return current, err
}

// awaitTools gives an agent that takes input a moment to list our tools, lest its first turn
// begin without them, and reports whether it had to.
func (d *Delivery) awaitTools(ctx context.Context) (waited bool) {
	adapter, ok := d.o.Adapter.(agents.Deliverer)
	if !ok || !adapter.ReadySigns("").Tools {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, min(toolsLimit, d.o.Timeout()/2))
	defer cancel()
	_ = d.s.Await(ctx, func() bool { // on an error it goes on without
		lacks := d.s.LacksTools() && !d.s.Prompted() && d.s.Fold().State == api.StateIdle
		waited = waited || lacks
		return !lacks
	})
	return waited
}

// takesInput reports whether the agent has shown that it reads input; in the actor.
// The begin of a conversation alone comes too early.
func (d *Delivery) takesInput() bool {
	adapter, ok := d.o.Adapter.(agents.Deliverer)
	if !ok || d.s.Fold().Status != "" || d.s.Fold().Turn || d.s.Prompted() {
		return true
	}
	signs := adapter.ReadySigns(d.s.Spec().Version)
	switch {
	case signs.Status && !d.s.Spec().NoStatus():
		return false
	case signs.File:
		return d.s.Fold().File != ""
	case signs.Title:
		return d.s.Fold().Titled
	}
	return true // the host still waits for bracketed paste mode
}

// missedOld reports whether a delivery starts over for the new process of a restart: the
// old process ended before it took any of the prompt.
func (d *Delivery) missedOld(ctx context.Context, id string, err error) (missed bool) {
	if api.CodeOf(err) != api.CodeNotRunning {
		return false
	}
	_ = d.s.Do(ctx, func() { // fails only if the caller is gone
		if missed = d.s.Restarting() || !d.s.Fold().State.Ended(); missed && d.flight != nil && d.flight.ID == id {
			d.flight = nil
		}
	})
	return missed
}

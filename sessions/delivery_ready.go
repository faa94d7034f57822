package sessions

import (
	"context"
	"errors"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/sessions/state"
)

// awaitInput blocks until a prompt may be typed, and returns the state then. idle: wait
// until the agent is at its prompt.
func (s *session) awaitInput(ctx context.Context, patient, idle bool) (current api.State, err error) {
	limit := s.r.o.Config().SendTimeout
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if patient {
		timed = ctx
	}
	trusting := false // the expected signs did not come: SessionStart is enough
	ready := func() bool {
		current, err = s.fold.State, nil
		switch {
		case (current.Ended() || current == api.StateExiting) && s.restarting > 0:
			return false // the prompt is for the new process
		case current.Ended() || current == api.StateExiting:
			err = s.notRunning()
		case current.NeedsPerson() || current == api.StateWorking && s.fold.FileFor == state.PanelOpen:
			if !patient {
				err = dialogOpen(s.cur.Name)
			}
			return err != nil
		case current == api.StateStarting, idle && current != api.StateIdle:
			return false
		default:
			return trusting || s.takesInput()
		}
		return true
	}
	first, stop := context.WithTimeout(timed, signlessStart)
	defer stop()
	waitErr := s.await(first, ready)
	for waitErr != nil && timed.Err() == nil && errors.Is(waitErr, context.DeadlineExceeded) {
		trusting = true
		waitErr = s.await(timed, ready)
	}
	if waitErr != nil && errors.Is(waitErr, context.DeadlineExceeded) && ctx.Err() == nil {
		waitErr = api.Errorf(api.CodeTimeout, "the session is %s and did not take input within %s: look at the pane", current, limit)
	}
	if waitErr != nil {
		return current, waitErr
	}
	return current, err
}

// takesInput reports whether the agent has shown that it reads input; in the actor.
// SessionStart alone comes too early.
func (s *session) takesInput() bool {
	d, ok := s.adapter.(agents.Deliverer)
	if !ok || s.fold.Status != "" || s.fold.Turn || s.prompted {
		return true
	}
	signs := d.ReadySigns(s.spec.Version)
	switch {
	case signs.Status && !s.spec.NoStatus():
		return false
	case signs.File:
		return s.fold.File != ""
	case signs.Title:
		return s.fold.Titled
	}
	return true // the host still waits for bracketed paste mode
}

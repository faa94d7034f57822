package sessions

import (
	"context"
	"errors"

	"ccdir/api"
	"ccdir/wire"
)

// Wake starts the process of a parked session again, in its conversation. One that runs is left as
// it is. It returns once the process runs; prompts wait until it takes input. It fails if somebody
// else runs the conversation.
func (r *Registry) Wake(ctx context.Context, ref string) (api.Session, error) {
	s, err := r.paned(ref)
	if err != nil {
		return api.Session{}, err
	}
	if err := s.awaken(ctx); err != nil {
		return api.Session{}, err
	}
	return s.value(ctx)
}

// awaken is Wake; not in the actor. A session that is being parked is woken once it is.
func (s *session) awaken(ctx context.Context) error {
	var running, ended bool
	var gone error
	look := func() {
		ended, running = s.fold.State.Ended(), !s.fold.State.Stopped() && !(s.fold.Parking && s.fold.State == api.StateExiting)
		if ended && s.restarting == 0 {
			gone = s.notRunning()
		}
	}
	if err := s.do(ctx, look); err != nil || running || ended {
		return errors.Join(err, gone)
	}
	// Of several that need it, one starts it.
	leave, err := s.r.making.Enter(ctx, "wake "+s.id)
	if err != nil {
		return err
	}
	defer leave()
	settled, cancel := context.WithTimeout(ctx, parkTime+killMargin)
	defer cancel()
	if err := s.await(settled, func() bool { look(); return running || s.fold.State.Stopped() }); err != nil || running || ended {
		return errors.Join(err, gone)
	}
	_, err = s.r.startAgain(ctx, s.id, how{})
	return err
}

// refuseTwice refuses to start a session whose conversation runs elsewhere: two writers in one
// conversation lose each other's work.
func (s *session) refuseTwice(ctx context.Context) error {
	var hf wire.HostFile
	parked, name := false, ""
	if err := s.do(ctx, func() { hf, parked, name = s.host, s.fold.State == api.StateParked, s.cur.Name }); err != nil || !parked {
		return err
	}
	hf.ChildPID = 0 // it has ended
	if other := s.runsElsewhere(ctx, hf); other != "" {
		return api.Errorf(api.CodeConflict, "session %s is not woken: its conversation runs in %s, and one conversation must not have two agents: end that first", name, other)
	}
	return nil
}

// putBackDraft begins to put the draft back that was in the input line of an earlier process; in the
// actor, once the process runs.
func (s *session) putBackDraft() {
	text, of, hf := s.cur.KeptDraft, s.draftOf, s.host
	if text == "" || of == s.cur.Launch {
		return
	}
	s.r.wg.Go(func() {
		if s.delivery.PutBack(s.ctx, "draft-"+of, text) != nil {
			return // the process has ended, or the daemon stops: the next one does it
		}
		s.r.pause(PausePutBack)
		_ = s.do(s.ctx, func() {
			if same(s.host, hf) && s.draftOf == of {
				s.cur.KeptDraft, s.draftOf = "", ""
				s.publish(change{}, true)
			}
		})
	})
}

// PausePutBack: the draft is in the input line again; no record says so (Options.Pause).
const PausePutBack = "put-back"

// awaitDraftBack waits until the draft of a session that was woken is in its input line again, so
// that keys come behind it.
func (s *session) awaitDraftBack(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.r.o.Config().SendTimeout)
	defer cancel()
	err := s.await(ctx, func() bool {
		return s.cur.KeptDraft == "" || s.draftOf == s.cur.Launch || s.fold.State.Stopped() || s.fold.State.NeedsPerson()
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return api.Errorf(api.CodeTimeout, "the draft of session %s is not back in its input line yet: try again", s.id)
	}
	return err
}

// needsInput wakes a parked session for keys. Keys for one that was just woken wait until it takes
// them, and come behind the draft.
func (s *session) needsInput(ctx context.Context) error {
	wait := false
	look := func() {
		wait = s.fold.State == api.StateParked || s.fold.Parking && s.fold.State == api.StateExiting || s.woken
	}
	if err := s.do(ctx, look); err != nil || !wait {
		return err
	}
	if err := s.awaken(ctx); err != nil {
		return err
	}
	if err := s.delivery.TakesInput(ctx); err != nil && api.CodeOf(err) != api.CodeDialogOpen { // the keys may answer it
		return err
	}
	if err := s.awaitDraftBack(ctx); err != nil {
		return err
	}
	return s.do(ctx, func() { s.woken = false })
}

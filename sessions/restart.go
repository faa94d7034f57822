package sessions

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/api/hint"
	"ccdir/internal/proc"
	"ccdir/sessions/launch"
	"ccdir/sessions/process"
	"ccdir/sessions/state"
	"ccdir/wire"
)

// setRestarting counts the calls that are starting the session again; in the actor. While
// there are any, prompts wait for the new process, and watchers see it.
func (s *session) setRestarting(by int) {
	before := s.restarting > 0
	if s.restarting += by; before != (s.restarting > 0) {
		s.show()
	}
}

// shown is the value to publish; in the actor.
func (s *session) shown() api.Session {
	v := s.cur
	v.Restarting = s.restarting > 0
	_, first := s.delivery.Saved()
	v.PromptPending = first != "" && !v.State.Ended()
	return v
}

// Restart ends the process if it runs and starts it again; an agent resumes its
// conversation. Prompts sent meanwhile wait for the new process.
func (r *Registry) Restart(ctx context.Context, ref string) (api.Session, error) {
	return r.startAgain(ctx, ref, how{})
}

// how says in what a start differs from the one before it.
type how struct {
	fresh   bool   // with a new conversation
	account string // with another account, "": the same
}

// Reset is Restart with a new conversation; the old one stays where its agent keeps it.
func (r *Registry) Reset(ctx context.Context, ref string) (api.Session, error) {
	return r.startAgain(ctx, ref, how{fresh: true})
}

func (r *Registry) startAgain(ctx context.Context, ref string, h how) (api.Session, error) {
	s, err := r.paned(ref)
	if err != nil {
		return api.Session{}, err
	}
	if h.fresh && !s.adapter.Managed() {
		return api.Session{}, api.Errorf(api.CodeConflict, "session %s runs no agent that has conversations: `ccdir restart %[1]s` begins it again", ref)
	}
	if err := s.do(ctx, func() { s.setRestarting(1) }); err != nil {
		return api.Session{}, err
	}
	err = r.restart(ctx, s, h)
	_ = s.do(s.ctx, func() { s.setRestarting(-1) }) // fails only if the session is gone
	if err != nil {
		return api.Session{}, err
	}
	return s.value(ctx)
}

func (r *Registry) restart(ctx context.Context, s *session, h how) error {
	if s.seen().running {
		var unsaved error
		if err := s.do(ctx, func() { unsaved = s.saveSpec() }); err != nil {
			return err
		}
		if unsaved != nil { // a full disk: it could not be started again
			return api.Errorf(api.CodeInternal, "the session was not ended, because its files cannot be written: %v%s", unsaved, hint.Of(unsaved))
		}
		if err := s.kill(ctx, false); err != nil && api.CodeOf(err) != api.CodeNotRunning {
			return err
		}
	}
	if err := s.refuseTwice(ctx); err != nil {
		return err
	}
	if err := s.endOrphans(ctx); err != nil {
		return err
	}
	if err := r.claim(s); err != nil {
		return err
	}
	defer r.release(s)
	return s.commit(ctx, func() (<-chan error, error) { return s.again(h) })
}

// again starts the process of an ended session; in the actor, for commit.
func (s *session) again(h how) (<-chan error, error) {
	if !s.fold.State.Stopped() {
		return nil, api.Errorf(api.CodeConflict, "session %s has not ended yet: try again, or `ccdir kill --force %[1]s` first", s.cur.Name)
	}
	if err := launch.CheckDir(s.spec.CWD); err != nil {
		return nil, err
	}
	s.ending = false // it was about the old process
	if !s.hostGone(killMargin) {
		return nil, api.Errorf(api.CodeConflict, "the host of session %s (pid %d) still runs: try again", s.cur.Name, s.host.PID)
	}
	s.disconnectHost()
	s.drain() // start removes the spool
	// An empty conversation cannot be resumed.
	resume := ""
	if s.talked && s.adapter.Managed() {
		resume = s.cur.Conversation
	}
	verb := "restarted"
	before, rested := s.cur, s.fold
	if h.account != "" {
		kept, err := s.moveAccount(h.account, resume)
		if err != nil {
			return nil, err
		}
		verb = "restarted with the account " + cmp.Or(s.spec.Account, api.AccountDefault) + kept
	}
	if h.fresh {
		resume, verb = "", "restarted with a new conversation"
		s.spec.ForkOf, s.spec.Fresh = "", true
		s.cur.Prompt, s.cur.Answer, s.cur.Undelivered = "", "", ""
	}
	if missing := s.refill(); len(missing) > 0 {
		verb += " without " + strings.Join(missing, ", ") + " (secrets are not kept after the end: export them and `ccdir daemon restart`, or start anew)"
	}
	s.setRunning(true)
	if err := s.start(resume, true); err != nil {
		s.setRunning(false)
		if rested.State == api.StateParked { // it can be woken later
			s.fold, s.cur = rested, before
			s.cur.Error = err.Error()
			s.publish(change{}, true)
			return nil, err
		}
		s.fold = s.fold.Apply(api.Evidence{Source: api.SourceProcess, At: s.r.now(), Name: state.EvidenceExit, Says: api.StateExited, Detail: err.Error()})
		s.cur = before
		s.cur.State, s.cur.Since, s.cur.Error = s.fold.State, s.fold.Since, err.Error()
		s.publish(change{}, true)
		return nil, err
	}
	if rested.State == api.StateParked && !h.fresh && h.account == "" {
		s.woken = true
		verb = "woken" + strings.TrimPrefix(verb, "restarted")
	}
	defer s.putBackDraft()
	return s.begun(api.EventSessionStarted, verb+": "), nil
}

// hostGone waits until the old host has ended, which saves its files last.
func (s *session) hostGone(d time.Duration) bool {
	hf := s.host
	return process.Poll(s.ctx, d, func() bool { return !proc.Alive(hf.PID, hf.Start) })
}

// SetModel gives an agent's session another model. One that rests is started again for that,
// in the same conversation; one that has ended has the model from its next start on.
func (r *Registry) SetModel(ctx context.Context, ref, model string) (api.Session, error) {
	s, err := r.paned(ref)
	if err != nil {
		return api.Session{}, err
	}
	settling, cancel := context.WithTimeout(ctx, settleTime)
	_ = s.await(settling, func() bool { return s.fold.State != api.StateWorking || s.fold.Turn }) // else it is refused below
	cancel()
	var restart bool
	var committed <-chan error
	doErr := s.do(ctx, func() { restart, committed, err = s.chooseModel(model) })
	if err := errors.Join(doErr, err); err != nil {
		return api.Session{}, err
	}
	unsaved, err := answer(ctx, committed)
	if err := errors.Join(err, inForce(unsaved)); err != nil {
		return api.Session{}, err
	}
	if restart {
		return r.Restart(ctx, s.id)
	}
	return s.value(ctx)
}

// settleTime bounds how long after its turn's end an agent may take to show that it is at rest.
const settleTime = 2 * time.Second

// chooseModel changes the spec; in the actor. restart: a process runs with another model.
func (s *session) chooseModel(model string) (restart bool, committed <-chan error, err error) {
	state := s.fold.State
	switch {
	case model == "":
		return false, nil, api.Errorf(api.CodeInvalid, "the model has no name")
	case s.spec.Plain():
		return false, nil, api.Errorf(api.CodeConflict, "session %s runs no agent, so it has no model", s.cur.Name)
	case !state.Stopped() && state != api.StateIdle || s.restarting > 0:
		return false, nil, api.Errorf(api.CodeConflict, "session %s is %s: its model can be changed while it is idle (`ccdir wait %[1]s --state idle`)", s.cur.Name, state)
	}
	if err := launch.CheckModel(s.adapter, s.spec.Agent, model); err != nil {
		return false, nil, err
	}
	if s.spec.Model == model && s.cur.Model == model {
		return false, nil, nil
	}
	was := s.spec.Model
	s.spec.Model = model
	if err := s.saveSpec(); err != nil {
		s.spec.Model = was
		return false, nil, err
	}
	s.cur.Model, s.cur.ChosenModel = model, model
	return !state.Stopped(), s.publish(s.plain(api.EventSessionModel, "its model is "+model), true), nil
}

// Waking.

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
		if s.delivery.PutBack(s.ctx, draftTx(of), text) != nil {
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

// draftTx is the id of the transaction that puts back the draft of a launch.
func draftTx(of string) string { return "draft-" + of }

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

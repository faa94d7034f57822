package sessions

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/api/hint"
	"ccdir/sessions/launch"
	"ccdir/wire"
)

// signlessStart is how long after SessionStart to wait for an agent that shows none of the
// ready signs of its version.
const signlessStart = 10 * time.Second

// readyLimit bounds the wait for bracketed paste mode.
const readyLimit = 5 * time.Second

// maxDialogs bounds how often a patient delivery restarts because a dialog opened during
// it.
const maxDialogs = 100

// Points at which tests stop the daemon (Options.Pause). The first five are a delivery's.
const (
	PauseExpecting = "expecting" // the prompt is on disk, nothing is typed
	PauseTyped     = "typed"     // the host has typed it
	PauseEnter     = "enter"     // Enter was pressed once more
	PauseTaken     = "taken"     // the agent took it; the caller has no answer yet
	PauseNoted     = "noted"     // the outcome is on disk
	// PauseEnding: the end of a session is on disk; the process was not signalled yet.
	PauseEnding = "ending"
	// PausePrepared: the files of a new or restarted session exist, no process does.
	// PauseLaunched: its process runs, no record of that is on disk. PauseCreated (new
	// sessions only): the record is on disk, the caller has no answer yet.
	PausePrepared = "prepared"
	PauseLaunched = "launched"
	PauseCreated  = "created"
	// PauseSpool: spooled calls are durable, and their files still exist.
	PauseSpool = "spool"
)

// Outcomes of SendResult.Status.
const (
	statusDelivered = "delivered"
	statusQueued    = "queued"
)

// Send types a prompt into a session and waits for its acknowledgement: the agent took it,
// or, for agents without hooks, it was written. A retry with the same id types nothing and
// returns the first outcome.
func (r *Registry) Send(ctx context.Context, ref string, p api.SendPrompt) (api.SendResult, error) {
	s, err := r.paned(ref)
	if err != nil {
		return api.SendResult{}, err
	}
	text := agents.PromptText(p.Text)
	switch {
	case strings.TrimSpace(text) == "":
		return api.SendResult{}, api.Errorf(api.CodeInvalid, "the prompt is empty")
	case len(text) > launch.MaxPrompt:
		return api.SendResult{}, api.Errorf(api.CodeTooLarge, "the prompt is longer than %d bytes", launch.MaxPrompt)
	case len(p.ID) > 128:
		return api.SendResult{}, api.Errorf(api.CodeInvalid, "the id is longer than 128 bytes")
	}
	if p.ID == "" {
		p.ID = secret()[:16]
	}
	// One delivery at a time: prompts arrive in the order of the calls.
	select {
	case s.sending <- struct{}{}:
		defer func() { <-s.sending }()
	case <-ctx.Done():
		return api.SendResult{}, ctx.Err()
	case <-s.done:
		return api.SendResult{}, s.gone()
	}
	s.patient, s.hostMissed = p.Wait, false
	if old, known := s.sent.Get(p.ID); known {
		return old.result, old.err
	}
	known := false
	if err := s.do(ctx, func() { known = s.seenKeys.has(sentKey(p.ID)) }); err != nil {
		return api.SendResult{}, err
	}
	if known { // by an earlier daemon
		return api.SendResult{ID: p.ID, Status: statusDelivered}, nil
	}
	result, err := s.deliver(ctx, p.ID, text, p.Wait)
	if err == nil || api.CodeOf(err) == api.CodeTimeout {
		s.sent.Put(p.ID, sendOutcome{result, err})
	}
	s.noteSend(text, result, err)
	s.r.pause(PauseNoted)
	return result, err
}

// sentKey is the idempotency key of the event about a delivered prompt.
func sentKey(id string) string { return "sent:" + id }

// deliverLater types a session's first prompt once it takes input. The prompt is saved
// until its outcome is known, under a fixed id, so that the next daemon continues the
// delivery.
func (s *session) deliverLater(text string) {
	s.r.wg.Go(func() {
		_, err := s.r.Send(s.ctx, s.id, api.SendPrompt{Text: text, Wait: true, ID: "first-" + s.id})
		if s.ctx.Err() != nil {
			return
		}
		if err != nil {
			s.r.log.Warn("the first prompt was not delivered", "session", s.id, "error", err)
		}
		_ = s.do(s.ctx, func() {
			s.first = ""
			s.dropFirst()
			s.publish(change{always: true}, false)
		})
	})
}

// noteSend publishes the outcome of a delivery and waits until it is visible, together with
// the agent's evidence before it.
func (s *session) noteSend(text string, result api.SendResult, err error) {
	message := result.Status + ": " + agents.Visible(text, 200)
	if err != nil {
		message = "not delivered (" + err.Error() + "): " + agents.Visible(text, 100)
	}
	_ = s.commit(s.ctx, func() (<-chan error, error) { // fails only if the session is gone
		c := s.plain(api.EventPrompt, message)
		c.always = true
		s.delivery = nil
		if err == nil {
			s.seenKeys.add(sentKey(result.ID))
			c.key = sentKey(result.ID)
		} else if api.CodeOf(err) == api.CodeTimeout {
			s.cur.Undelivered, s.cur.Unread = agents.Visible(text, maxPromptShown), true
		}
		return s.publish(c, false), nil
	})
}

// delivery is a prompt in flight. It is saved with the session: after the daemon was
// killed, the next one knows what became of it.
type delivery struct {
	ID string `json:"id"`
	// Want is the beginning of the text, squeezed, at most maxWant bytes.
	Want string     `json:"want"`
	Ack  agents.Ack `json:"ack"`
	// Met is true once the agent has taken the prompt.
	Met bool `json:"met,omitempty"`
}

// deliver waits until the session takes input, types the prompt, and waits for the
// acknowledgement.
func (s *session) deliver(ctx context.Context, id, text string, patient bool) (api.SendResult, error) {
	result := api.SendResult{ID: id, Status: statusDelivered}
	ack := agents.Ack{}
	if a, ok := s.adapter.(agents.Deliverer); ok {
		ack = a.AckOf(text)
	}
	for n := 1; ; n++ {
		met, err := s.alreadyTaken(ctx, id)
		if met || err != nil {
			return result, err
		}
		state, err := s.awaitInput(ctx, patient, ack.Idle && !(ack.Queues && s.knowsScreen(ctx)))
		if err != nil {
			return result, err
		}
		if state == api.StateWorking && s.adapter.Managed() {
			result.Status = statusQueued
		}
		tx := id
		if n > 1 {
			tx = id + "+" + strconv.Itoa(n)
		}
		queued, err := s.typeIn(ctx, id, tx, text, ack, patient)
		if n < maxDialogs && s.missedOld(ctx, id, err) {
			continue
		}
		if ack.Command || ack.Shell {
			result.Status = statusDelivered
			if queued {
				result.Status = statusQueued
			}
		}
		if !patient || api.CodeOf(err) != api.CodeDialogOpen || n == maxDialogs {
			return result, err
		}
	}
}

// alreadyTaken reports whether an earlier daemon saw the prompt taken.
func (s *session) alreadyTaken(ctx context.Context, id string) (met bool, err error) {
	err = s.do(ctx, func() { met = s.delivery != nil && s.delivery.ID == id && s.delivery.Met })
	return met, err
}

// typeIn types the prompt as transaction tx, which the host carries out at most once, and
// waits until the agent takes it. queued: the agent keeps it until the turn's end.
func (s *session) typeIn(ctx context.Context, id, tx, text string, ack agents.Ack, patient bool) (queued bool, err error) {
	limit := s.r.o.Config().SendTimeout
	resumed := false
	err = s.expect(ctx, patient, func() (<-chan error, error) {
		if s.fold.Status != "" && ack.None() || ack.Command && !s.canReadScreen() {
			ack.Working = true // the agent has no hooks, but a program status
		}
		if resumed = s.delivery != nil && s.delivery.ID == id; !resumed {
			s.delivery = &delivery{ID: id, Want: cut(squeeze(text), maxWant), Ack: ack}
		}
		return s.publish(change{always: true}, false), nil
	})
	if err != nil {
		return false, err
	}
	s.r.pause(PauseExpecting)
	if err := s.typeText(ctx, tx, text, resumed, ack, patient); err != nil {
		return false, err
	}
	s.r.pause(PauseTyped)
	switch {
	case ack.None():
		return false, nil
	case (ack.Command || ack.Shell) && s.canReadScreen():
		queued, err = s.takenCommand(ctx, id, text, limit)
	default:
		err = s.takenPrompt(ctx, id, tx, text, ack, limit)
	}
	if err == nil {
		s.awaitDraft(ctx)
		s.r.pause(PauseTaken)
	} else if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		err = api.Errorf(api.CodeTimeout, "the prompt was typed and the agent did not take it within %s: look at the pane", limit)
	}
	return queued, err
}

// saveRetry is the back-off of a patient delivery that cannot be saved.
const saveRetry = time.Second

// expect saves the prompt in flight before it is typed: a prompt that no later daemon would
// know of is not typed. patient: it retries until ctx ends.
func (s *session) expect(ctx context.Context, patient bool, fn func() (<-chan error, error)) error {
	for {
		unsaved, err := s.commitSaved(ctx, fn)
		switch {
		case unsaved == nil || err != nil:
			return err
		case !patient:
			_ = s.do(ctx, func() { s.delivery = nil }) // fails with the call
			return api.Errorf(api.CodeInternal, "the prompt was not sent, because that could not be saved: %v%s", unsaved, hint.Of(unsaved))
		}
		select {
		case <-time.After(saveRetry):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// runningPause is the pause between two questions about a running transaction.
const runningPause = 50 * time.Millisecond

// write has the host carry out a transaction and translates its outcome.
func (s *session) write(ctx context.Context, tx wire.Tx) error {
	for {
		var r wire.TxResult
		if err := s.request(ctx, wire.MethodTx, tx, &r); err != nil {
			if s.askAgain(ctx, err) {
				continue
			}
			return err
		}
		switch {
		case r.Outcome == wire.TxWritten:
			return nil
		case r.Outcome == wire.TxRunning: // begun by an earlier daemon
			select {
			case <-time.After(runningPause):
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		case r.Outcome == wire.TxRefused && r.Reason == wire.TxTyped:
			return errTyped
		case r.Outcome == wire.TxRefused && r.Reason == wire.TxDialog:
			return dialogOpen(s.label(ctx))
		case r.Outcome == wire.TxRefused:
			return api.Errorf(api.CodeTimeout, "the application in session %s does not ask for pastes: nothing was typed", s.label(ctx))
		}
		return api.Errorf(api.CodeUnavailable, "the prompt was not written (%s): look at the pane before sending again", r.Error)
	}
}

func dialogOpen(name string) error {
	return api.Errorf(api.CodeDialogOpen, "session %s shows a dialog or panel: answer it first, in its pane (a request also with `ccdir approve`), or use --wait", name)
}

// promptTx translates an adapter's steps into a transaction of the host.
func promptTx(id string, steps []agents.Step, managed bool, typed *uint64) wire.Tx {
	tx := wire.Tx{ID: id, NoDialog: managed, Typed: typed}
	if managed {
		tx.Steps = append(tx.Steps, wire.TxStep{ReadyMS: int(readyLimit.Milliseconds())})
	}
	for _, st := range steps {
		step := wire.TxStep{Keys: st.Keys, EchoMS: int(st.Echo.Milliseconds())}
		if st.Paste != "" {
			step.Paste = &st.Paste
		}
		tx.Steps = append(tx.Steps, step)
	}
	return tx
}

// sendOutcome is the outcome of one delivery.
type sendOutcome struct {
	result api.SendResult
	err    error
}

// sendsKept is the number of delivery outcomes kept: as many as a host keeps.
const sendsKept = 1024

package sessions

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"ccdir/internal/agents"
	"ccdir/internal/api"
	"ccdir/internal/hostwire"
)

// maxPrompt bounds a prompt, in bytes.
const maxPrompt = 1 << 20

// signlessStart is how long after its SessionStart an agent is waited for that
// shows none of the signs of taking input that its version should show.
const signlessStart = 10 * time.Second

// readyLimit bounds the wait for an agent to ask for bracketed paste.
const readyLimit = 5 * time.Second

// maxDialogs bounds how often a patient delivery begins again because a dialog
// opened in the middle of it.
const maxDialogs = 100

// Points, of a delivery but for the last, at which tests stop the daemon (Options.Pause).
const (
	PauseExpecting = "expecting" // the prompt is on disk, nothing is typed
	PauseTyped     = "typed"     // the host has typed it
	PauseEnter     = "enter"     // Enter was pressed once more
	PauseTaken     = "taken"     // the agent took it; nobody was told
	PauseNoted     = "noted"     // the outcome is on disk
	// PauseEnding is one of ending a session: it is on disk that it ends, and
	// nothing was done yet.
	PauseEnding = "ending"
	// PauseSpool is one of taking in a spool: its calls are durable, and their
	// files are there still.
	PauseSpool = "spool"
)

// Outcomes of SendResult.Status.
const (
	statusDelivered = "delivered"
	statusQueued    = "queued"
)

// Send types a prompt into a session and waits for its acknowledgement: for an
// agent with hooks that it took the prompt, otherwise that it was written. A
// repeat with the same id types nothing and returns the first outcome.
func (r *Registry) Send(ctx context.Context, ref string, p api.SendPrompt) (api.SendResult, error) {
	s, err := r.paned(ref)
	if err != nil {
		return api.SendResult{}, err
	}
	text := agents.PromptText(p.Text)
	switch {
	case strings.TrimSpace(text) == "":
		return api.SendResult{}, api.Errorf(api.CodeInvalid, "the prompt is empty")
	case len(text) > maxPrompt:
		return api.SendResult{}, api.Errorf(api.CodeTooLarge, "the prompt is longer than %d bytes", maxPrompt)
	case len(p.ID) > 128:
		return api.SendResult{}, api.Errorf(api.CodeInvalid, "the id is longer than 128 bytes")
	}
	if p.ID == "" {
		p.ID = secret()[:16]
	}
	// One prompt at a time: they arrive in the order of the calls.
	select {
	case s.sending <- struct{}{}:
		defer func() { <-s.sending }()
	case <-ctx.Done():
		return api.SendResult{}, ctx.Err()
	case <-s.done:
		return api.SendResult{}, s.gone()
	}
	if old, known := s.sent.get(p.ID); known {
		return old.result, old.err
	}
	known := false
	if err := s.do(ctx, func() { known = s.seen.has(sentKey(p.ID)) }); err != nil {
		return api.SendResult{}, err
	}
	if known { // by a daemon before this one
		return api.SendResult{ID: p.ID, Status: statusDelivered}, nil
	}
	result, err := s.deliver(ctx, p.ID, text, p.Wait)
	if err == nil || api.CodeOf(err) == api.CodeTimeout {
		s.sent.put(p.ID, sendOutcome{result, err})
	}
	s.noteSend(text, result, err)
	s.r.pause(PauseNoted)
	return result, err
}

// sentKey is the key of the event about a prompt that was delivered.
func sentKey(id string) string { return "sent:" + id }

// deliverLater types the first prompt of a session once it takes input. It is
// kept with the session until its outcome is known, and its id is always the
// same: a daemon that takes over goes on with it.
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
			s.publish(change{always: true}, false)
		})
	})
}

// noteSend leaves an event of a prompt's fate, and returns when everybody can
// see it, and what the agent answered before it.
func (s *session) noteSend(text string, result api.SendResult, err error) {
	message := result.Status + ": " + agents.Visible(text, 200)
	if err != nil {
		message = "not delivered (" + err.Error() + "): " + agents.Visible(text, 100)
	}
	var committed <-chan error
	if s.do(s.ctx, func() {
		c := s.plain(api.EventPrompt, message)
		c.always = true
		s.delivery = nil
		if err == nil {
			s.seen.add(sentKey(result.ID))
			c.key = sentKey(result.ID)
		} else if api.CodeOf(err) == api.CodeTimeout {
			s.cur.Undelivered, s.cur.Unread = agents.Visible(text, maxPromptShown), true
		}
		committed = s.publish(c, false)
	}) == nil {
		_ = wait(s.ctx, committed) // fails only if the session goes
	}
}

// delivery is a prompt on its way; saved with the session, so that it is known
// after a daemon was killed what became of it.
type delivery struct {
	ID string `json:"id"`
	// Want is the text's beginning, squeezed.
	Want string     `json:"want"`
	Ack  agents.Ack `json:"ack"`
	// Met: the agent took it.
	Met bool `json:"met,omitempty"`
}

// deliver waits until the session takes input, types, and waits for the
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
		state, err := s.awaitInput(ctx, patient, ack.Idle && !(ack.Queues && s.readsVersion(ctx)))
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

// alreadyTaken reports whether a daemon before this one saw the prompt taken.
func (s *session) alreadyTaken(ctx context.Context, id string) (met bool, err error) {
	err = s.do(ctx, func() { met = s.delivery != nil && s.delivery.ID == id && s.delivery.Met })
	return met, err
}

// typeIn types the prompt as transaction tx, which its host carries out once
// whoever asks for it how often, and waits until the agent takes it. queued: it
// is a command that waits for the turn's end.
func (s *session) typeIn(ctx context.Context, id, tx, text string, ack agents.Ack, patient bool) (queued bool, err error) {
	limit := s.r.o.Config().SendTimeout
	resumed := false
	var committed <-chan error
	err = s.do(ctx, func() {
		if s.fold.Status != "" && ack.None() || ack.Command && !s.reads() {
			ack.Working = true // no hooks, but a program status
		}
		if resumed = s.delivery != nil && s.delivery.ID == id; !resumed {
			s.delivery = &delivery{ID: id, Want: cut(squeeze(text), maxWant), Ack: ack}
		}
		committed = s.publish(change{always: true}, false)
	})
	if err != nil {
		return false, err
	}
	if err := wait(ctx, committed); err != nil {
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
	case (ack.Command || ack.Shell) && s.reads():
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

// takenPrompt waits until the agent took the prompt; half-way Enter is pressed
// once more, where that can do no harm: the input line holds the prompt, and not
// the draft that the agent put back behind it.
func (s *session) takenPrompt(ctx context.Context, id, tx, text string, ack agents.Ack, limit time.Duration) error {
	if s.taken(ctx, id, limit/2) == nil {
		return nil
	}
	if ack.Again && ctx.Err() == nil {
		view, sc, readable, err := s.screen(ctx)
		if err != nil {
			return err
		}
		if (readable || s.reads() && s.readsVersion(ctx)) && !unsubmitted(text, sc.Input) {
			return s.taken(ctx, id, limit/2)
		}
		// The Enter may have been swallowed; the text is never typed again.
		enter := hostwire.Tx{ID: tx + "+enter", NoDialog: true, Steps: []hostwire.TxStep{{Keys: []string{"Enter"}}}}
		if view.Typing != nil {
			enter.Typed = &view.Typing.Count
		}
		if err := s.write(ctx, enter); err != nil && !errors.Is(err, errTyped) {
			return err
		}
		s.r.pause(PauseEnter)
	}
	return s.taken(ctx, id, limit/2)
}

// maxWant bounds what of a prompt is compared with the acknowledgement, in bytes.
const maxWant = 4 << 10

// taken waits until the agent took the prompt.
func (s *session) taken(ctx context.Context, id string, limit time.Duration) error {
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return s.await(timed, func() bool { return s.delivery != nil && s.delivery.ID == id && s.delivery.Met })
}

// acknowledge looks whether evidence shows that the prompt on its way was taken;
// in the actor, after the fold. prompt is what a UserPromptSubmit hook told.
func (s *session) acknowledge(e api.Evidence, from api.State, prompt string) (met bool) {
	d := s.delivery
	if d == nil || d.Met {
		return false
	}
	hook := e.Source == api.SourceHook && e.Fields["agent_id"] == ""
	switch {
	case d.Ack.Prompt && prompt != "" && holds(squeeze(prompt), d.Want):
		d.Met = true
	case hook && slices.Contains(d.Ack.Hooks, e.Name):
		d.Met = true
	case d.Ack.Working && from != api.StateWorking && s.fold.State == api.StateWorking:
		d.Met = true
	case d.Ack.Dialog && !from.NeedsPerson() && s.fold.State.NeedsPerson():
		d.Met = true
	case d.Ack.Exit && s.fold.State.Ended():
		d.Met = true
	}
	if d.Met && s.turn != nil {
		s.turn = &turnFacts{Delivery: d.ID, Taken: e.At}
	}
	return d.Met
}

// holds reports whether a prompt, as the agent tells it, is the text: agents put
// long ones between marks, and append them to what was typed before.
func holds(prompt, want string) bool {
	const sure = 16 // bytes that no other prompt holds by chance
	want = strings.TrimSuffix(want, "…")
	return prompt == want || (len(want) >= sure || strings.Contains(prompt, "<pasted_content")) && strings.Contains(prompt, want)
}

// runningPause is between two questions about a transaction that is under way.
const runningPause = 50 * time.Millisecond

// write has the host carry out a transaction.
func (s *session) write(ctx context.Context, tx hostwire.Tx) error {
	for {
		var r hostwire.TxResult
		if err := s.request(ctx, hostwire.MethodTx, tx, &r); err != nil {
			return err
		}
		switch {
		case r.Outcome == hostwire.TxWritten:
			return nil
		case r.Outcome == hostwire.TxRunning: // begun by a daemon before this one
			select {
			case <-time.After(runningPause):
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		case r.Outcome == hostwire.TxRefused && r.Reason == hostwire.TxTyped:
			return errTyped
		case r.Outcome == hostwire.TxRefused && r.Reason == hostwire.TxDialog:
			return dialogOpen(s.label(ctx))
		case r.Outcome == hostwire.TxRefused:
			return api.Errorf(api.CodeTimeout, "the application in session %s does not ask for pastes: nothing was typed", s.label(ctx))
		}
		return api.Errorf(api.CodeUnavailable, "the prompt was not written (%s): look at the pane before sending again", r.Error)
	}
}

func dialogOpen(name string) error {
	return api.Errorf(api.CodeDialogOpen, "session %s shows a dialog or panel: answer it in its pane first, or use --wait", name)
}

// promptTx makes an adapter's steps a transaction of the host.
func promptTx(id string, steps []agents.Step, managed bool, typed *uint64) hostwire.Tx {
	tx := hostwire.Tx{ID: id, NoDialog: managed, Typed: typed}
	if managed {
		tx.Steps = append(tx.Steps, hostwire.TxStep{ReadyMS: int(readyLimit.Milliseconds())})
	}
	for _, st := range steps {
		step := hostwire.TxStep{Keys: st.Keys, EchoMS: int(st.Echo.Milliseconds())}
		if st.Paste != "" {
			step.Paste = &st.Paste
		}
		tx.Steps = append(tx.Steps, step)
	}
	return tx
}

// awaitInput blocks until a prompt may be typed, and returns the state then.
// idle: only at the agent's prompt.
func (s *session) awaitInput(ctx context.Context, patient, idle bool) (state api.State, err error) {
	limit := s.r.o.Config().SendTimeout
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if patient {
		timed = ctx
	}
	trusting := false // its signs did not come: believe SessionStart
	ready := func() bool {
		state, err = s.fold.State, nil
		switch {
		case state.Ended() || state == api.StateExiting:
			err = s.notRunning()
		case state.NeedsPerson() || state == api.StateWorking && s.fold.FileFor == "dialog open":
			if !patient {
				err = dialogOpen(s.cur.Name)
			}
			return err != nil
		case state == api.StateStarting, idle && state != api.StateIdle:
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
		waitErr = api.Errorf(api.CodeTimeout, "the session is %s and did not take input within %s: look at the pane", state, limit)
	}
	if waitErr != nil {
		return state, waitErr
	}
	return state, err
}

// takesInput reports whether the agent has shown that it reads its input; in the
// actor. SessionStart comes before.
func (s *session) takesInput() bool {
	d, ok := s.adapter.(agents.Deliverer)
	if !ok || s.fold.Status != "" || s.fold.Turn || s.prompted {
		return true
	}
	signs := d.ReadySigns(s.spec.Version)
	switch {
	case signs.Status && !s.spec.noStatus():
		return false
	case signs.File:
		return s.fold.File != ""
	case signs.Title:
		return s.fold.Titled
	}
	return true // the host still waits for bracketed paste
}

// squeeze drops white space: agents change tabs and line ends of what was
// pasted, and wrap it in marks of their own.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// sendOutcome is what one delivery came to.
type sendOutcome struct {
	result api.SendResult
	err    error
}

// sendMemory remembers the outcomes of the newest deliveries. It is used by the
// one that holds session.sending.
type sendMemory struct {
	outcomes map[string]sendOutcome
	order    []string
}

// sendsKept bounds it: as many as a host remembers.
const sendsKept = 1024

func (m *sendMemory) get(id string) (sendOutcome, bool) {
	o, ok := m.outcomes[id]
	return o, ok
}

func (m *sendMemory) put(id string, o sendOutcome) {
	if m.outcomes == nil {
		m.outcomes = map[string]sendOutcome{}
	}
	if len(m.order) >= sendsKept {
		delete(m.outcomes, m.order[0])
		m.order = m.order[1:]
	}
	m.outcomes[id] = o
	m.order = append(m.order, id)
}

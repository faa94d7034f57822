// Package delivery types prompts into a session's agent.
//
// A prompt is saved as in flight before it is typed, so that a later daemon knows what became
// of it; its host carries out each transaction at most once, by its id. It counts as delivered
// when the agent's evidence acknowledges it (agents.Ack); for agents without any, when it was
// written. A person's draft in the input line is never lost: the agent stashes it and
// restores it, or the prompt is refused.
//
// Contract:
//
//   - One delivery at a time; further calls of Send wait, in no particular order.
//   - A retry with the same id types nothing and returns the first outcome, also with a later
//     daemon.
//   - A patient delivery waits without limit for the session to take input and for a silent
//     host; any other fails with an error that says what to do.
//
// A Delivery has two owners: the session's actor (evidence, the prompt in flight, the queue)
// and the call of Send that holds the slot of sending.
package delivery

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/api/hint"
	"ccdir/internal/once"
	"ccdir/sessions/launch"
	"ccdir/sessions/state"
)

// Session is a delivery's view of its session.
type Session interface {
	// Do runs fn in the session's actor and waits for it. On an error fn has not run and
	// never will, or it panicked.
	Do(ctx context.Context, fn func()) error
	// Commit runs fn in the actor and waits for the journal's answer that fn returns.
	// unsaved is why the change could not be saved.
	Commit(ctx context.Context, fn func() (<-chan error, error)) (unsaved, err error)
	// Await blocks until cond holds, which the actor calls.
	Await(ctx context.Context, cond func() bool) error
	// Request sends a request to the session's host.
	Request(ctx context.Context, method string, params, out any) error
	// Wake starts the process of a parked session again; nothing of one that runs.
	Wake(ctx context.Context) error
	// Done is closed when the actor has returned; Gone is the error of calls after that.
	Done() <-chan struct{}
	Gone() error

	// The methods below are called in the actor.

	// Fold is the session's evidence, Spec its command, Value the value to publish, which
	// the delivery changes.
	Fold() *state.Fold
	Spec() *launch.Spec
	Value() *api.Session
	// Restarting reports whether a call is starting the process again, Prompted whether
	// this process has taken a prompt, Resumed whether it took up a conversation and no prompt
	// yet, LacksTools whether it was given our tools and has not listed them, Outside whether
	// the session has no pane.
	Restarting() bool
	Prompted() bool
	LacksTools() bool
	Resumed() bool
	Outside() bool
	// NotRunning is the error of a call that needs a process.
	NotRunning() error
	// Known reports whether an idempotency key was weighed, Remember adds one.
	Known(key string) bool
	Remember(key string)
	// Publish saves and publishes the session, with an event of that type unless it is "".
	// key is the event's idempotency key.
	Publish(eventType, message, key string) <-chan error
}

// Options of a Delivery.
type Options struct {
	// Session is the session's id, Dir its directory.
	Session, Dir string
	Adapter      agents.Adapter
	// Context ends with the session. Go starts a goroutine that its owner waits for.
	Context context.Context
	Go      func(fn func())
	// Give gives the agent a prompt in another way than by keys; handled is false if it cannot
	// now: then the prompt is typed. Nil: never.
	Give func(ctx context.Context, id, text string) (handled bool, err error)
	// Timeout is how long a delivery that is not patient waits for each of its steps.
	Timeout func() time.Duration
	// Pause stops at the points of a delivery, for tests.
	Pause  func(point string)
	Now    func() time.Time
	Logger *slog.Logger
}

// Delivery types prompts into one session. Make it with New.
type Delivery struct {
	s Session
	o Options

	// Owned by the session's actor.
	flight  *InFlight     // nil: none
	first   string        // the prompt that the session was made with, until its outcome is known; "" for none
	queue   queuedPrompts // prompts that may be in the agent's own queue
	last    string        // the prompt that the agent took last, queued or not, as it is shown
	watched bool          // watchQueue is running
	typing  int           // transactions whose keys may be under way to the agent
	// toolPassed is when the hook of the newest tool call had its reply; zero: none had.
	toolPassed time.Time

	// Guarded by sending, which the prompt in flight holds.
	sending    chan struct{}                     // one slot
	sent       *once.Memory[string, sendOutcome] // outcomes of the newest deliveries
	patient    bool                              // the delivery waits without limit
	hostMissed bool                              // it has waited for its host already (logged once)
	stashed    bool                              // the user's draft was stashed for it
	queueKeys  bool                              // it is typed by the keys that queue it (agents.Queuer)
	refusals   int                               // refused commands that the screen showed before it
	half       bool                              // a dialog was open between its text and the key that submits it
	earlier    string                            // the transaction by which an earlier daemon may be putting a draft back; "" for none
}

// New makes the delivery of a session.
func New(s Session, o Options) *Delivery {
	return &Delivery{s: s, o: o, sending: make(chan struct{}, 1), sent: once.NewMemory[string, sendOutcome](sendsKept)}
}

// InFlight is the prompt in flight. It is saved with the session: after the daemon was
// killed, the next one knows what became of it.
type InFlight struct {
	ID string `json:"id"`
	// Want is the beginning of the text, squeezed, at most maxWant bytes.
	Want string     `json:"want"`
	Ack  agents.Ack `json:"ack"`
	// Met is true once the agent has taken the prompt.
	Met bool `json:"met,omitempty"`
}

// Saved returns what to save of the delivery: the prompt in flight (nil for none) and the
// session's first prompt until its outcome is known. In the actor.
func (d *Delivery) Saved() (*InFlight, string) { return d.flight, d.first }

// Restore sets what an earlier daemon saved, or the first prompt of a new session; before the
// actor runs.
func (d *Delivery) Restore(p *InFlight, first string) { d.flight, d.first = p, first }

// RestoreDraft tells of a draft that an earlier daemon may be putting back (PutBack) by that id; before
// the actor runs.
func (d *Delivery) RestoreDraft(id string) { d.earlier = id }

// readyLimit bounds the wait for bracketed paste mode.
const readyLimit = 5 * time.Second

// maxDialogs bounds how often a patient delivery restarts because a dialog opened during
// it.
const maxDialogs = 100

// Bounds of texts for people, in runes.
const (
	maxEventText = 200
	maxUnsent    = 500
	maxQuestion  = 200
)

// Points at which tests stop the daemon (Options.Pause).
const (
	PauseExpecting = "expecting" // the prompt is on disk, nothing is typed
	PauseTyped     = "typed"     // the host has typed it
	PauseEnter     = "enter"     // Enter was pressed once more
	PauseTaken     = "taken"     // the agent took it; the caller has no answer yet
	PauseNoted     = "noted"     // the outcome is on disk
)

// Outcomes of SendResult.Status.
const (
	statusDelivered = "delivered"
	statusQueued    = "queued"
)

// Send types a prompt and waits for its acknowledgement: the agent took it, or, for agents
// without hooks, it was written. A retry with the same id types nothing and returns the first
// outcome.
func (d *Delivery) Send(ctx context.Context, p api.SendPrompt) (api.SendResult, error) {
	return d.SendClaimed(ctx, p, nil)
}

// SendClaimed is Send for a prompt that its sender may take back until it is typed: claim is
// called once the session takes input, and again for each further attempt to type it. If
// claim fails, nothing is typed, the delivery ends with that error and leaves no event; so
// does one that ends before claim was called. Nil claims nothing.
func (d *Delivery) SendClaimed(ctx context.Context, p api.SendPrompt, claim func(context.Context) error) (api.SendResult, error) {
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
		p.ID = rand.Text()[:16]
	}
	// One delivery at a time: prompts arrive in the order of the calls.
	select {
	case d.sending <- struct{}{}:
		defer func() { <-d.sending }()
	case <-ctx.Done():
		return api.SendResult{}, ctx.Err()
	case <-d.s.Done():
		return api.SendResult{}, d.s.Gone()
	}
	d.patient, d.hostMissed, d.half = p.Wait, false, false
	if old, known := d.sent.Get(p.ID); known {
		return old.result, old.err
	}
	known := false
	if err := d.s.Do(ctx, func() { known = d.s.Known(sentKey(p.ID)) }); err != nil {
		return api.SendResult{}, err
	}
	if known { // by an earlier daemon
		return api.SendResult{ID: p.ID, Status: statusDelivered}, nil
	}
	claimed := claim == nil
	result, err := d.deliver(ctx, p.ID, text, p.Wait, func(ctx context.Context) error {
		if claim != nil {
			if err := claim(ctx); err != nil {
				return err
			}
		}
		claimed = true
		return nil
	})
	if err != nil && !claimed {
		return result, err
	}
	if err != nil && errors.Is(context.Cause(ctx), api.ErrStopping) {
		return result, api.ErrStopping // no outcome: the retry of the next daemon has it
	}
	if err == nil || api.CodeOf(err) == api.CodeTimeout {
		d.sent.Put(p.ID, sendOutcome{result, err})
	}
	d.noteSend(text, result, err)
	d.o.Pause(PauseNoted)
	return result, err
}

// sentKey is the idempotency key of the event about a delivered prompt.
func sentKey(id string) string { return "sent:" + id }

// noteSend publishes the outcome of a delivery and waits until it is visible, together with
// the agent's evidence before it.
func (d *Delivery) noteSend(text string, result api.SendResult, err error) {
	message := result.Status + ": " + agents.Visible(text, maxEventText)
	if err != nil {
		why := err.Error()
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			why = "its sender did not wait for the agent to take it"
		}
		message = "not delivered (" + why + "): " + agents.Visible(text, maxEventText/2)
	}
	_, _ = d.s.Commit(d.o.Context, func() (<-chan error, error) { // fails only if the session is gone
		d.flight = nil
		key := ""
		if err == nil {
			key = sentKey(result.ID)
			d.s.Remember(key)
		} else if api.CodeOf(err) == api.CodeTimeout {
			v := d.s.Value()
			v.Undelivered, v.Unread = agents.Visible(text, maxUnsent), true
		}
		return d.s.Publish(api.EventPrompt, message, key), nil
	})
}

// deliver waits until the session takes input, claims and types the prompt, and waits for
// the acknowledgement.
func (d *Delivery) deliver(ctx context.Context, id, text string, patient bool, claim func(context.Context) error) (api.SendResult, error) {
	result := api.SendResult{ID: id, Status: statusDelivered}
	ack := agents.Ack{}
	if a, ok := d.o.Adapter.(agents.Deliverer); ok {
		ack = a.AckOf(text)
	}
	for n := 1; ; n++ {
		met, err := d.alreadyTaken(ctx, id)
		if met || err != nil {
			return result, err
		}
		state, err := d.awaitInput(ctx, patient, ack.Idle && !(ack.Queues && d.knowsScreen(ctx)))
		if err != nil {
			return result, err
		}
		if state == api.StateWorking && d.o.Adapter.Managed() {
			result.Status = statusQueued
			_, d.queueKeys = d.o.Adapter.(agents.Queuer)
		} else {
			d.queueKeys = false
		}
		if err := claim(ctx); err != nil {
			return result, err
		}
		tx := id
		if n > 1 {
			tx = id + "+" + strconv.Itoa(n)
		}
		queued, err := d.typeIn(ctx, id, tx, text, ack, patient)
		if n < maxDialogs && d.missedOld(ctx, id, err) {
			continue
		}
		if ack.Command || ack.Shell || d.queueKeys {
			result.Status = statusDelivered
			if queued {
				result.Status = statusQueued
			}
		}
		if !patient && !d.half || api.CodeOf(err) != api.CodeDialogOpen || n == maxDialogs {
			return result, err
		}
		select {
		case <-time.After(lookPause): // the agent may still report a dialog that was answered
		case <-ctx.Done():
			return result, ctx.Err()
		}
	}
}

// alreadyTaken reports whether an earlier daemon saw the prompt taken.
func (d *Delivery) alreadyTaken(ctx context.Context, id string) (met bool, err error) {
	err = d.s.Do(ctx, func() { met = d.flight != nil && d.flight.ID == id && d.flight.Met })
	return met, err
}

// typeIn types the prompt as transaction tx, which the host carries out at most once, and
// waits until the agent takes it. queued: the agent keeps it until the turn's end.
func (d *Delivery) typeIn(ctx context.Context, id, tx, text string, ack agents.Ack, patient bool) (queued bool, err error) {
	limit := d.o.Timeout()
	resumed := false
	err = d.expect(ctx, patient, func() (<-chan error, error) {
		if d.s.Fold().Status != "" && ack.None() || ack.Command && !d.canReadScreen() {
			ack.Working = true // the agent has no hooks, but a program status
		}
		resumed = d.flight != nil && d.flight.ID == id
		if resumed {
			d.flight.Ack = ack // the daemon that began may have been of another version
		} else {
			d.flight = &InFlight{ID: id, Want: agents.Cut(squeeze(text), maxWant), Ack: ack}
		}
		return d.s.Publish("", "", ""), nil
	})
	if err != nil {
		return false, err
	}
	d.o.Pause(PauseExpecting)
	if err := d.submit(ctx, tx, text, resumed, ack, patient); err != nil {
		return false, err
	}
	d.o.Pause(PauseTyped)
	switch {
	case ack.None():
		return false, nil
	case (ack.Command || ack.Shell) && d.canReadScreen():
		queued, err = d.takenCommand(ctx, id, text, limit)
	case d.queueKeys && d.canReadScreen():
		queued, err = d.takenQueued(ctx, id, tx, text, ack, limit)
	default:
		err = d.takenPrompt(ctx, id, tx, text, ack, limit)
	}
	if err == nil {
		d.awaitDraft(ctx)
		d.o.Pause(PauseTaken)
	} else if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		err = api.Errorf(api.CodeTimeout, "the prompt was typed and the agent did not take it within %s: look at the pane", limit)
	}
	return queued, err
}

// saveRetry is the back-off of a patient delivery that cannot be saved.
const saveRetry = time.Second

// expect saves the prompt in flight before it is typed: a prompt that no later daemon would
// know of is not typed. patient: it retries until ctx ends.
func (d *Delivery) expect(ctx context.Context, patient bool, fn func() (<-chan error, error)) error {
	for {
		unsaved, err := d.s.Commit(ctx, fn)
		switch {
		case unsaved == nil || err != nil:
			return err
		case !patient:
			_ = d.s.Do(ctx, func() { d.flight = nil }) // fails with the call
			return api.Errorf(api.CodeInternal, "the prompt was not sent, because that could not be saved: %v%s", unsaved, hint.Of(unsaved))
		}
		select {
		case <-time.After(saveRetry):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// sendOutcome is the outcome of one delivery.
type sendOutcome struct {
	result api.SendResult
	err    error
}

// sendsKept is the number of delivery outcomes kept: as many as a host keeps.
const sendsKept = 1024

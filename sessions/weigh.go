package sessions

import (
	"slices"
	"strconv"
	"time"

	"ccdir/api"
	"ccdir/sessions/state"
)

// change is the effect of evidence besides the state.
type change struct {
	// event is published with the change; nil: no event, unless the state changes. Its
	// session, times and states are filled in.
	event *api.Event
	// key is the event's idempotency key; "" for none.
	key string
	// set changes the session's value; nil: nothing.
	set func(*api.Session)
	// always publishes the session even if its value is the same.
	always bool
	// prompt is the prompt that the agent took, reply the last message of a turn that
	// ended; "" for none.
	prompt, reply string
	// transcript is the agent's file of the conversation; "" if not reported.
	transcript string
	// request opened, ended is the end of one; nil: none.
	request *api.Request
	ended   *api.Decision
}

// weigh takes evidence through the steps of weighSteps, publishes what it changed, and returns
// the journal's answer; nil if nothing had to be written. Every evidence goes through every
// step. In the actor.
func (s *session) weigh(e api.Evidence, c change) <-chan error {
	w := &weighing{session: s, e: e, timed: e.Source == api.SourceTimer, c: c, was: s.fold, before: s.cur}
	for i := range s.r.steps {
		s.r.steps[i].do(w)
	}
	return s.publish(w.c, !sameSession(w.before, s.cur))
}

// weighing is one piece of evidence on its way through the steps.
type weighing struct {
	*session
	// e is the evidence as it came; from step "fold" on, that which a timer put into force.
	e     api.Evidence
	timed bool // it came from the timer
	// c is the effect besides the state, which the steps complete.
	c change
	// was and before are fold and value before the evidence.
	was    state.Fold
	before api.Session
}

// weighStep is one step of weigh.
type weighStep struct {
	name string
	do   func(*weighing)
	// after are the steps that have to be earlier, why is the reason. Steps between which no
	// chain of these leads may change places.
	after []string
	why   string
}

// weighSteps are the steps of weigh in their order.
func weighSteps() []weighStep {
	return []weighStep{
		{"requests", (*weighing).observe, nil,
			"the table of requests takes the evidence as it came"},
		{"fold", (*weighing).apply, []string{"requests"},
			"of a timer, the evidence becomes the one that it puts into force, which the requests have observed before"},
		{"question", (*weighing).updateQuestion, []string{"fold"},
			"it words the state and the dialog that the fold has now"},
		{"snooze", (*weighing).endSnooze, []string{"fold"},
			"it ends if the session waits for something else than before the evidence"},
		{"screen", (*weighing).lookAgain, []string{"fold"},
			"the fold says why the screen has to be watched"},
		{"dialogs", (*weighing).endDialogs, []string{"fold"},
			"a request whose evidence does not name it ends because the session has stopped waiting"},
		{"unread", (*weighing).markUnread, []string{"fold"},
			"only a change of the state is news"},
		{"queue", (*weighing).countQueue, []string{"fold"},
			"a prompt was queued if the fold counts more of them than before the evidence"},
		{"delivery", (*weighing).acknowledgePrompt, []string{"fold"},
			"a prompt may be acknowledged by the state that it leads to"},
		{"turn", (*weighing).noteFacts, []string{"delivery"},
			"the prompt that is acknowledged begins the facts of a turn anew, and this evidence belongs to them"},
		{"value", (*weighing).setValue, nil,
			"the evidence's own values need nothing of the fold"},
		{"retry", (*weighing).noteRetry, []string{"fold"},
			"it is a detail of the state that the fold has now"},
		{"interrupted", (*weighing).noteInterrupted, []string{"fold", "value"},
			"an interrupted turn has no answer, whatever the evidence has set"},
		{"event", (*weighing).complete, []string{"fold", "interrupted"},
			"it tells the change of the state, and whether that was an interruption"},
	}
}

// observe ends the requests that were answered elsewhere according to the evidence.
func (w *weighing) observe() { w.endRequests(w.requests.Observe(w.e, w.r.now())) }

// apply folds the evidence.
func (w *weighing) apply() {
	w.fold = w.fold.Apply(w.e)
	if w.timed && w.stateChanged() && w.fold.Winner != nil {
		w.e = *w.fold.Winner
	}
	w.cur.State, w.cur.Since = w.fold.State, w.fold.Since
	if w.was.Parking && !w.fold.Parking && !w.fold.State.Stopped() {
		w.cur.KeptDraft, w.draftOf = "", "" // it is in the input line of the process, which goes on
	}
}

// stateChanged reports whether the evidence has changed the state.
func (w *weighing) stateChanged() bool { return w.fold.State != w.was.State }

// endSnooze ends the snooze if the session waits for something else, or no longer.
func (w *weighing) endSnooze() {
	if w.waitsForElse() {
		w.cur.SnoozedUntil = time.Time{}
	}
}

// waitsForElse reports whether the session waits for something else than before, or no longer.
// Requests that open or end are handled by their own events.
func (w *weighing) waitsForElse() bool {
	was := &w.was
	if w.stateChanged() || !w.fold.Since.Equal(was.Since) {
		open, _ := w.requests.Waiting()
		behind := !was.State.NeedsPerson() && w.fold.State.NeedsPerson() && open > 0
		return !behind
	}
	before, now := was.Dialogs, w.fold.Dialogs
	if len(before) == 0 && len(now) == 0 {
		return was.Question != "" && w.fold.Question != "" && was.Question != w.fold.Question
	}
	// The first hook may be about the dialog that other evidence reported before.
	return len(before) > 0 && !slices.EqualFunc(before, now, state.SameDialog)
}

// endDialogs ends the requests whose dialogs are closed because the session waits for nobody
// any longer.
func (w *weighing) endDialogs() {
	if !w.was.State.NeedsPerson() || w.fold.State.NeedsPerson() {
		return
	}
	by, at := w.e.Source, w.e.At
	if w.timed {
		by, at = api.SourceTimer, w.r.now() // not when its evidence came
	}
	w.endRequests(w.requests.StoppedWaiting(by, at))
}

// markUnread marks the session where a person wants to know of the new state.
func (w *weighing) markUnread() {
	now, rests := w.fold.State, w.fold.State == api.StateIdle && w.was.State == api.StateWorking
	if w.stateChanged() && (now.NeedsPerson() || rests || w.endIsNews()) {
		w.cur.Unread = true
	}
}

// endIsNews reports whether the session has ended so that a person wants to know of it. One that was
// lost is shown as failed in any case, and one that ended well is not: both stay as unread as they
// are, so that they have no other news once they are started again.
func (w *weighing) endIsNews() bool {
	if w.fold.State != api.StateExited {
		return false
	}
	code, err := strconv.Atoi(w.e.Fields["code"])
	v := api.Session{State: api.StateExited, ExitCode: &code, Unread: true}
	return w.cur.Task != "" || err != nil || v.Standing(time.Time{}) == api.StandingFailed
}

// countQueue updates the prompts in the agent's own queue.
func (w *weighing) countQueue() { w.delivery.CountQueue(w.was.Queued, w.c.prompt) }

// acknowledgePrompt tells the delivery of the evidence.
func (w *weighing) acknowledgePrompt() {
	if w.acknowledge(w.e, w.was.State, w.c.prompt) {
		w.c.always = true
	}
}

// noteFacts updates the facts of a task's turn. What a timer puts into force was noted when it
// came, with the message and the conversation that came with it.
func (w *weighing) noteFacts() {
	if !w.timed && w.noteTurn(w.e, w.c) {
		w.c.always = true
	}
}

// setValue sets the values that the evidence has besides the state.
func (w *weighing) setValue() {
	if w.c.set != nil {
		w.c.set(&w.cur)
	}
}

// complete makes the event of a change of state that has none, and fills in states and time.
func (w *weighing) complete() {
	c := &w.c
	if c.event == nil && w.stateChanged() {
		c.event = &api.Event{Type: api.EventSessionState, Source: eventSource(w.e), Message: stateMessage(w.e)}
		if w.cur.Interrupted && !w.before.Interrupted {
			c.event.Kind, c.event.Message = api.KindTurnInterrupted, "the turn was interrupted"
		}
	}
	if c.event != nil {
		c.event.StateFrom, c.event.StateTo = w.was.State, w.fold.State
		if c.event.At.IsZero() {
			c.event.At = w.e.At
		}
	}
}

// noteInterrupted sets whether the last turn was interrupted. What a turn before it
// answered is not its answer.
func (s *session) noteInterrupted() {
	if s.fold.Interrupted && !s.cur.Interrupted {
		s.cur.Answer, s.cur.Failure = "", nil
	}
	s.cur.Interrupted = s.fold.Interrupted
}

// eventSource names the evidence's source in events.
func eventSource(e api.Evidence) string {
	switch e.Source {
	case api.SourceHook:
		return "hook"
	case api.SourceDelivery:
		return "daemon"
	default:
		return "host"
	}
}

// stateMessage describes a change of state that no hook's event explains.
func stateMessage(e api.Evidence) string {
	if e.Detail != "" {
		return e.Detail
	}
	return e.Name
}

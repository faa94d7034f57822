package state

import (
	"slices"
	"time"

	"ccdir/api"
	"ccdir/internal/once"
)

// Bounds of Requests.
const (
	// maxRequests bounds a session's open requests: an agent shows one dialog at a time,
	// its subagents a few more.
	maxRequests = 16
	// endedKept bounds the ended requests that are remembered for retried calls.
	endedKept = 32
	// maxRequestInput bounds a request's input, in bytes: nobody can judge more.
	maxRequestInput = 1 << 20
)

// Requests is the table of a session's permission requests. It alone knows which are open.
// A request opens, is claimed by its first answer (or by whatever else ends it), and is
// closed when the ledger has its end. Unlike a Fold it is changed in place, and it is not
// saved: the calls that wait for the requests make them again with the next daemon. Make it
// with NewRequests.
type Requests struct {
	// rows are the requests that are not closed, oldest first.
	rows []*row
	// ended are the ends of closed requests by call, for calls that are made again.
	ended *once.Memory[string, api.Decision]
	calls callLog
}

// row is one request.
type row struct {
	q api.Request
	// call is the id of the call that waits for the answer; digest is the InputDigest.
	call, digest string
	// waiters counts the calls in flight.
	waiters int
	// visible: people see it. claimed: its end is being recorded.
	visible, claimed bool
	// deadline ends the request, and so does hangUp, when no call waits any longer (zero:
	// one does). closing ends it because its dialog seems to be closed (zero: it does not),
	// by a status that came at cleared.
	deadline, hangUp, closing, cleared time.Time
}

// End is the end of a request that nobody answered.
type End struct {
	Call     string
	Decision api.Decision
}

// NewRequests returns an empty table.
func NewRequests() *Requests {
	return &Requests{ended: once.NewMemory[string, api.Decision](endedKept)}
}

// Ended returns how the call's request ended; ok is false as long as it is open, and for
// calls that are not known (any more).
func (t *Requests) Ended(call string) (d api.Decision, ok bool) { return t.ended.Get(call) }

// Join adds a waiter to the open request of a call that is made again; false if it has none.
func (t *Requests) Join(call string) bool {
	r := t.row(call)
	if r == nil {
		return false
	}
	r.waiters++
	r.hangUp = time.Time{}
	return true
}

// Leave removes a waiter, which hung up. Without waiters the request stays open for
// hangUpTime, since the caller may be dialling again.
func (t *Requests) Leave(call string, now time.Time) {
	r := t.row(call)
	if r == nil {
		return
	}
	if r.waiters--; r.waiters <= 0 {
		r.hangUp = now.Add(hangUpTime)
	}
}

// Open adds the request of a call, with one waiter. It fills in ToolUseID, and Since, Deadline
// and Kind where they are zero. A refusal that is not nil ends the request at once: a limit was
// reached (full: that of all sessions), or the agent has gone on already.
func (t *Requests) Open(call string, q api.Request, now time.Time, full bool) (filled api.Request, refusal *End) {
	if q.Since.IsZero() {
		q.Since = now.UTC()
	}
	if limit := now.Add(HoldTime).UTC(); q.Deadline.IsZero() || q.Deadline.After(limit) {
		q.Deadline = limit
	}
	if q.Kind == "" {
		q.Kind = api.RequestPermission
	}
	over := func(outcome api.RequestOutcome, why string) {
		refusal = &End{call, api.Decision{Outcome: outcome, Reason: why}}
	}
	switch {
	case len(q.Input) > maxRequestInput:
		over(api.OutcomeLimit, "the tool's input is too large to be shown: answer in the pane")
		q.Input = nil
	case len(t.every(func(*row) bool { return true })) >= maxRequests:
		over(api.OutcomeLimit, "the session has too many open requests: answer in the pane")
	case full:
		over(api.OutcomeLimit, "too many requests are open: answer in the pane")
	}
	digest := InputDigest(q.Input)
	if refusal == nil && q.Origin != api.OriginMCP {
		if why := t.calls.claim(&q, digest); why != "" {
			over(api.OutcomeElsewhere, why)
		}
	}
	// Both have a monotonic part: the clock may be set.
	t.rows = append(t.rows, &row{q: q, call: call, digest: digest, waiters: 1, deadline: now.Add(q.Deadline.Sub(now))})
	return q, refusal
}

// Show makes a request visible to people, or sets who is asked first. It returns the
// request.
func (t *Requests) Show(call string, stage api.RequestStage) api.Request {
	r := t.row(call)
	if r == nil {
		return api.Request{}
	}
	r.visible, r.q.Stage = true, stage
	return r.q
}

// Claim reserves the request for the end that is about to be recorded; ok is false if it
// has ended or another end was first.
func (t *Requests) Claim(call string) (q api.Request, ok bool) {
	r := t.row(call)
	if r == nil || r.claimed {
		return q, false
	}
	r.claimed = true
	return r.q, true
}

// Claimed reports whether the end of a call's request is being recorded.
func (t *Requests) Claimed(call string) bool {
	r := t.row(call)
	return r != nil && r.claimed
}

// Reopen gives back a claimed request whose end could not be recorded, and shows it to people.
// It returns the request; first: nobody saw it before.
func (t *Requests) Reopen(call string) (q api.Request, first bool) {
	r := t.row(call)
	if r == nil {
		return api.Request{}, false
	}
	first, r.claimed, r.visible, r.q.Stage = !r.visible, false, true, api.StagePerson
	return r.q, first
}

// Close removes a claimed request and remembers its end.
func (t *Requests) Close(call string, d api.Decision) {
	t.rows = slices.DeleteFunc(t.rows, func(r *row) bool { return r.call == call })
	t.ended.Put(call, d)
}

// Wake returns when Due has to be called; zero: never.
func (t *Requests) Wake() (at time.Time) {
	for _, r := range t.every(func(*row) bool { return true }) {
		for _, due := range []time.Time{r.deadline, r.hangUp, r.closing} {
			if !due.IsZero() && (at.IsZero() || due.Before(at)) {
				at = due
			}
		}
	}
	return at
}

// Due returns the requests that end because time has passed.
func (t *Requests) Due(now time.Time) (ends []End) {
	passed := func(due time.Time) bool { return !due.IsZero() && !now.Before(due) }
	for _, r := range t.every(func(*row) bool { return true }) {
		switch {
		case passed(r.deadline):
			ends = append(ends, End{r.call, api.Decision{Outcome: api.OutcomeDeadline, Reason: "nobody answered in time"}})
		case passed(r.hangUp):
			ends = append(ends, End{r.call, api.Decision{Outcome: api.OutcomeHungUp, Reason: "the agent waits no longer"}})
		case passed(r.closing):
			ends = append(ends, End{r.call, elsewhere(dialogClosed)})
		}
	}
	return ends
}

// OpenRequest is an open request as others see it.
type OpenRequest struct {
	Call    string
	Request api.Request
}

// Visible returns the open requests that people can answer, oldest first.
func (t *Requests) Visible() (list []OpenRequest) {
	for _, r := range t.every(func(r *row) bool { return r.visible }) {
		list = append(list, OpenRequest{r.call, r.q})
	}
	return list
}

// Waiting counts the visible requests, also those whose end is being recorded. answerable:
// one of them can be answered outside the pane.
func (t *Requests) Waiting() (n int, answerable bool) {
	for _, r := range t.rows {
		if !r.visible {
			continue
		}
		n++
		answerable = answerable || r.q.Kind != api.RequestQuestion || r.q.Origin == api.OriginMCP || r.q.Questions > 0
	}
	return n, answerable
}

// Len counts the requests that are not closed.
func (t *Requests) Len() int { return len(t.rows) }

// row returns the request of a call that is not closed; nil if there is none.
func (t *Requests) row(call string) *row {
	if i := slices.IndexFunc(t.rows, func(r *row) bool { return r.call == call }); i >= 0 {
		return t.rows[i]
	}
	return nil
}

// every returns the requests that are not claimed and that choose selects, oldest first.
func (t *Requests) every(choose func(*row) bool) (list []*row) {
	for _, r := range t.rows {
		if !r.claimed && choose(r) {
			list = append(list, r)
		}
	}
	return list
}

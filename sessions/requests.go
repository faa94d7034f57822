package sessions

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"slices"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/contain"
	"ccdir/sessions/mailbox"
	"ccdir/sessions/state"
)

// maxOpenRequests bounds the open requests of all sessions.
const maxOpenRequests = 512

// PauseRecorded is the point (Options.Pause) after the end of a request is in the ledger and
// before it takes effect.
const PauseRecorded = "recorded"

// openRequest holds the actor's values of an open request besides the table's row. It is
// read by others after the request has ended.
type openRequest struct {
	// endLead ends the question to the lead; nil: nobody asked it.
	endLead context.CancelFunc
	// unrecorded is why the last approval was not given; nil: there was none.
	unrecorded error
	// taken are closed when a call that waits has the decision.
	taken []<-chan struct{}
}

// permission holds the permission request of a hook and returns the reply for the agent;
// empty for other hooks.
func (r *Registry) permission(ctx context.Context, s *session, c api.Caller, h agents.Hook, call string) (reply api.HookReply, err error) {
	adapter, ok := s.adapter.(agents.Permissions)
	if !ok {
		return reply, nil
	}
	give := func(d api.Decision) { reply.Stdout = adapter.PermissionReply(d) }
	if holder, ok := s.adapter.(agents.DialogHolder); ok {
		err = s.askBriefly(ctx, c, h, call, holder.HoldDialog(), give)
	} else {
		err = s.ask(ctx, c, h, call, give)
	}
	return reply, err
}

// ask holds the request of a dialog that the agent reports by h, and gives its end to give,
// which takes it to the agent; without a call of give the dialog in the pane decides. It
// blocks until then, or until ctx ends: the agent waits no longer. call names the agent's
// question: asked again under the same id, also of the next daemon, it is the same request.
// The evidence that the dialog is open is weighed before, by hook.
func (s *session) ask(ctx context.Context, c api.Caller, h agents.Hook, call string, give func(api.Decision)) error {
	adapter, ok := s.adapter.(agents.Permissions)
	if !ok || s.r.o.Policy == nil {
		return nil
	}
	q, ok := adapter.DialogRequest(h)
	if !ok {
		return nil
	}
	var known *api.Answer
	if s.allowedBefore(ctx, h) {
		known = &api.Answer{Behavior: api.AnswerAllow, Message: "a person has allowed this call"}
	}
	return s.askFor(ctx, c, q, state.HoldTime, h, call, known, give)
}

// askFor is ask for a request q about the call in h, which is held for a time. known is an
// answer that was given before, nil for none; the policy's is before it.
func (s *session) askFor(ctx context.Context, c api.Caller, q api.Request, hold time.Duration, h agents.Hook, call string, known *api.Answer, give func(api.Decision)) error {
	if limit := s.r.o.Config().PermissionTimeout; limit > 0 {
		hold = min(hold, limit)
	}
	q.Since, q.Deadline = h.Evidence.At, h.Evidence.At.Add(hold)
	if h.CWD != "" {
		c.CWD = h.CWD
	}
	c.CWD = in(c.CWD, h.Dir)
	q.Sandbox = s.wallRefuses(c, q.Tool, q.Input)
	answer := known
	s.guard(func() {
		if a, ok := s.r.o.Policy.Request(c, &q); ok {
			answer = &a
		}
	})
	d, err := s.hold(ctx, call, q, answer)
	if err == nil {
		give(d)
	}
	return err
}

// Hold opens a request of the session that it names, asks its lead and people, and blocks
// until it has ended; it fails only if ctx ends or the daemon stops. call is as for
// session.ask; "": the request has nothing to be recognised by.
func (r *Registry) Hold(ctx context.Context, call string, q api.Request) (api.Decision, error) {
	s, err := r.find(q.Session)
	if err != nil {
		return api.Decision{}, err
	}
	return s.hold(ctx, call, q, nil)
}

// hold is Hold; answer is the policy's, nil: it has none. The caller waits as one of the
// actor's waiters.
func (s *session) hold(ctx context.Context, call string, q api.Request, answer *api.Answer) (d api.Decision, err error) {
	if call == "" {
		call = "\x00" + rand.Text()
	}
	running := false
	var w *mailbox.Waiter
	err = s.do(ctx, func() {
		if running = !s.fold.State.Stopped(); running {
			s.openRequest(call, q, answer, api.Delivery(ctx))
			w = s.box.Expect(func() (over bool) {
				d, over = s.requests.Ended(call)
				return over
			})
		}
	})
	switch {
	case err != nil:
		return api.Decision{}, err
	case !running:
		return api.Decision{Request: q, Outcome: api.OutcomeSession, Reason: "the session's process has ended"}, nil
	}
	if err := s.box.WaitFor(ctx, w); err != nil {
		s.post(func() { s.requests.Leave(call, s.r.now()) })
		return api.Decision{}, err
	}
	return d, nil
}

// openRequest joins the open request of the call, or opens one; in the actor. taken is
// closed when the call has the decision; nil: it does not say so.
func (s *session) openRequest(call string, q api.Request, answer *api.Answer, taken <-chan struct{}) {
	if _, ended := s.requests.Ended(call); ended {
		return
	}
	if s.requests.Join(call) {
		s.open[call].await(taken)
		return
	}
	q.ID, q.Session = s.r.nameRequest(s.id, call), s.id
	q, refusal := s.requests.Open(call, q, s.r.now(), s.r.openRequests.Add(1) > maxOpenRequests)
	o := &openRequest{}
	o.await(taken)
	s.open[call] = o
	switch {
	case refusal != nil:
		s.endRequest(call, refusal.Decision)
	case answer != nil && state.ValidAnswer(*answer, q) == nil:
		s.endRequest(call, state.Answered(*answer, api.ByPolicy))
	default:
		s.showRequest(call, o)
	}
}

// await adds a channel that is closed when a waiting call has the decision; nil is ignored.
func (o *openRequest) await(taken <-chan struct{}) {
	o.taken = slices.DeleteFunc(o.taken, closed)
	if taken != nil {
		o.taken = append(o.taken, taken)
	}
}

// closed reports whether a channel without values is closed.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// showRequest makes a request visible and asks the lead, which may think while people
// answer; in the actor.
func (s *session) showRequest(call string, o *openRequest) {
	stage := api.StagePerson
	if s.r.o.Policy != nil {
		stage = api.StageLead
	}
	q := s.requests.Show(call, stage)
	if s.r.o.Policy != nil {
		var ctx context.Context
		ctx, o.endLead = context.WithCancel(s.ctx)
		s.r.wg.Go(func() { s.askLead(ctx, call, q) })
	}
	s.listRequests()
	s.requestOpened(q)
}

// askLead asks the lead. Without an answer the request is left to people.
func (s *session) askLead(ctx context.Context, call string, q api.Request) {
	var a api.Answer
	ok := false
	s.guard(func() { a, ok = s.r.o.Policy.AskLead(ctx, q) })
	s.post(func() {
		if ok && state.ValidAnswer(a, q) == nil {
			s.endRequest(call, state.Answered(a, api.ByLead))
			return
		}
		s.requests.Show(call, api.StagePerson)
		s.listRequests()
	})
}

// listRequests publishes the requests that people can answer; in the actor.
func (s *session) listRequests() {
	list := s.requests.Visible()
	s.tellAll(func(v *shared) { v.requests = list })
}

// endRequest claims a request for its end and has that recorded; then settleRequest makes it
// known. An approval that cannot be recorded is not given: the request is open again, for
// people. In the actor. It returns false if another end was first, or the registry closes: the
// call then asks the next daemon.
func (s *session) endRequest(call string, d api.Decision) bool {
	if !s.r.beginEnd() {
		return false
	}
	q, ok := s.requests.Claim(call)
	if !ok {
		s.r.ends.Done()
		return false
	}
	if end := s.open[call].endLead; end != nil {
		end()
	}
	d.Request, d.At = q, s.r.now()
	s.listRequests()
	contain.Go(s.r.log, func() { // the ledger's disk must not block the actor
		defer s.r.ends.Done()
		err := s.recordEnd(d)
		_ = s.do(s.ctx, func() { // fails when the session is gone, and its waiters with it
			if err != nil && d.Answer != nil && d.Answer.Behavior != api.AnswerDeny {
				s.reopenRequest(call, err)
			} else {
				s.settleRequest(call, d)
			}
			s.box.Wake() // before Close may end the actor
		})
	})
	return true
}

// beginEnd counts the end of a request, so that Close waits until it is settled; false after
// Close.
func (r *Registry) beginEnd() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.ends.Add(1)
	}
	return !r.closed
}

// recordEnd writes the end of a request to the ledger.
func (s *session) recordEnd(d api.Decision) error {
	if s.r.o.Policy == nil {
		return nil
	}
	err := errors.New("the ledger failed") // unless Record returns
	s.guard(func() { err = s.r.o.Policy.Record(d) })
	s.r.pause(PauseRecorded)
	if err != nil {
		s.r.log.Error("a decision could not be recorded", "request", d.Request.ID, "outcome", d.Outcome, "error", err)
	}
	return err
}

// reopenRequest gives a claimed request back, whose approval could not be recorded, and shows it
// to people. In the actor.
func (s *session) reopenRequest(call string, why error) {
	s.open[call].unrecorded = why
	q, first := s.requests.Reopen(call)
	s.listRequests()
	if first {
		s.requestOpened(q)
	}
}

// settleRequest closes a request whose end is recorded: it publishes the end, and the
// actor's waiters take it. In the actor.
func (s *session) settleRequest(call string, d api.Decision) {
	s.requests.Close(call, d)
	delete(s.open, call)
	s.r.openRequests.Add(-1)
	s.requestEnded(d)
}

// endRequests ends requests that nobody answered; in the actor.
func (s *session) endRequests(ends []state.End) {
	for _, end := range ends {
		s.endRequest(end.Call, end.Decision)
	}
}

// requestLetters is the alphabet of the ids of requests: lower case, letters before digits.
var requestLetters = base32.NewEncoding("abcdefghijkmnpqrstuvwxyz23456789").WithPadding(base32.NoPadding)

const (
	// requestIDLen is the minimum length of a request's id.
	requestIDLen = 5
	// namesKept bounds the ids of requests that are remembered: more than can be open.
	namesKept = 4 * maxOpenRequests
)

// nameRequest derives the id of a call's request. It is the same on every daemon, and as short
// as other ids allow.
func (r *Registry) nameRequest(session, call string) string {
	owner := session + "\x00" + call
	sum := sha256.Sum256([]byte(owner))
	text := requestLetters.EncodeToString(sum[:])
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := requestIDLen; n < len(text); n++ {
		if other, taken := r.requestNames.Get(text[:n]); !taken || other == owner {
			text = text[:n]
			break
		}
	}
	r.requestNames.Put(text, owner)
	return text
}

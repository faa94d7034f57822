package sessions

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/api/hint"
	"ccdir/sessions/mailbox"
	"ccdir/sessions/state"
)

// deliverTime bounds the wait for an agent to take its answer, which usually takes less than a
// millisecond.
const deliverTime = time.Second

// Requests returns the open requests that people can answer, oldest first.
func (r *Registry) Requests() []api.Request {
	list := []api.Request{}
	for _, s := range r.all() {
		for _, o := range s.seen().requests {
			list = append(list, o.Request)
		}
	}
	slices.SortFunc(list, func(a, b api.Request) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// Request returns an open request that people can answer. ref is its id or a unique prefix
// of it.
func (r *Registry) Request(ref string) (api.Request, error) {
	_, o, err := r.findRequest(ref)
	return o.Request, err
}

// findRequest is Request, with its session.
func (r *Registry) findRequest(ref string) (s *session, found state.OpenRequest, err error) {
	if r.ctx.Err() != nil {
		return nil, found, errClosing
	}
	for _, one := range r.all() {
		for _, o := range one.seen().requests {
			switch {
			case ref == "" || !strings.HasPrefix(o.Request.ID, ref):
			case o.Request.ID == ref:
				return one, o, nil
			case s != nil:
				err = api.Errorf(api.CodeAmbiguous, "%.40q fits several requests: give more of the id", ref)
			default:
				s, found = one, o
			}
		}
	}
	if s == nil {
		err = api.Errorf(api.CodeNotFound, "no open request %.40q: `ccdir approvals` lists them", ref)
	}
	return s, found, err
}

// Answer ends an open request with the answer of by (a word of api.Decision.By). The error
// is CodeNotFound for a request that is not open (any more), CodeInvalid for an answer that it
// cannot have, CodeInternal for an approval that could not be recorded: that is not given, and its
// request stays open. Answer returns when the decision is recorded, and when the call that waits for
// it has it, so that what was acknowledged reaches the agent whatever becomes of the daemon; it
// waits for the second at most deliverTime.
func (r *Registry) Answer(ref, by string, a api.Answer) (api.Decision, error) {
	s, open, err := r.findRequest(ref)
	if err != nil {
		return api.Decision{}, err
	}
	q := open.Request
	if err := state.ValidAnswer(a, q); err != nil {
		return api.Decision{}, err
	}
	if r.o.Policy != nil {
		if a, err = r.o.Policy.Prepare(q, a); err != nil {
			return api.Decision{}, err
		}
	}
	return r.answerOpen(s, open, by, a)
}

// answerOpen is Answer with a prepared answer for a request that was found open.
func (r *Registry) answerOpen(s *session, open state.OpenRequest, by string, a api.Answer) (api.Decision, error) {
	q := open.Request
	var d api.Decision
	var o *openRequest
	var unrecorded error
	won, ended := false, false
	var w *mailbox.Waiter
	over := func() (over bool) {
		if d, ended = s.requests.Ended(open.Call); !ended && o != nil {
			unrecorded = o.unrecorded
		}
		return ended || !s.requests.Claimed(open.Call)
	}
	err := s.do(r.ctx, func() {
		o = s.open[open.Call]
		won = s.endRequest(open.Call, state.Answered(a, by))
		w = s.box.Expect(over)
	})
	if err == nil {
		err = s.box.WaitFor(r.ctx, w)
	}
	switch {
	case err != nil && r.ctx.Err() != nil:
		return api.Decision{}, errClosing
	case err != nil:
		return api.Decision{}, err
	case !ended && unrecorded == nil: // the registry closes
		return api.Decision{}, errClosing
	case !ended && won:
		return api.Decision{}, api.Errorf(api.CodeInternal, "the approval could not be recorded, and so was not given: %v%s; request %s stays open", unrecorded, hint.Of(unrecorded), q.ID)
	case !ended:
		return api.Decision{}, api.Errorf(api.CodeConflict, "request %s is open again: another answer came first, and could not be recorded (%v)", q.ID, unrecorded)
	case !won:
		return d, api.Errorf(api.CodeConflict, "request %s is no longer open: %s", q.ID, state.DescribeEnd(d))
	}
	o.delivered()
	return d, nil
}

// delivered waits until the waiting calls have the decision.
func (o *openRequest) delivered() {
	limit := time.NewTimer(deliverTime)
	defer limit.Stop()
	for _, taken := range o.taken {
		select {
		case <-taken:
		case <-limit.C:
			return
		}
	}
}

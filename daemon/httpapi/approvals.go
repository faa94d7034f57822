package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/daemon/journal"
)

// Approvals has the open permission requests. ref is an id or a unique prefix of one.
type Approvals interface {
	// Requests returns the requests that people can answer, oldest first.
	Requests() []api.Request
	Answer(ref, by string, a api.Answer) (api.Decision, error)
}

// approvals lists the open requests; with wait it waits for the first one.
func (s *server) approvals(w http.ResponseWriter, r *http.Request) error {
	session, err := s.sessionOf(r)
	if err != nil {
		return err
	}
	wait, err := durationOf(r, "wait", 0)
	if err != nil {
		return err
	}
	v := s.viewer(r)
	open := func() []api.Request { return v.requests(s.openOf(session)) }
	list := open()
	if len(list) == 0 && wait > 0 {
		list, err = s.awaitRequest(r.Context(), open, wait)
	}
	return ok(w, list, err)
}

// openOf lists the open requests of a session, or all.
func (s *server) openOf(session string) []api.Request {
	list := slices.DeleteFunc(slices.Clone(s.Approvals.Requests()), func(q api.Request) bool { return session != "" && q.Session != session })
	if list == nil {
		list = []api.Request{}
	}
	return list
}

// awaitRequest waits until open lists a request, at most for d.
func (s *server) awaitRequest(ctx context.Context, open func() []api.Request, d time.Duration) ([]api.Request, error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	next, stop := s.Log.Watch()
	defer stop()
	for {
		// The first message comes at once, so a request that opened before the watch
		// is not missed.
		if _, err := next(ctx); err != nil {
			if errors.Is(err, context.DeadlineExceeded) {
				return []api.Request{}, nil
			}
			return nil, err
		}
		if list := open(); len(list) > 0 {
			return list, nil
		}
	}
}

func (s *server) approve(w http.ResponseWriter, r *http.Request) error {
	return s.answerRequest(w, r, api.AnswerAllow)
}

func (s *server) deny(w http.ResponseWriter, r *http.Request) error {
	return s.answerRequest(w, r, api.AnswerDeny)
}

// answerRequest answers a request; the route says how, the body the rest.
func (s *server) answerRequest(w http.ResponseWriter, r *http.Request, how api.AnswerBehavior) error {
	var a api.Answer
	if err := body(w, r, maxBody, &a); err != nil {
		return err
	}
	if a.Behavior != "" && a.Behavior != how {
		return api.Errorf(api.CodeInvalid, "the call says %s and its body %.40q", how, a.Behavior)
	}
	// Fields that only the server sets.
	a.Behavior, a.File, a.Line, a.Lead, a.Client, a.Call = how, "", 0, "", clientOf(r), changeOf(r)
	if a.Rule != "" && !a.Always {
		return api.Errorf(api.CodeInvalid, "rule says by which rule to allow it always: give always, too")
	}
	d, err := s.decide(r, ref(r), a)
	return ok(w, d, err)
}

// reply answers the open request of a session.
func (s *server) reply(w http.ResponseWriter, r *http.Request) error {
	var in api.Reply
	if err := body(w, r, maxBody, &in); err != nil {
		return err
	}
	session, err := s.Sessions.Get(r.Context(), ref(r))
	if err != nil {
		return err
	}
	a := api.Answer{Behavior: in.Behavior, Text: in.Text, Message: in.Message, Always: in.Always, Scope: in.Scope, Rule: in.Rule, Mode: in.Mode, Input: in.Input, Client: clientOf(r), Call: changeOf(r)}
	call := attemptOf(r.Context())
	if call.retry && in.Request == "" {
		_, in.Request = targetParts(call.target) // the session may ask something else now
	}
	request, err := s.asked(session, in.Request)
	if err != nil && s.reasked(r.Context(), session.ID, func(q api.Request) bool { return in.Request == "" || q.ID == in.Request }) {
		request, err = s.asked(session, in.Request)
	}
	if err != nil && call.retry && in.Request != "" {
		d, err := s.decide(r, in.Request, a)
		return ok(w, d, err)
	}
	if err != nil {
		return err
	}
	switch {
	case a.Rule != "" && !a.Always:
		return api.Errorf(api.CodeInvalid, "rule says by which rule to allow it always: give always, too")
	case a.Behavior == "" && a.Text != "" && request.Kind == api.RequestQuestion:
		a.Behavior = api.AnswerAllow
	case a.Behavior == "":
		return api.Errorf(api.CodeInvalid, "say behavior allow or deny, or text to answer a question")
	case a.Behavior != api.AnswerAllow && a.Behavior != api.AnswerDeny:
		return api.Errorf(api.CodeInvalid, "the behavior is allow or deny, found %.40q", a.Behavior)
	}
	d, err := s.decide(r, request.ID, a)
	return ok(w, d, err)
}

// asked returns the open request of a session with that id; with id "" its only one.
func (s *server) asked(session api.Session, id string) (api.Request, error) {
	open := s.openOf(session.ID)
	if id != "" {
		open = slices.DeleteFunc(open, func(q api.Request) bool { return q.ID != id })
	}
	switch {
	case len(open) == 1:
		return open[0], nil
	case len(open) > 1:
		return api.Request{}, api.Errorf(api.CodeAmbiguous, "session %s asks %d things: name one of GET /v1/approvals as request", session.Name, len(open))
	case id != "":
		return api.Request{}, api.Errorf(api.CodeNotFound, "session %s has no open request %.60q: it may have been answered", session.Name, id)
	case session.AnswerInPane:
		return api.Request{}, api.Errorf(api.CodeDialogOpen, "session %s asks in its pane alone: look at its buffer, then answer with keys (input/raw)", session.Name)
	}
	return api.Request{}, api.Errorf(api.CodeConflict, "session %s asks nothing: `ccdir approvals` lists what is asked", session.Name)
}

// answerAs answers as the caller: the person, or a session, which may answer if it leads
// the session that asks and its own role covers the request.
func (s *server) answerAs(r *http.Request, ref string, a api.Answer) (api.Decision, error) {
	o, err := s.originOf(r)
	switch {
	case err != nil:
		return api.Decision{}, err
	case !o.Inside:
		return s.Approvals.Answer(ref, api.ByPerson, a)
	case o.Session == "" || s.Insiders == nil:
		return api.Decision{}, s.refuseInside(r, o, "")
	}
	d, err := s.Insiders.Answer(r.Context(), o, ref, a)
	if api.CodeOf(err) == api.CodeForbidden {
		err = s.refuseInside(r, o, err.Error())
	}
	return d, err
}

func (s *server) snooze(w http.ResponseWriter, r *http.Request) error {
	var in api.Snooze
	if err := body(w, r, maxBody, &in); err != nil {
		return err
	}
	if most := int(api.MaxSnooze / time.Second); in.Seconds < 1 || in.Seconds > most {
		return api.Errorf(api.CodeInvalid, "seconds are from 1 to %d", most)
	}
	session, err := s.Sessions.Snooze(r.Context(), ref(r), time.Duration(in.Seconds)*time.Second)
	return ok(w, session, err)
}

func (s *server) unsnooze(w http.ResponseWriter, r *http.Request) error {
	session, err := s.Sessions.Snooze(r.Context(), ref(r), 0)
	return ok(w, session, err)
}

// Answers to requests over the death of a daemon. A hook whose daemon dies asks the next
// one, under the same request id: until then the request is not open there, and an answer
// that was recorded did not reach the agent unless the hook got it before.

// reaskTime is how long after the daemon's start a hook may take to ask again.
const reaskTime = 30 * time.Second

// requestTarget is the request that the path means, as "SESSION/REQUEST"; the session is
// "" if it is not open.
func (s *server) requestTarget(r *http.Request, _ []byte) string {
	for _, q := range s.Approvals.Requests() {
		if strings.HasPrefix(q.ID, ref(r)) {
			return q.Session + "/" + q.ID // if several are meant, none is answered
		}
	}
	return "/" + ref(r)
}

// replyTarget is the request that a reply to a session means, as "SESSION/REQUEST"; ""
// if it asks nothing, or several things.
func (s *server) replyTarget(r *http.Request, body []byte) string {
	var in api.Reply
	session, err := s.Sessions.Get(r.Context(), ref(r))
	if err != nil || json.Unmarshal(body, &in) != nil {
		return ""
	}
	request, err := s.asked(session, in.Request)
	if err != nil {
		return ""
	}
	return request.Session + "/" + request.ID
}

// decide answers a request. A retry finds the answer of the first attempt in the ledger,
// unless the request is open again.
func (s *server) decide(r *http.Request, ref string, a api.Answer) (api.Decision, error) {
	call := attemptOf(r.Context())
	if call.retry {
		session, id := targetParts(call.target)
		if id != "" {
			ref = id
		}
		s.reasked(r.Context(), session, func(q api.Request) bool { return q.ID == ref })
	}
	d, err := s.answerAs(r, ref, a)
	code := api.CodeOf(err)
	switch {
	case err == nil:
	case !call.retry && code == api.CodeNotFound && s.reasked(r.Context(), "", func(q api.Request) bool { return strings.HasPrefix(q.ID, ref) }):
		return s.answerAs(r, ref, a)
	case call.retry && (code == api.CodeNotFound || code == api.CodeConflict):
		if old, known := s.recorded(r.Context(), call, ref, a); known {
			return old, nil
		}
	}
	return d, err
}

// rowsOfCall bounds the rows that one call leaves in the ledger: an answer, and a rule.
const rowsOfCall = 10

// recorded returns the decision that an earlier attempt of the call left in the ledger.
func (s *server) recorded(ctx context.Context, call attempt, request string, a api.Answer) (d api.Decision, known bool) {
	rows, err := s.Ledger.Decisions(ctx, api.LedgerFilter{Call: call.id, Request: request, Since: call.at, Limit: rowsOfCall})
	i := slices.IndexFunc(rows, func(row api.LedgerRow) bool {
		return row.Outcome == api.OutcomeAnswered && (row.By == api.ByPerson || row.By == api.ByLead)
	})
	if err != nil || i < 0 {
		return d, false
	}
	row := rows[i]
	a.Client, a.Behavior = row.Client, api.AnswerBehavior(row.Decision)
	return api.Decision{Request: api.Request{ID: request, Session: row.Session, Tool: row.Tool, SessionName: row.Name, Role: row.Role},
		Outcome: api.OutcomeAnswered, Answer: &a, By: row.By, At: row.At, Reason: row.Reason}, true
}

// answerStands reports whether a recorded answer reached the agent: not if it was given to
// a daemon before this one and the hook has asked again.
func (s *server) answerStands(r *http.Request, old api.CallRecord) bool {
	var d api.Decision
	if old.Status >= http.StatusMultipleChoices || old.At.After(s.Log.Server().Started) || json.Unmarshal(old.Body, &d) != nil {
		return true
	}
	return !s.reasked(r.Context(), d.Request.Session, func(q api.Request) bool { return q.ID == d.Request.ID })
}

// reasked reports whether a wanted request of a session ("": of any) is open. In the first
// seconds of a daemon it waits for hooks that have not asked again: as long as the session
// has waited for an answer since before the daemon's start, and has no open request.
func (s *server) reasked(ctx context.Context, session string, wanted func(api.Request) bool) bool {
	started := s.Log.Server().Started
	ctx, cancel := context.WithDeadline(ctx, started.Add(reaskTime))
	defer cancel()
	next, stop := s.Log.Watch()
	defer stop()
	for {
		if slices.ContainsFunc(s.openOf(session), wanted) {
			return true
		}
		if !s.silent(session, started) {
			return false
		}
		if _, err := next(ctx); err != nil {
			return false
		}
	}
}

// silent reports whether a session ("": any) has waited for an answer since before the
// daemon's start, and has no open request.
func (s *server) silent(session string, started time.Time) bool {
	asking := map[string]bool{}
	for _, q := range s.Approvals.Requests() {
		asking[q.Session] = true
	}
	return slices.ContainsFunc(s.Log.Values(), func(v *journal.Value) bool {
		waits := v.ID == session && v.State.NeedsPerson() || session == "" && v.State == api.StatePermission
		return waits && !v.External && !asking[v.ID] && !v.Since.After(started)
	})
}

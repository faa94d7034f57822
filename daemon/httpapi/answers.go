package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/daemon/journal"
)

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

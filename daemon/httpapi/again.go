package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/daemon/journal"
)

// What handlers of calls with keys note before they begin, and how a repeat finds out
// by that how far the call had come before its daemon died. What the call itself names
// what it makes (sessions, tasks, prompts, messages) needs no note.

// noteSession notes which session is meant, and which process of it.
func (s *server) noteSession(r *http.Request, _ []byte) string {
	id, err := s.Sessions.Resolve(ref(r))
	if err != nil {
		return ""
	}
	launched, err := s.Sessions.Launched(r.Context(), id)
	if err != nil {
		return id
	}
	return id + " " + launched
}

// sessionBefore is what noteSession noted; again: the call was begun before.
func sessionBefore(r *http.Request) (launched string, again bool) {
	call := callOf(r.Context())
	id, launched, _ := strings.Cut(call.note, " ")
	return launched, call.again && id != ""
}

// sameSession has a repeat go to the session that was meant: its name may be another's
// by now.
func sameSession(r *http.Request, note string) {
	if id, _, _ := strings.Cut(note, " "); id != "" {
		r.SetPathValue("ref", id)
	}
}

// endedBefore reports whether the process that a call was to end has ended.
func (s *server) endedBefore(r *http.Request) (v api.Session, over bool) {
	launched, again := sessionBefore(r)
	if !again {
		return v, false
	}
	v, err := s.Sessions.Get(r.Context(), ref(r))
	if err != nil {
		return v, false
	}
	now, err := s.Sessions.Launched(r.Context(), ref(r))
	return v, v.State.Ended() || err == nil && now != launched
}

// startedBefore reports whether the process that a call was to start was started.
func (s *server) startedBefore(r *http.Request) (v api.Session, begun bool) {
	launched, again := sessionBefore(r)
	if !again {
		return v, false
	}
	now, err := s.Sessions.Launched(r.Context(), ref(r))
	if err != nil || now == "" || now == launched {
		return v, false
	}
	v, err = s.Sessions.Get(r.Context(), ref(r))
	return v, err == nil
}

// noteAsked notes which request of a session a reply is for.
func (s *server) noteAsked(r *http.Request, body []byte) string {
	var in api.Reply
	session, err := s.Sessions.Get(r.Context(), ref(r))
	if err != nil || json.Unmarshal(body, &in) != nil {
		return ""
	}
	request, err := s.asked(session, in.Request)
	if err != nil {
		return ""
	}
	return request.Session + " " + request.ID
}

// reopenTime is how long a request is waited for that the daemon before knew: its
// hook asks again when it has found this one.
const reopenTime = 30 * time.Second

// answerOnce is answerAs, told apart from what was answered already: by the call with
// this key, if it was begun before.
func (s *server) answerOnce(r *http.Request, ref string, a api.Answer) (api.Decision, error) {
	call := callOf(r.Context())
	if !call.again {
		d, err := s.answerAs(r, ref, a)
		if api.CodeOf(err) == api.CodeNotFound && s.opensSoon(r.Context(), ref) {
			d, err = s.answerAs(r, ref, a)
		}
		return d, err
	}
	if _, id, _ := strings.Cut(call.note, " "); id != "" {
		ref = id
	}
	s.reopened(r.Context(), call.note)
	d, err := s.answerAs(r, ref, a)
	if code := api.CodeOf(err); err == nil || code != api.CodeNotFound && code != api.CodeConflict {
		return d, err
	}
	rows, ledgerErr := s.Ledger.Decisions(r.Context(), api.LedgerFilter{Request: ref, Limit: ledgerLook})
	i := slices.IndexFunc(rows, func(row api.LedgerRow) bool {
		return row.Outcome == api.OutcomeAnswered && (row.By == api.ByPerson || row.By == api.ByLead) && row.Decision == string(a.Behavior)
	})
	if ledgerErr != nil || i < 0 {
		return d, err
	}
	row := rows[i]
	a.Client = row.Client
	return api.Decision{Request: api.Request{ID: ref, Session: row.Session, Tool: row.Tool, SessionName: row.Name, Role: row.Role},
		Outcome: api.OutcomeAnswered, Answer: &a, By: row.By, At: row.At, Reason: row.Reason}, nil
}

// ledgerLook is how many rows of one request are looked at.
const ledgerLook = 50

// noteRequest notes which request is meant.
func (s *server) noteRequest(r *http.Request, _ []byte) string {
	for _, q := range s.Approvals.List() {
		if strings.HasPrefix(q.ID, ref(r)) {
			return q.Session + " " + q.ID // if several are, none is answered
		}
	}
	return " " + ref(r)
}

// answerStands reports whether an answer that was recorded came to the agent. A
// daemon that dies before it is given has given nothing: the hook asks the next one,
// and there the request is open again.
func (s *server) answerStands(r *http.Request, old api.KeyedCall) bool {
	if old.Status >= http.StatusMultipleChoices || old.At.After(s.Log.Server().Started) {
		return true
	}
	return !s.reopened(r.Context(), old.Note)
}

// reopened reports whether a request (noteRequest) that was open before this daemon is
// open again. It waits, not for long, while the session seems to wait for an answer.
func (s *server) reopened(ctx context.Context, note string) bool {
	session, id, _ := strings.Cut(note, " ")
	ctx, cancel := context.WithTimeout(ctx, reopenTime)
	defer cancel()
	next, stop := s.Log.Watch()
	defer stop()
	for {
		open := s.openOf(session)
		if slices.ContainsFunc(open, func(q api.Request) bool { return q.ID == id }) {
			return true
		}
		if len(open) > 0 {
			return false // it asks something else by now
		}
		if v, err := s.Sessions.Get(ctx, session); err != nil || !v.State.NeedsPerson() {
			return false
		}
		if _, err := next(ctx); err != nil {
			return false
		}
	}
}

// opensSoon waits for a request that a young daemon does not know yet, as long as some
// session waits for an answer and its hook has not asked again. It reports whether the
// request is open.
func (s *server) opensSoon(ctx context.Context, ref string) bool {
	ctx, cancel := context.WithDeadline(ctx, s.Log.Server().Started.Add(reopenTime))
	defer cancel()
	next, stop := s.Log.Watch()
	defer stop()
	for ctx.Err() == nil {
		asking := map[string]bool{}
		for _, q := range s.Approvals.List() {
			if asking[q.Session] = true; strings.HasPrefix(q.ID, ref) {
				return true
			}
		}
		silent := slices.ContainsFunc(s.Log.Values(), func(v *journal.Value) bool {
			return v.State == api.StatePermission && !v.External && !asking[v.ID]
		})
		if !silent {
			return false
		}
		if _, err := next(ctx); err != nil {
			return false
		}
	}
	return false
}

// asksSoon waits for the request of a session that waits for an answer since before
// this daemon, while this one is young: its hook asks again. It reports whether the
// session has an open request.
func (s *server) asksSoon(ctx context.Context, session api.Session) bool {
	started := s.Log.Server().Started
	ctx, cancel := context.WithDeadline(ctx, started.Add(reopenTime))
	defer cancel()
	next, stop := s.Log.Watch()
	defer stop()
	for ctx.Err() == nil {
		if len(s.openOf(session.ID)) > 0 {
			return true
		}
		v, err := s.Sessions.Get(ctx, session.ID)
		if err != nil || v.External || !v.State.NeedsPerson() || v.Since.After(started) {
			return false
		}
		if _, err := next(ctx); err != nil {
			return false
		}
	}
	return false
}

// noteTask notes which task is meant, and how it stands.
func (s *server) noteTask(r *http.Request, _ []byte) string {
	t, err := s.Tasks.Task(r.Context(), ref(r))
	if err != nil {
		return ""
	}
	return t.ID + " " + standing(t)
}

func standing(t api.Task) string {
	return string(t.State) + " " + strconv.FormatInt(t.Since.UnixNano(), 10)
}

// taskRef names the task of a call: a name is free once its task has ended, so a
// repeat goes by the id.
func taskRef(r *http.Request) string {
	call := callOf(r.Context())
	if id, _, _ := strings.Cut(call.note, " "); call.again && id != "" {
		return id
	}
	return ref(r)
}

// taskBefore reports whether a task that a call was to start has gone on since.
func (s *server) taskBefore(r *http.Request) (api.Task, bool) {
	call := callOf(r.Context())
	_, stood, ok := strings.Cut(call.note, " ")
	if !call.again || !ok {
		return api.Task{}, false
	}
	t, err := one(s.Tasks.Task(r.Context(), taskRef(r)))
	return t, err == nil && standing(t) != stood
}

// noteQueued notes which tasks are queued.
func (s *server) noteQueued(r *http.Request, _ []byte) string {
	list, err := s.Tasks.Tasks(r.Context())
	if err != nil {
		return ""
	}
	var ids []string
	for _, t := range list {
		if t.State == api.TaskQueued {
			ids = append(ids, t.ID)
		}
	}
	return strings.Join(ids, " ")
}

// clearAgain cancels what is left of the tasks that were queued when the call was
// begun, and returns those of them that are cancelled.
func (s *server) clearAgain(r *http.Request) ([]api.Task, error) {
	out := []api.Task{}
	for _, id := range strings.Fields(callOf(r.Context()).note) {
		t, err := s.Tasks.Task(r.Context(), id)
		if err == nil && t.State == api.TaskQueued {
			t, err = s.Tasks.Cancel(r.Context(), id)
		}
		switch {
		case api.CodeOf(err) == api.CodeNotFound && err != nil:
		case err != nil:
			return nil, err
		case t.State == api.TaskCancelled:
			out = append(out, t)
		}
	}
	return out, nil
}

// noteRestore notes what can be restored.
func (s *server) noteRestore(r *http.Request, body []byte) string {
	var q api.Restore
	if json.Unmarshal(body, &q) != nil {
		return ""
	}
	return string(s.Past.Note(r.Context(), q))
}

// inputID is the id of a prompt: the caller's, or that of the call. A session's ids
// are its own: with one of the person's or the queue's it could keep their prompt
// from being typed.
func (s *server) inputID(r *http.Request, given string) (string, error) {
	if given == "" {
		return callOf(r.Context()).id, nil
	}
	o, err := s.originOf(r)
	if err != nil || !o.Inside {
		return given, err
	}
	return callID(owned{o.Session, "input " + given}), nil
}

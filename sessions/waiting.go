package sessions

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/text/redact"
	"ccdir/sessions/state"
)

// requestOpened weighs and publishes a request that people see from now on; in the actor.
func (s *session) requestOpened(q api.Request) {
	before := s.cur
	s.updateQuestion()
	c := change{request: &q, always: !sameSession(before, s.cur)}
	fresh := s.seenKeys.add("open:" + q.ID) // else it was open when an earlier daemon stopped
	if fresh {
		if q.Origin == api.OriginMCP || !s.fold.HasDialogOf(q) { // another question, which no hook has reported yet
			c.always = c.always || !s.cur.SnoozedUntil.IsZero()
			s.cur.SnoozedUntil = time.Time{}
		}
		c.key, c.event = "open:"+q.ID, s.plain(api.EventPermissionOpen, openMessage(q)).event
		c.event.At, c.event.Data = q.Since, requestData(q, nil)
	}
	switch {
	case q.Origin != api.OriginMCP:
		s.weigh(state.RequestEvidence(q), c)
	case fresh: // no dialog of the agent shows it: this is its only evidence
		says := api.StatePermission
		if q.Kind == api.RequestQuestion {
			says = api.StateInput
		}
		s.weigh(api.Evidence{Source: api.SourceDelivery, At: q.Since, Name: state.EvidenceAsksPerson, Says: says, Detail: q.Question,
			Fields: map[string]string{"request": q.ID, "question": q.Question}}, c)
	default:
		s.publish(c, false)
	}
}

// openMessage is the line of an open request in the events.
func openMessage(q api.Request) string {
	switch {
	case q.Kind == api.RequestQuestion && (q.Origin == api.OriginMCP || q.Questions > 0):
		return agents.Visible(q.Tool+" waits for an answer: "+q.Question, maxPromptShown)
	case q.Kind == api.RequestQuestion:
		return q.Tool + " waits for an answer in the pane"
	case q.Kind == api.RequestPlan:
		return "its plan waits for consent"
	}
	return q.Tool + " waits for permission"
}

// requestEnded publishes a request's end and weighs its answer, which closes the dialog
// before the agent reports so; in the actor.
func (s *session) requestEnded(d api.Decision) {
	message := d.Request.Tool + ": " + d.Reason
	if d.Answer != nil {
		message = d.Request.Tool + " " + map[api.AnswerBehavior]string{api.AnswerAllow: "approved", api.AnswerDeny: "denied"}[d.Answer.Behavior] +
			" by " + d.By
		if d.Reason != "" {
			message += ": " + d.Reason
		}
	}
	c := change{ended: &d, event: &api.Event{Type: api.EventPermissionEnded, Source: "daemon", At: d.At,
		Message: agents.Visible(message, maxPromptShown), Data: requestData(d.Request, &d)}}
	if d.Outcome == api.OutcomeAnswered || d.Outcome == api.OutcomeElsewhere {
		c.set = func(v *api.Session) { v.SnoozedUntil = time.Time{} }
	}
	e := api.Evidence{Source: api.SourceDelivery, At: d.At, Name: state.EvidenceRequestEnded, Detail: c.event.Message,
		Fields: state.RequestFields(d.Request)}
	e.Fields["outcome"] = string(d.Outcome)
	if left, _ := s.requests.Waiting(); left == 0 && (d.Answer != nil || d.Request.Origin == api.OriginMCP) {
		e.Says = api.StateWorking
		if !s.adapter.Managed() {
			e.Says = api.StateIdle // nothing else would report that the waiting ended
		}
	}
	s.weigh(e, c)
}

// updateQuestion sets what the session asks and where it can be answered; in the actor.
func (s *session) updateQuestion() {
	_, held := s.requests.Waiting()
	s.cur.Question = s.fold.Question
	s.cur.Tool, s.cur.Input = s.fold.AsksAbout()
	s.cur.Asks = s.asks()
	s.cur.AnswerInPane = s.fold.State.NeedsPerson() && !held && !s.outside
	if w := s.fold.Winner; s.cur.AnswerInPane && w != nil && w.Source != api.SourceHook {
		if s.cur.Question == "" {
			s.cur.Question = "a dialog is open"
		}
		s.cur.Question += " (answer in the pane)"
	}
}

// asks is what the session waits for, in one line; "" if it does not wait or nothing
// says for what.
func (s *session) asks() string {
	if !s.fold.State.NeedsPerson() {
		return ""
	}
	line := ""
	if adapter, ok := s.adapter.(agents.Permissions); ok {
		line = adapter.AsksLine(s.cur.Tool, s.cur.Input, s.cur.CWD)
	}
	return cmp.Or(line, s.cur.Question, "a dialog is open")
}

// requestData is the data of events about a request, without the tool's input, which is in
// the hook's event.
func requestData(q api.Request, d *api.Decision) json.RawMessage {
	v := api.RequestStep{Request: q.ID, Tool: q.Tool, Kind: q.Kind, AlwaysRule: redact.Text(q.AlwaysRule), ToolUseID: q.ToolUseID}
	if d != nil {
		v.Outcome = d.Outcome
		if d.Answer != nil {
			v.By, v.Behavior, v.Always = d.By, d.Answer.Behavior, &d.Answer.Always
		}
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil // only strings and booleans: it cannot fail
	}
	return data
}

// Snooze hides for a while that the session waits for a person. It ends earlier if the
// session waits for something else or no longer, and survives restarts of the daemon. A d
// of 0 ends it. A session that does not wait is refused.
func (r *Registry) Snooze(ctx context.Context, ref string, d time.Duration) (api.Session, error) {
	if d < 0 || d > api.MaxSnooze {
		return api.Session{}, api.Errorf(api.CodeInvalid, "a snooze lasts at most %s", api.MaxSnooze)
	}
	s, err := r.find(ref)
	if err != nil {
		return api.Session{}, err
	}
	var committed <-chan error
	doErr := s.do(ctx, func() {
		switch {
		case d == 0 && s.cur.SnoozedUntil.IsZero():
		case d == 0:
			committed = s.snoozeTo(time.Time{}, "asks again: no longer put off")
		case !s.waits():
			err = api.Errorf(api.CodeConflict, "session %s waits for nobody: there is nothing to snooze", s.cur.Name)
		default:
			until := s.r.now().Add(d) // with its monotonic part: the clock may be set
			committed = s.snoozeTo(until, "put off until "+until.Local().Format(time.DateTime))
		}
	})
	if err := errors.Join(doErr, err); err != nil {
		return api.Session{}, err
	}
	unsaved, err := answer(ctx, committed)
	if err := errors.Join(err, inForce(unsaved)); err != nil {
		return api.Session{}, err
	}
	return s.value(ctx)
}

// waits reports whether the session waits for a person: by its state, or because a request
// is open whose evidence the state lacks. In the actor.
func (s *session) waits() bool {
	open, _ := s.requests.Waiting()
	return s.fold.State.NeedsPerson() || !s.fold.State.Stopped() && open > 0
}

// snoozeTo publishes the end of the snooze; zero: no snooze.
func (s *session) snoozeTo(until time.Time, message string) <-chan error {
	s.cur.SnoozedUntil = until
	return s.publish(s.plain(api.EventSessionSnoozed, message), true)
}

// unsnooze ends a snooze whose time has passed; in the actor.
func (s *session) unsnooze() {
	end, now := s.cur.SnoozedUntil, s.r.now()
	// The clock was set back while no daemon ran if more is left than there ever was.
	if !end.IsZero() && (!now.Before(end) || end.Sub(now) > api.MaxSnooze) {
		s.snoozeTo(time.Time{}, "asks again: it was put off until now")
	}
}

package sessions

import (
	"cmp"
	"context"
	"encoding/json"
	"sync"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/text/redact"
	"ccdir/sessions/state"
)

// Approvals holds permission requests until their first answer (policy/approvals).
type Approvals interface {
	// Hold blocks until the request of the hook call has ended. It fails only if the caller
	// hung up or the daemon stops.
	Hold(ctx context.Context, call string, r api.Request) (api.Decision, error)
	// Observe receives evidence that may show that a request was answered elsewhere. It may
	// call RequestEnded, and must not wait for the session's actor.
	Observe(session string, e api.Evidence, input json.RawMessage)
	// Forget drops everything about a session.
	Forget(session string)
}

// holdMargin is how much earlier than the hook process a request times out, so that its end
// is always reported.
const holdMargin = 30 * time.Second

// permission holds the permission request of a hook and returns the reply for the agent;
// empty for other hooks.
func (r *Registry) permission(ctx context.Context, s *session, c api.Caller, h agents.Hook, call string) (reply api.HookReply, err error) {
	adapter, ok := s.adapter.(agents.Permissions)
	if !ok || r.o.Approvals == nil {
		return reply, nil
	}
	request, ok := adapter.DialogRequest(h)
	if !ok {
		return reply, nil
	}
	running := false
	if err := s.do(ctx, func() { running = !s.fold.State.Ended() }); err != nil || !running {
		return reply, err
	}
	request.Session, request.Since = s.id, h.Evidence.At
	hold := api.HookTimeoutPermission - holdMargin
	if limit := r.o.Config().PermissionTimeout; limit > 0 {
		hold = min(hold, limit)
	}
	request.Deadline = h.Evidence.At.Add(hold)
	if r.o.Policy != nil {
		if h.CWD != "" {
			c.CWD = h.CWD
		}
		r.o.Policy.Describe(c, &request)
	}
	d, err := r.o.Approvals.Hold(ctx, call, request)
	if err != nil {
		return reply, err
	}
	return api.HookReply{Stdout: adapter.PermissionReply(d)}, nil
}

// observe passes evidence to the approvals; in the actor.
func (s *session) observe(e api.Evidence, input json.RawMessage) {
	if s.r.o.Approvals != nil {
		s.r.o.Approvals.Observe(s.id, e, input)
	}
}

// RequestOpened publishes an open request (approvals.Observer). It does not block.
func (r *Registry) RequestOpened(q api.Request) {
	r.notice(q.Session, func(s *session, open map[string]bool) {
		open[q.ID] = q.Kind != api.RequestQuestion || q.Origin == api.OriginMCP || q.Questions > 0
		before := s.cur
		s.updateQuestion()
		changed := !sameSession(before, s.cur)
		if !s.seenKeys.add("open:" + q.ID) { // the request was open when an earlier daemon stopped
			if q.Origin == api.OriginMCP {
				s.publish(change{}, changed)
			} else {
				s.weigh(state.RequestEvidence(q), change{always: changed})
			}
			return
		}
		if q.Origin == api.OriginMCP || !s.fold.HasDialogOf(q) { // another question, which no hook has reported yet
			changed = changed || !s.cur.SnoozedUntil.IsZero()
			s.cur.SnoozedUntil = time.Time{}
		}
		c := s.plain(api.EventPermissionOpen, q.Tool+" waits for permission")
		if q.Kind == api.RequestQuestion {
			c.event.Message = q.Tool + " waits for an answer in the pane"
		}
		if q.Kind == api.RequestQuestion && (q.Origin == api.OriginMCP || q.Questions > 0) {
			c.event.Message = agents.Visible(q.Tool+" waits for an answer: "+q.Question, maxPromptShown)
		}
		c.key = "open:" + q.ID
		c.event.At = q.Since
		c.event.Data = requestData(q, nil)
		if q.Origin == api.OriginMCP {
			// No dialog of the agent shows it: this is its only evidence.
			says := api.StatePermission
			if q.Kind == api.RequestQuestion {
				says = api.StateInput
			}
			s.weigh(api.Evidence{Source: api.SourceDelivery, At: q.Since, Name: state.EvidenceAsksPerson, Says: says, Detail: q.Question,
				Fields: map[string]string{"request": q.ID, "question": q.Question}}, c)
			return
		}
		c.always = changed
		s.weigh(state.RequestEvidence(q), c)
	})
}

// RequestEnded publishes a request's end and weighs its answer, which closes the dialog
// before the agent reports so (approvals.Observer). It does not block.
func (r *Registry) RequestEnded(d api.Decision) {
	r.notice(d.Request.Session, func(s *session, open map[string]bool) {
		delete(open, d.Request.ID)
		message := d.Request.Tool + ": " + d.Reason
		if d.Answer != nil {
			message = d.Request.Tool + " " + map[api.AnswerBehavior]string{api.AnswerAllow: "approved", api.AnswerDeny: "denied"}[d.Answer.Behavior] +
				" by " + d.By
			if d.Reason != "" {
				message += ": " + d.Reason
			}
		}
		c := change{event: &api.Event{Type: api.EventPermissionEnded, Source: "daemon", At: d.At,
			Message: agents.Visible(message, maxPromptShown), Data: requestData(d.Request, &d)}}
		if d.Outcome == api.OutcomeAnswered || d.Outcome == api.OutcomeElsewhere {
			c.set = func(v *api.Session) { v.SnoozedUntil = time.Time{} }
		}
		e := api.Evidence{Source: api.SourceDelivery, At: d.At, Name: state.EvidenceRequestEnded, Detail: c.event.Message,
			Fields: state.RequestFields(d.Request)}
		e.Fields["outcome"] = string(d.Outcome)
		if (d.Answer != nil || d.Request.Origin == api.OriginMCP) && len(open) == 0 {
			e.Says = api.StateWorking
			if !s.adapter.Managed() {
				e.Says = api.StateIdle // nothing else would report that the waiting ended
			}
		}
		s.weigh(e, c)
	})
}

// updateQuestion sets what the session asks and where it can be answered; in the actor.
func (s *session) updateQuestion() {
	held := false
	for _, answerable := range s.notices.open {
		held = held || answerable
	}
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
	v := map[string]any{"request": q.ID, "tool": q.Tool, "kind": q.Kind}
	if q.AlwaysRule != "" {
		v["always_rule"] = redact.Text(q.AlwaysRule)
	}
	if q.ToolUseID != "" {
		v["tool_use_id"] = q.ToolUseID
	}
	if d != nil {
		v["outcome"] = d.Outcome
		if d.Answer != nil {
			v["by"], v["behavior"], v["always"] = d.By, d.Answer.Behavior, d.Answer.Always
		}
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil // only strings and booleans: it cannot fail
	}
	return data
}

// notices queues changes of a session's requests for its actor, in order, without blocking
// the caller, which may be that actor. It holds at most two entries per request.
type notices struct {
	mu      sync.Mutex
	queue   []func(*session, map[string]bool)
	running bool
	// open maps the ids of the session's open requests to whether they can be answered
	// outside the pane. Owned by the actor.
	open map[string]bool
}

// notice queues fn for the session's actor.
func (r *Registry) notice(id string, fn func(*session, map[string]bool)) {
	r.mu.Lock()
	s := r.sessions[id]
	if s == nil || r.closed {
		r.mu.Unlock()
		return
	}
	s.notices.mu.Lock()
	defer s.notices.mu.Unlock()
	s.notices.queue = append(s.notices.queue, fn)
	start := !s.notices.running
	if start {
		s.notices.running = true
		r.wg.Add(1)
	}
	r.mu.Unlock()
	if start {
		go s.tellNotices()
	}
}

// tellNotices posts the queue to the actor until it is empty.
func (s *session) tellNotices() {
	defer s.r.wg.Done()
	n := &s.notices
	for {
		n.mu.Lock()
		if len(n.queue) == 0 {
			n.running = false
			n.mu.Unlock()
			return
		}
		fn := n.queue[0]
		n.queue = n.queue[1:]
		n.mu.Unlock()
		s.post(func() {
			if n.open == nil {
				n.open = map[string]bool{}
			}
			fn(s, n.open)
		})
	}
}

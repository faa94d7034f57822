package sessions

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"maps"
	"strconv"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/once"
	"ccdir/sessions/state"
)

// Hook takes one hook call: it is checked, decoded, weighed, durable and published when
// Hook returns. A call with a known id changes nothing. A permission request blocks until
// it has ended; the reply is its answer. A call for an unknown session or with a wrong
// token is refused and leaves a hook.rejected event.
func (r *Registry) Hook(ctx context.Context, sessionID, token, hookName, hookID string, at time.Time, payload []byte) (api.HookReply, error) {
	s, err := r.authorise(sessionID, token)
	if err != nil {
		r.rejectHook(sessionID, hookName, err.Error())
		return api.HookReply{}, err
	}
	at = clampTime(at, r.now())
	if m, ok := s.adapter.(agents.Meter); ok && hookName == m.MeterHook() {
		return api.HookReply{}, s.metered(ctx, m, at, payload)
	}
	h, err := s.adapter.DecodeHook(hookName, at, payload)
	if err != nil {
		return r.unread(ctx, s, hookName, at, err)
	}
	if h.Skip {
		return r.unreported(ctx, s, h, hookID)
	}
	goOn := r.continued(ctx, s, &h)
	s.howEnded(ctx, &h)
	var committed <-chan error
	var caller api.Caller
	to := r.heir(s)
	take := func() {
		to.drainLate() // calls that were spooled before this one
		committed = to.hook(h, hookID)
		caller = to.caller()
	}
	if err = to.do(ctx, take); err != nil && ctx.Err() != nil {
		// The hook process gave up, or the agent killed it. Its evidence is true
		// nevertheless.
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), lateHook)
		err = errors.Join(to.do(late, take), ctx.Err())
		cancel()
	}
	if err == nil && to != s {
		err = s.do(ctx, func() { caller = s.caller() })
	}
	if err != nil {
		return api.HookReply{}, err
	}
	// The policy decides and records while the event is being written.
	decide := r.pretool(ctx, s, caller, h, hookID)
	if err := wait(ctx, committed); err != nil {
		return api.HookReply{}, err
	}
	reply, err := decide()
	if err != nil {
		return api.HookReply{}, err
	}
	if h.Evidence.Kind == api.KindToolBegins {
		s.delivery.PassTool(ctx)
	}
	if goOn != "" {
		reply.Stdout = goOn
	}
	if reply != (api.HookReply{}) {
		return reply, nil
	}
	if to != s {
		return api.HookReply{}, nil // without a terminal nothing shows its dialogs
	}
	return r.permission(ctx, s, caller, h, hookID)
}

// unreported answers a hook that is no news: it may ask the policy about a call all the same.
func (r *Registry) unreported(ctx context.Context, s *session, h agents.Hook, call string) (reply api.HookReply, err error) {
	var caller api.Caller
	if err = s.do(ctx, func() { caller = s.caller() }); err != nil {
		return api.HookReply{}, err
	}
	if reply, err = r.pretool(ctx, s, caller, h, call)(); err == nil && h.Evidence.Kind == api.KindToolBegins {
		s.delivery.PassTool(ctx)
	}
	return reply, err
}

// lateHook bounds how long a call whose caller has gone waits for its session.
const lateHook = 10 * time.Second

// authorise finds the session and compares the token.
func (r *Registry) authorise(id, token string) (*session, error) {
	r.mu.Lock()
	s := r.sessions[id]
	r.mu.Unlock()
	if s == nil {
		return nil, api.Errorf(api.CodeForbidden, "the hook of an unknown session")
	}
	if !s.knows(token) {
		return nil, api.Errorf(api.CodeForbidden, "the hook's token is not the session's")
	}
	return s, nil
}

// knows compares a token with the session's, in constant time.
func (s *session) knows(token string) bool {
	own := s.seen().token
	return own != "" && subtle.ConstantTimeCompare([]byte(own), []byte(token)) == 1
}

// maxAhead bounds how far in the future the time of a hook may be.
const maxAhead = time.Second

// clampTime replaces impossible times: JSON and the database cannot write every time that a
// header or file may contain.
func clampTime(at, now time.Time) time.Time {
	if at.Unix() <= 0 || at.After(now.Add(maxAhead)) {
		return now
	}
	return at.UTC()
}

// hook weighs a decoded call; in the actor. For a known call it returns the answer to the
// newest change, which is no earlier than the call's own.
func (s *session) hook(h agents.Hook, id string) <-chan error {
	if !s.seenKeys.add(id) {
		return s.committed
	}
	e := h.Evidence
	if e.Kind.EndsTool() {
		s.allowed.Forget(allowedKey(h))
	}
	if e.Fields = maps.Clone(e.Fields); e.Fields == nil {
		e.Fields = map[string]string{}
	}
	if e.Fields[agents.FieldOwnRefusal] != "" {
		s.denied(h)
	}
	if h.Question != "" {
		e.Fields["question"] = h.Question
	}
	if call := state.InputDigest(h.FullInput); call != "" {
		e.Fields[state.FieldInputDigest] = call
	}
	if (e.Kind == api.KindToolBegins || e.Kind == api.KindDialog) && len(h.ToolInput) <= state.MaxInput {
		e.Fields[state.FieldInput] = string(h.ToolInput)
	}
	done := s.weigh(e, change{
		key: id, prompt: h.Prompt, reply: h.Reply, transcript: h.Transcript,
		event: &api.Event{Type: e.Name, Kind: e.Kind, Source: "hook", Message: h.Message, Data: h.Data},
		set: func(v *api.Session) {
			if h.Conversation != "" && e.Fields["agent_id"] == "" {
				if v.Conversation != h.Conversation {
					v.CostUSD, v.CostEstimate = 0, false // the other one's
				}
				v.Conversation = h.Conversation
			}
			if model := e.Fields["model"]; model != "" && e.Kind != api.KindNote && e.Fields["agent_id"] == "" {
				v.Model = agents.Visible(model, maxModelShown)
			}
			if mode := e.Fields["permission_mode"]; mode != "" && e.Fields["agent_id"] == "" {
				v.PermissionMode = agents.Visible(mode, maxModelShown)
			}
			if e.Kind == api.KindConversationBegins && e.Fields[agents.FieldCleared] != "" {
				s.talked, v.Prompt, v.Answer, v.Failure = false, "", "", nil
				v.ContextTokens, v.ContextLeft, v.CostUSD, v.CostEstimate = 0, nil, 0, false
				s.forked()
			}
			noteOutcome(v, e, h, s.fold.BeginsTurn(&e))
			if h.Prompt != "" {
				s.talked, s.prompted = true, true
				s.forked()
				v.Undelivered = ""
			}
		},
	})
	s.noteRefusal(h)
	if _, ok := s.adapter.(agents.TitleTeller); ok && e.Kind == api.KindConversationBegins {
		s.titled(s.cur.Title, e.At) // from here on it means something
	}
	return done
}

// Bounds of texts of a Session, in runes.
const (
	maxPromptShown = 500
	maxAnswerShown = 1000
	maxBranchShown = 200
	maxModelShown  = 100
)

// rejectHook publishes an event, at most one a second on average.
func (r *Registry) rejectHook(id, hook, why string) {
	skipped, ok := r.rejected.Next(r.now())
	if !ok {
		return
	}
	message := agents.Visible(hook, 64) + ": " + agents.Visible(why, 200)
	if skipped > 0 {
		message += " (and " + strconv.Itoa(skipped) + " more)"
	}
	if r.o.Policy != nil {
		r.o.Policy.Refused(id, hook, why)
	}
	r.log.Warn("a hook call was refused", "session", agents.Visible(id, 64), "hook", agents.Visible(hook, 64), "why", why)
	r.o.Journal.Append(api.WatchMessage{Event: &api.Event{At: r.now(), Session: agents.Visible(id, 64),
		Type: api.EventHookRejected, Source: "hook", Message: message}}, nil, "")
}

// dedup remembers the newest idempotency keys, so that each counts once. The session's
// actor owns it.
type dedup struct{ *once.Memory[string, struct{}] }

func newDedup(n int) dedup { return dedup{once.NewMemory[string, struct{}](n)} }

// add remembers a key and reports whether it was new. "" is always new.
func (d dedup) add(key string) bool { return key == "" || d.Put(key, struct{}{}) }

// has reports whether a key is known.
func (d dedup) has(key string) bool {
	_, known := d.Get(key)
	return known
}

// noteOutcome sets what a person is shown of the turn that ended, or that begins.
func noteOutcome(v *api.Session, e api.Evidence, h agents.Hook, begins bool) {
	if e.Fields["agent_id"] != "" {
		return // a subagent's
	}
	switch e.Kind {
	case api.KindPrompt, api.KindReport:
		if begins {
			v.Answer, v.Failure = "", nil
		}
	case api.KindTurnEnds:
		if e.Fields[state.FieldContinued] == "" {
			v.Answer, v.Failure = agents.Visible(h.Reply, maxAnswerShown), nil
		}
	case api.KindTurnFails:
		f := api.TurnFailure{Kind: api.FailureAgent, At: e.At}
		if h.Failure != nil {
			f = *h.Failure
		}
		f.Message = agents.Visible(cmp.Or(f.Message, h.Reply, e.Fields["error"], "the agent did not say why"), maxAnswerShown)
		v.Failure = &f
	}
}

// endTime bounds the read of a conversation for how a turn ended, while the agent waits for the
// reply of its hook.
const endTime = 3 * time.Second

// howEnded corrects the report of a turn's end that does not tell how it ended, by the agent's
// conversation (agents.EndsAlike). What cannot be read stays as it was reported.
func (s *session) howEnded(ctx context.Context, h *agents.Hook) {
	alike, ok := s.adapter.(agents.EndsAlike)
	source, readable := s.adapter.(agents.Conversationalist)
	if !ok || !readable || h.Evidence.Kind != api.KindTurnEnds || h.Evidence.Fields[state.FieldContinued] != "" {
		return
	}
	interrupted := false
	c := agents.Conversation{ID: h.Conversation, Path: h.Transcript, CWD: h.CWD}
	if s.do(ctx, func() { interrupted, c.Env = !s.fold.Escaped.IsZero(), s.spec.Env }) != nil || !alike.EndIsRead(*h, interrupted) {
		return
	}
	from := source.OpenConversation(c)
	if from == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	var last api.Turn
	if err := from.Read(ctx, func(t api.Turn) error { last = t; return nil }); err != nil {
		s.r.log.Debug("how a turn ended cannot be read", "session", s.id, "error", err)
		return
	}
	e := &h.Evidence
	switch last.State {
	case api.TurnInterrupted:
		e.Kind, h.Message = api.KindTurnInterrupted, "interrupted"
	case api.TurnFailed:
		e.Fields = maps.Clone(e.Fields)
		e.Kind, h.Failure = api.KindTurnFails, last.Failure
		if h.Failure != nil {
			h.Reply = h.Failure.Message
			e.Fields["error"] = agents.Visible(h.Reply, agents.MaxField)
		}
		h.Message = "failed: " + cmp.Or(h.Reply, "the agent did not say why")
	}
}

// continued asks AtStop whether an agent whose turn ends has something to go on with. If
// so, it marks the hook's evidence as continued and returns the hook's reply; "" lets the
// turn end.
func (r *Registry) continued(ctx context.Context, s *session, h *agents.Hook) (reply string) {
	c, ok := s.adapter.(agents.Continuer)
	if !ok || r.o.AtStop == nil || s.outside {
		return ""
	}
	again, ends := c.TurnEnds(*h)
	if !ends {
		return ""
	}
	text := r.o.AtStop(ctx, s.id, again)
	if text == "" {
		return ""
	}
	if reply = c.ContinueReply(text); reply != "" {
		fields := maps.Clone(h.Evidence.Fields)
		fields[state.FieldContinued] = "messages"
		h.Evidence.Fields, h.Evidence.Says = fields, api.StateWorking
	}
	return reply
}

package enforce

import (
	"context"
	"time"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// defaultLeadTime bounds the wait for a lead.
const defaultLeadTime = 2 * time.Minute

// Lead forwards requests to the agent that leads a session (through its MCP inbox).
type Lead interface {
	// Lead returns the session that leads another; "" if there is none.
	Lead(session string) string
	// Ask sends the request to the lead and waits for the answer. ok is false if the lead
	// leaves the request to people, or ctx ends.
	Ask(ctx context.Context, lead string, r api.Request) (a api.Answer, ok bool)
}

// AskLead asks the session's lead, if the policy allows the same request to the lead's own
// role (sessions.Policy). Only a plain approval or denial counts.
func (e *Enforcer) AskLead(ctx context.Context, r api.Request) (api.Answer, bool) {
	if e.o.Lead == nil || r.Kind == api.RequestQuestion || r.Origin == api.OriginMCP {
		return api.Answer{}, false
	}
	lead := e.o.Lead.Lead(r.Session)
	if lead == "" || lead == r.Session || !e.covers(ctx, lead, r) {
		return api.Answer{}, false
	}
	if r.Kind != api.RequestPlan && e.o.LeadByPolicy != nil && e.o.LeadByPolicy() {
		return api.Answer{Behavior: api.AnswerAllow, Lead: lead}, true
	}
	asked, cancel := context.WithTimeout(ctx, e.o.LeadTime)
	defer cancel()
	a, ok := e.o.Lead.Ask(asked, lead, r)
	if !ok || asked.Err() != nil {
		return api.Answer{}, false
	}
	// The lead's role may have changed meanwhile.
	if a.Behavior == api.AnswerAllow && (a.Always || len(a.Input) > 0 || !e.covers(ctx, lead, r)) {
		e.Refused(r.Session, "lead", "the lead "+lead+" granted "+r.Tool+", which its own role does not have")
		return api.Answer{}, false
	}
	return api.Answer{Behavior: a.Behavior, Message: a.Message, Lead: lead}, true
}

// MayAnswer returns nil if a session may answer a request that is open to people: it leads
// the session that asks, answers once, and allows only what the policy allows to its own
// role.
func (e *Enforcer) MayAnswer(ctx context.Context, lead string, r api.Request, a api.Answer) error {
	switch {
	case e.o.Lead == nil || r.Kind == api.RequestQuestion || r.Origin == api.OriginMCP || lead == r.Session || e.o.Lead.Lead(r.Session) != lead:
		return api.Errorf(api.CodeForbidden, "only the person answers this request")
	case a.Always || len(a.Input) > 0:
		return api.Errorf(api.CodeForbidden, "a lead can allow once or deny, nothing else")
	case a.Behavior == api.AnswerAllow && !e.covers(ctx, lead, r):
		return api.Errorf(api.CodeForbidden, "the policy does not allow %.60s to the lead's own role", textsafe.Line(r.Tool))
	}
	return nil
}

// covers reports whether the policy allows the request to the lead's role, in the directory
// of the asking session. A plan is the lead's to judge unless a rule denies it: what the plan
// does is decided when it is done.
func (e *Enforcer) covers(ctx context.Context, lead string, r api.Request) bool {
	l, err := e.caller(ctx, lead)
	if err != nil {
		return false
	}
	c, err := e.caller(ctx, r.Session)
	if err != nil {
		return false
	}
	// The lead's own session rules and overrides are not part of its role.
	c.Role, c.Session, c.Override = l.Role, "", nil
	if r.CWD != "" {
		c.CWD = r.CWD
	}
	effect := e.decide(c, r.Tool, r.Input).Effect
	return effect == api.EffectAllow || r.Kind == api.RequestPlan && effect != api.EffectDeny
}

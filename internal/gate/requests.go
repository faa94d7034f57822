package gate

import (
	"context"

	"ccdir/internal/api"
)

// Decide answers a request by policy (approvals.Decider). It decides again what
// the PreToolUse hook may have left open: the agent's own settings can ask where
// the policy allows.
func (g *Gate) Decide(ctx context.Context, r api.Request) (api.Answer, bool) {
	if r.Origin == "mcp" {
		return api.Answer{}, false // a question to a person
	}
	c, err := g.caller(ctx, r.Session)
	if err != nil {
		return api.Answer{}, false
	}
	if r.CWD != "" {
		c.CWD = r.CWD
	}
	v := g.decide(c, r.Tool, r.Input)
	a := api.Answer{Message: v.Reason, Rule: v.Rule, File: v.File, Line: v.Line}
	switch v.Effect {
	case api.EffectAllow:
		a.Behavior = api.AnswerAllow
	case api.EffectDeny:
		a.Behavior = api.AnswerDeny
	default:
		return api.Answer{}, false
	}
	return a, true
}

// Describe fills in what the policy says about a request that is to be shown to
// people: who asks, the rule that sent it, and how far an approval can reach.
func (g *Gate) Describe(c api.Caller, r *api.Request) {
	r.SessionName, r.Role = c.Name, c.Role
	r.Editable = r.Kind == api.RequestPermission && r.Tool == "Bash" && r.Editable
	v := g.decide(c, r.Tool, r.Input)
	if v.Effect == api.EffectAsk {
		r.Rule = place(v)
	}
}

// place names a verdict's rule for people.
func place(v api.Verdict) string {
	if v.Rule == "" {
		return v.Reason
	}
	return ruleAt(v.Rule, v.File, v.Line)
}

package enforce

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/policy"
)

// Request adds what the policy says about a request (sessions.Policy): who asks, the rule that
// made it ask, and the scopes that an approval can have. It answers the request if the policy
// does: the hook before the call may have left it open, since the agent's own settings can ask
// where the policy allows.
func (e *Enforcer) Request(c api.Caller, r *api.Request) (api.Answer, bool) {
	v := e.decide(c, r.Tool, r.Input)
	e.describe(c, r, v)
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

// describe adds the verdict to a request that people may see.
func (e *Enforcer) describe(c api.Caller, r *api.Request, v api.Verdict) {
	r.SessionName, r.Role = c.Name, c.Role
	if v.Effect == api.EffectAsk {
		r.Rule = place(v)
	}
	if r.Kind != api.RequestPermission {
		return
	}
	if r.Scopes, r.AlwaysRules = e.scopes(c, r); len(r.Scopes) > 0 {
		r.AlwaysRule = r.AlwaysRules[0]
	}
}

// Prepare checks a person's answer against the policy before it takes effect. An edited input
// is decided again; a rule of an "always" answer is written.
func (e *Enforcer) Prepare(r api.Request, a api.Answer) (api.Answer, error) {
	if len(a.Input) == 0 && !a.Always {
		return a, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), prepareTime)
	defer cancel()
	c, err := e.caller(ctx, r.Session)
	if err != nil {
		return a, err
	}
	if r.CWD != "" {
		c.CWD = r.CWD
	}
	if len(a.Input) > 0 {
		return a, e.edited(c, r, &a)
	}
	scope := a.Scope
	if scope == "" && len(r.Scopes) > 0 {
		scope = r.Scopes[0].Scope
	}
	i := slices.IndexFunc(r.Scopes, func(s api.AlwaysScope) bool { return s.Scope == scope })
	if i < 0 {
		return a, api.Errorf(api.CodeInvalid, "%s cannot be allowed for the %.20s: it would be asked about again (offered: %s)", r.Tool, scope, scopeNames(r.Scopes))
	}
	if a.Scope, a.Rule = scope, cmp.Or(a.Rule, r.Scopes[i].Rule); a.Rule != r.Scopes[i].Rule && !slices.Contains(r.AlwaysRules, a.Rule) {
		return a, api.Errorf(api.CodeInvalid, "%.80q is not offered for this request: %s", a.Rule, strings.Join(r.AlwaysRules, ", "))
	}
	row, err := e.newRule(c, policy.Allow, api.LedgerRow{Scope: scope, Rule: a.Rule, Request: r.ID, Client: a.Client}, a.Call)
	if err != nil {
		return a, err
	}
	a.File, a.Line = row.File, row.Line
	return a, nil
}

// prepareTime bounds the wait for a session's actor.
const prepareTime = 5 * time.Second

// edited checks an input that a person edited. It must be a JSON object that the policy does
// not deny. Ask rules don't apply: the person has answered.
func (e *Enforcer) edited(c api.Caller, r api.Request, a *api.Answer) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(a.Input, &members); err != nil || members == nil {
		return api.Errorf(api.CodeInvalid, "the edited input is no JSON object, such as {\"command\": \"…\"}")
	}
	if v := e.decide(c, r.Tool, a.Input); v.Effect == api.EffectDeny {
		row := e.row(c, api.ToolUse{Tool: r.Tool, Input: r.Input, Hook: r.Hook, ID: r.ToolUseID, At: r.Since})
		row.fill(v, e.o.RedactText)
		row.Edited, row.Request, row.Client = e.o.redact(a.Input), r.ID, a.Client
		_, _ = e.once(row.LedgerRow, a.Call, nil) // it is refused either way
		return api.Errorf(api.CodeForbidden, "the policy denies the edited input: %s", v.Reason)
	}
	return nil
}

func scopeNames(scopes []api.AlwaysScope) string {
	var names []string
	for _, s := range scopes {
		names = append(names, s.Scope)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// place renders the rule of a verdict for people, or its reason if no rule decided.
func place(v api.Verdict) string {
	if v.Rule == "" {
		return v.Reason
	}
	return ruleAt(v.Rule, v.File, v.Line)
}

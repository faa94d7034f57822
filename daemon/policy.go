package daemon

import (
	"context"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/config"
	"ccdir/daemon/mailbox"
	"ccdir/internal/text/redact"
	"ccdir/internal/text/textsafe"
	"ccdir/policy"
	"ccdir/policy/enforce"
)

// newEnforcer makes the enforcer of the policy. The registry is attached when it exists.
func (d *daemon) newEnforcer(ctx context.Context) (*enforce.Enforcer, error) {
	granted, err := d.store.SessionRules(ctx)
	if err != nil {
		return nil, err
	}
	d.leads = mailbox.NewLeads(mailbox.LeadOptions{
		Sessions: d.events.Sessions, Logger: d.log,
		Send: func(ctx context.Context, to, text string) (api.Message, error) {
			return d.tools.Load().Box().Send(ctx, api.Session{}, to, text, 0)
		},
	})
	p := d.o.Paths
	protect, trees := p.Protected()
	return enforce.New(enforce.Options{
		User: p.PolicyFile(), Home: d.o.Home, UID: d.o.UID, Protect: protect, Trees: trees,
		Ledger: d.store, Rules: d.store, Task: d.events.Task, Granted: granted, HeadFile: p.LedgerHead(),
		Redact: redact.JSON, RedactText: redact.Text,
		Lead: d.leads, LeadByPolicy: func() bool { return d.config.Load().MCP.Lead == config.LeadPolicy }, Changed: d.policyProblem, Pause: d.o.Pause, Logger: d.log,
	}), nil
}

// policyProblem appends an event about a problem of the policy files; "": its end.
func (d *daemon) policyProblem(problem string) {
	message := textsafe.Line(problem)
	if message == "" {
		d.log.Info("the policy was read again")
		d.note(api.EventPolicyLoaded, "the policy is well again")
		return
	}
	d.log.Warn("policy", "problem", message)
	d.note(api.EventPolicyError, message+": the last good policy stays in force")
}

// policyView is the API's view of enforcer and registry.
type policyView struct{ d *daemon }

func (v policyView) Session(ctx context.Context, ref string) (api.SessionPolicy, error) {
	return v.d.enforcer.Session(ctx, ref)
}

func (v policyView) SetRole(ctx context.Context, ref, role, client string, call api.Call) (api.Session, error) {
	return v.d.registry.SetRole(ctx, ref, role, client, call)
}

func (v policyView) AllowInSandbox(ctx context.Context, ref, what, client string, call api.Call) (api.Session, error) {
	return v.d.registry.AllowInSandbox(ctx, ref, what, client, call)
}

func (v policyView) SetOverride(ctx context.Context, ref string, o *api.Override, client string, call api.Call) (api.Session, error) {
	return v.d.registry.SetOverride(ctx, ref, o, client, call)
}

func (v policyView) NewRule(ctx context.Context, n api.NewRule) (api.LedgerRow, error) {
	if n.Row > 0 {
		rows, err := v.d.store.Decisions(ctx, api.LedgerFilter{Seq: n.Row})
		if err != nil {
			return api.LedgerRow{}, err
		}
		if len(rows) == 0 {
			return api.LedgerRow{}, api.Errorf(api.CodeNotFound, "the ledger has no row %d: `ccdir decisions` lists them", n.Row)
		}
		rule, ok := policy.Exact(policy.Request{Tool: rows[0].Tool, Input: rows[0].Input})
		if !ok || strings.Contains(rule, redact.Mark) || strings.Contains(rule, "…") {
			return api.LedgerRow{}, api.Errorf(api.CodeInvalid, "no rule can be made of row %d: give one yourself", n.Row)
		}
		n.Session, n.Rule = rows[0].Session, rule
	}
	return v.d.enforcer.NewRule(ctx, n)
}

func (v policyView) Revoke(ctx context.Context, ref, rule, client string, call api.Call) error {
	return v.d.enforcer.Revoke(ctx, ref, rule, client, call)
}

// hasRole reports whether the policy that holds for a session has rules for a role.
func (d *daemon) hasRole(ctx context.Context, session, role string) bool {
	p, err := d.enforcer.Session(ctx, session)
	return err == nil && p.InForce && slices.Contains(p.Roles, role)
}

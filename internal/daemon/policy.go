package daemon

import (
	"context"
	"encoding/json"
	"path/filepath"
	"time"

	"ccdir/internal/api"
	"ccdir/internal/gate"
	"ccdir/internal/textsafe"
)

// policyFile is the user's policy, beside config.toml.
const policyFile = "policy.toml"

// headFile holds the newest row of the ledger, beside the database.
const headFile = "decisions.head"

// newGate makes what decides what sessions may do. The registry is attached
// once it is there.
func (d *daemon) newGate(ctx context.Context) (*gate.Gate, error) {
	granted, err := d.store.SessionRules(ctx)
	if err != nil {
		return nil, err
	}
	p := d.o.Paths
	return gate.New(gate.Options{
		User: filepath.Join(p.Config, policyFile), Home: d.o.Home, UID: d.o.UID, Protect: []string{p.Config, p.State},
		Ledger: d.store, Rules: d.store, Granted: granted, HeadFile: filepath.Join(p.State, headFile),
		Changed: d.policyProblem, Logger: d.log,
	}), nil
}

// policyProblem makes a fault of the policy files known, and its end.
func (d *daemon) policyProblem(problem string) {
	message := textsafe.Line(problem)
	if message == "" {
		d.log.Info("the policy was read again")
		d.note(api.EventPolicyError, "the policy is well again")
		return
	}
	d.log.Warn("policy", "problem", message)
	d.note(api.EventPolicyError, message+": the last good policy stays in force")
}

// Decide decides about a tool that a session uses over MCP, and records it. The
// caller's role is the one that the daemon knows.
func (d *daemon) Decide(c api.Caller, tool string, input json.RawMessage) api.Verdict {
	return d.gate.Use(c, api.ToolUse{Tool: tool, Input: input, Hook: "mcp", At: time.Now()})
}

// policyView is what the API asks of gate and registry.
type policyView struct{ d *daemon }

func (v policyView) Session(ctx context.Context, ref string) (api.SessionPolicy, error) {
	return v.d.gate.Session(ctx, ref)
}

func (v policyView) SetRole(ctx context.Context, ref, role, client string) (api.Session, error) {
	return v.d.registry.SetRole(ctx, ref, role, client)
}

func (v policyView) SetOverride(ctx context.Context, ref string, o *api.Override, client string) (api.Session, error) {
	return v.d.registry.SetOverride(ctx, ref, o, client)
}

func (v policyView) NewRule(ctx context.Context, n api.NewRule) (api.LedgerRow, error) {
	return v.d.gate.NewRule(ctx, n)
}

func (v policyView) Revoke(ctx context.Context, ref, rule, client string) error {
	return v.d.gate.Revoke(ctx, ref, rule, client)
}

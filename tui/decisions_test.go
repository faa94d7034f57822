package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/known"
	"ccdir/tui/lists/decisions"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
)

// ledgerClient is a client with a ledger.
type ledgerClient struct {
	ui.Client
	rows    []api.LedgerRow
	written []string
}

func (c *ledgerClient) Decisions(_ context.Context, f api.LedgerFilter) ([]api.LedgerRow, error) {
	if f.By == api.ByUnasked {
		return []api.LedgerRow{{Event: 7, At: epoch.Add(-time.Second), Session: "aaaa1111", Name: "api", Tool: "Write", Decision: api.EffectNone, By: api.ByUnasked}}, nil
	}
	return append([]api.LedgerRow(nil), c.rows...), nil
}

func (c *ledgerClient) NewRule(_ context.Context, n api.NewRule) (api.LedgerRow, error) {
	c.written = append(c.written, fmt.Sprint("rule of ", n.Row, " for the ", n.Scope))
	return api.LedgerRow{Rule: "Bash(x)"}, nil
}

func (c *ledgerClient) RevokeRule(_ context.Context, ref, rule string) error {
	c.written = append(c.written, "revoke "+rule+" of "+ref)
	return nil
}

func withLedger(t *testing.T) (*model, *ledgerClient) {
	t.Helper()
	m := workPanes(120, 40)
	c := &ledgerClient{Client: newFakeClient()}
	for i, decision := range []string{api.EffectAllow, api.EffectDeny, api.LedgerRule} {
		row := api.LedgerRow{Seq: int64(i + 1), At: epoch.Add(time.Duration(i) * time.Second), Session: "aaaa1111", Name: "api", Tool: "Bash",
			Input: json.RawMessage(`{"command":"echo \u001b[2J ` + decision + `"}`), Decision: decision, By: api.ByPolicy, Rule: "Bash(echo *)", File: "/p.toml", Line: 3}
		if decision == api.LedgerRule {
			row.Input, row.Scope, row.By = nil, api.ScopeSession, api.ByPerson
		}
		c.rows = append(c.rows, row)
	}
	m.opts.Client = c
	perform(m, caused(m, func() { m.openOver(nil, decisions.New()) }))
	return m, c
}

func TestDecisionsView(t *testing.T) {
	m, c := withLedger(t)
	screen := func() string { return m.picture().Dump() }
	for _, want := range []string{"echo ", "deny", "Bash(echo *)", "person", "s rule for session", "unasked"} {
		if !strings.Contains(screen(), want) {
			t.Errorf("no %q on\n%s", want, screen())
		}
	}
	// A rule is made after a yes alone, of a row about a tool.
	press(m, "u")
	if len(c.written) > 0 || strings.Contains(screen(), "always allow what") {
		t.Error("a rule was made of a rule")
	}
	press(m, "j", "u", "n")
	if len(c.written) > 0 {
		t.Error("a rule was made without a yes")
	}
	press(m, "u")
	if !strings.Contains(screen(), "always allow what row 2 is about, for the user?") {
		t.Errorf("the question:\n%s", screen())
	}
	perform(m, caused(m, func() { m.key(input.Key{Name: "y"}) }))
	press(m, "k", "x")
	perform(m, caused(m, func() { m.key(input.Key{Name: "y"}) }))
	if got := strings.Join(c.written, "; "); got != "rule of 2 for the user; revoke Bash(echo *) of aaaa1111" {
		t.Errorf("wrote %s", got)
	}
	press(m, "j", "Enter")
	if !strings.Contains(screen(), "/p.toml:3") || !strings.Contains(screen(), "deny by policy") {
		t.Errorf("the row:\n%s", screen())
	}
	press(m, "Escape", "/", "d", "e", "n", "y", "Enter")
	if strings.Contains(screen(), "allow ") || !strings.Contains(screen(), "deny") {
		t.Errorf("the filter leaves others:\n%s", screen())
	}
	press(m, "Escape")
	if !strings.Contains(screen(), "echo") || m.overlay == nil {
		t.Error("Escape does not drop the filter first")
	}
	press(m, "Escape")
	if m.overlay != nil {
		t.Errorf("it stays: %T", m.overlay)
	}
}

func TestPolicyProblem(t *testing.T) {
	m := workPanes(120, 40)
	m.take(news{News: known.News{Events: []api.Event{{Seq: 900, At: epoch, Type: api.EventPolicyError, Message: "policy.toml:3:1: nonsense"}}}})
	if !strings.Contains(m.picture().Dump(), "policy: policy.toml:3:1: nonsense") {
		t.Errorf("the fault is not shown:\n%s", m.picture().Dump())
	}
	m.take(news{News: known.News{Events: []api.Event{{Seq: 901, At: epoch, Type: api.EventPolicyLoaded}}}})
	if strings.Contains(m.picture().Dump(), "nonsense") {
		t.Errorf("the fault is still shown:\n%s", m.picture().Dump())
	}
}

package daemon

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ccdir/agents/claude"
	"ccdir/api"
)

// recorded is a payload of Claude Code's hooks (2.1.329), in the mode auto.
func recorded(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "agents", "claude", "testdata", "hooks", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(string(data), `"permission_mode": "default"`, `"permission_mode": "auto"`, 1)
}

// callsOf are the tools of rows with the agent's ids of the calls.
func callsOf(rows []api.LedgerRow) (list []string) {
	for _, r := range rows {
		list = append(list, r.Tool+" "+r.ToolUseID)
	}
	return list
}

// TestScriptsOnRecord: each call of a script has the policy's decision by its own id; a call
// about which nobody was asked, and one that the agent's own classifier refused, are found.
func TestScriptsOnRecord(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.policy("[roles.dev]\nallow = ['Bash(touch *)']\ndeny = ['mcp__*']\n")
	p.run()
	s := p.agentSession("one")
	for i, step := range []struct{ hook, payload, want string }{
		{claude.HookPreToolUse, "PreToolUse.REPL", ""},
		{claude.HookPreToolUse, "PreToolUse.in-script.Bash", "allow"},
		{claude.HookPostToolUse, "PostToolUse.in-script.Bash", ""},
		{claude.HookPreToolUse, "PreToolUse.in-script.Write", ""},
		{claude.HookPreToolUse, "PreToolUse.in-script.mcp", "deny"},
		{claude.HookPostToolUse, "PostToolUse.REPL", ""},
		{claude.HookPermissionDenied, "PermissionDenied.REPL", ""},
	} {
		var reply api.HookReply
		if err := p.post(context.Background(), s.ID, p.token(s), step.hook, fmt.Sprint("c", i), recorded(t, step.payload), &reply); err != nil {
			t.Fatal(err)
		}
		if got := decision(reply.Stdout); got != step.want {
			t.Errorf("%s: %q, want %q", step.payload, got, step.want)
		}
	}
	until(t, "the classifier's refusal", func() bool { return len(p.decisions("by=agent")) > 0 })
	refused := p.decisions("session=one&by=agent")
	if got := callsOf(refused); !slices.Equal(got, []string{"REPL toolu_00000098"}) || refused[0].Decision != "deny" || refused[0].Reason != "flagged by the test" ||
		!strings.Contains(string(refused[0].Input), "touch mark") || refused[0].Seq == 0 {
		t.Errorf("refused by the agent: %+v", refused)
	}
	if got := callsOf(p.decisions("by=policy")); len(got) != 2 || !strings.HasPrefix(got[0], "Bash repl_") || !strings.HasPrefix(got[1], "mcp__") {
		t.Errorf("decided by the policy: %q", got)
	}
	unasked := p.decisions("session=one&by=unasked")
	if got := callsOf(unasked); len(got) != 2 || got[0] != "REPL toolu_00000087" || !strings.HasPrefix(got[1], "Write repl_") {
		t.Fatalf("nobody was asked about: %q", got)
	}
	if r := unasked[1]; r.By != "unasked" || r.Decision != api.EffectNone || r.Session != s.ID || r.Name != "one" || !strings.Contains(string(r.Input), "new.txt") || r.Seq != 0 {
		t.Errorf("nobody was asked about: %+v", r)
	}
	var sum api.LedgerSum
	p.call("GET", "/v1/decisions/sum?since=2020-01-01T00:00:00Z", nil, &sum)
	want := []api.LedgerCount{{Decision: "none", By: "unasked", Mode: "auto", Rows: 2}, {Decision: "allow", By: "policy", Rows: 1}, {Decision: "deny", By: "agent", Rows: 1}, {Decision: "deny", By: "policy", Rows: 1}}
	if !slices.Equal(sum.Counts, want) || !slices.Equal(sum.Sessions, []api.LedgerCount{{ID: s.ID, Name: "one", Rows: 5}}) || !sum.Complete {
		t.Errorf("the sum: %+v", sum)
	}
	if got := p.decisions("by=unasked&tool=Write&limit=1"); len(got) != 1 {
		t.Errorf("of one tool: %q", callsOf(got))
	}
}

// TestAskedIsNotUnasked: a call whose dialog a person answered, in the pane too, is no call
// that nobody was asked about.
func TestAskedIsNotUnasked(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.agentSession("one")
	post := func(id, hook, payload string) {
		if err := p.hookWith(s.ID, p.token(s), hook, id, recorded(t, payload)); err != nil {
			t.Fatal(err)
		}
	}
	post("a", claude.HookPreToolUse, "PreToolUse.in-script.Bash")
	asked := make(chan struct{})
	go func() { // it is held until the tool's end
		defer close(asked)
		_ = p.hookWith(s.ID, p.token(s), claude.HookPermissionRequest, "b", recorded(t, "PermissionRequest.in-script.Bash"))
	}()
	until(t, "the request", func() bool {
		var open []api.Request
		p.call("GET", "/v1/approvals", nil, &open)
		return len(open) == 1
	})
	post("c", claude.HookPostToolUse, "PostToolUse.in-script.Bash")
	<-asked
	if rows := p.decisions(""); len(rows) != 1 || rows[0].Outcome != api.OutcomeElsewhere {
		t.Fatalf("rows: %+v", rows)
	}
	if got := callsOf(p.decisions("by=unasked")); len(got) != 0 {
		t.Errorf("nobody was asked about: %q", got)
	}
}

// TestPermissionModeIsShown: a session's value has the agent's permission mode, with one word
// for asking about each call.
func TestPermissionModeIsShown(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.agentSession("one")
	for i, c := range []struct{ reported, want string }{{"auto", "auto"}, {"default", "manual"}, {"plan", "plan"}} {
		payload := hookJSON(claude.HookUserPromptSubmit, fmt.Sprintf(`"prompt":"x","permission_mode":%q`, c.reported))
		if err := p.hookWith(s.ID, p.token(s), claude.HookUserPromptSubmit, fmt.Sprint("m", i), payload); err != nil {
			t.Fatal(err)
		}
		var v struct {
			Mode string `json:"permission_mode"`
		}
		p.call("GET", "/v1/sessions/one", nil, &v)
		if v.Mode != c.want {
			t.Errorf("%s: %q", c.reported, v.Mode)
		}
	}
	var sub struct {
		Mode string `json:"permission_mode"`
	}
	payload := hookJSON(claude.HookPreToolUse, `"tool_name":"Bash","tool_input":{"command":"ls"},"agent_id":"sub","permission_mode":"bypassPermissions"`)
	if err := p.hookWith(s.ID, p.token(s), claude.HookPreToolUse, "sub", payload); err != nil {
		t.Fatal(err)
	}
	if p.call("GET", "/v1/sessions/one", nil, &sub); sub.Mode != "plan" {
		t.Errorf("a subagent's mode is taken for the session's: %q", sub.Mode)
	}
}

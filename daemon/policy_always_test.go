package daemon

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ccdir/agents/codex"
	"ccdir/agents/gemini"
	"ccdir/api"
)

// TestAlwaysByPattern: an approval for always can be for more than the very call, by one of the
// patterns that the request names and by no other.
func TestAlwaysByPattern(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.policy(testPolicy)
	p.run()
	s := p.agentSession("one")
	r, ch := p.ask(s, "a1", "go test ./a -run X")
	if want := []string{"Bash(go test ./a -run X)", "Bash(go test ./a *)", "Bash(go test *)"}; !slices.Equal(r.AlwaysRules, want) || r.AlwaysRule != want[0] {
		t.Fatalf("offered %q, %q", r.AlwaysRule, r.AlwaysRules)
	}
	approve := "/v1/approvals/" + r.ID + "/approve"
	p.wantCode(api.CodeInvalid, "POST", approve, api.Answer{Always: true, Rule: "Bash(go *)"})
	p.wantCode(api.CodeInvalid, "POST", approve, api.Answer{Rule: "Bash(go test *)"})
	p.call("POST", approve, api.Answer{Always: true, Rule: "Bash(go test *)"}, nil)
	if out := got(t, ch).reply.Stdout; !strings.Contains(out, `"allow"`) || strings.Contains(out, "updatedPermissions") {
		t.Errorf("the hook prints %s", out)
	}
	for command, want := range map[string]string{"go test ./b": "allow", "go test ./b -exec sh": "ask", "go vet ./b": "", "go test ./b; make": ""} {
		if got := decision(p.pretool(s, "a2"+command, command)); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
	if rows := p.decisions("decision=rule"); len(rows) != 1 || rows[0].Rule != "Bash(go test *)" || rows[0].Scope != "session" {
		t.Errorf("rows %+v", rows)
	}
	r, ch = p.ask(s, "a3", "make x")
	if !slices.Equal(r.AlwaysRules, []string{"Bash(make x)"}) {
		t.Errorf("offered %q", r.AlwaysRules)
	}
	p.call("POST", "/v1/sessions/one/reply", api.Reply{Behavior: api.AnswerAllow, Always: true, Rule: "Bash(make x)"}, nil)
	got(t, ch)
}

// TestAlwaysWithoutPolicy: without a policy ccdir itself keeps what is allowed for the session,
// for every agent alike, and decides nothing else.
func TestAlwaysWithoutPolicy(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.agentSession("one")
	r, ch := p.ask(s, "a1", "go test ./a -run X")
	if len(r.Scopes) != 2 || r.Scopes[0].Scope != api.ScopeSession || r.Scopes[1].Scope != api.ScopeUser || !r.Scopes[1].New {
		t.Errorf("offered for %+v", r.Scopes)
	}
	p.call("POST", "/v1/approvals/"+r.ID+"/approve", api.Answer{Always: true, Rule: "Bash(go test *)"}, nil)
	if out := got(t, ch).reply.Stdout; !strings.Contains(out, `"allow"`) {
		t.Errorf("the hook prints %s", out)
	}
	for command, want := range map[string]string{"go test ./b": "allow", "go test ./b -exec sh": "", "echo x > .claude/settings.json": "", "ls": ""} {
		if got := decision(p.pretool(s, "a2"+command, command)); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
	p.call("DELETE", "/v1/sessions/one/rules?rule=Bash%28go+test+*%29", nil, nil)
	if got := decision(p.pretool(s, "a3", "go test ./b")); got != "" {
		t.Errorf("after the rule was taken back: %q", got)
	}
}

// TestAlwaysOfEveryAgent: what "always" offers does not depend on the agent that asks, and holds
// for its next call.
func TestAlwaysOfEveryAgent(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.policy("[roles.dev]\nallow = [\"Bash(make x)\"]\n")
	p.run()
	project := filepath.Join(p.paths.Home, "work")
	if err := os.MkdirAll(filepath.Join(project, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	head := fmt.Sprintf(`{"session_id":"c","cwd":%q,`, project)
	patch := func(name string) string {
		text, _ := json.Marshal("*** Begin Patch\n*** Add File: src/" + name + "\n+x\n*** End Patch")
		return head + `"hook_event_name":"PermissionRequest","tool_name":"apply_patch","tool_input":{"command":` + string(text) + `}}`
	}
	for _, c := range []struct {
		agent, hook, first, again string
		rules                     []string
	}{
		{"codex", codex.HookPermissionRequest, patch("a.go"), patch("b.go"), []string{"Edit(/" + project + "/src/a.go)", "Edit(./src/**)"}},
		{"codex", codex.HookPermissionRequest, head + `"tool_name":"Bash","tool_input":{"command":"go test ./a"}}`, head + `"tool_name":"Bash","tool_input":{"command":"go test ./b"}}`,
			[]string{"Bash(go test ./a)", "Bash(go test ./a *)", "Bash(go test *)"}},
		{"gemini", gemini.HookNotification, head + `"notification_type":"ToolPermission","details":{"type":"edit","filePath":"` + project + `/src/a.go","fileName":"a.go"}}`,
			head + `"notification_type":"ToolPermission","details":{"type":"edit","filePath":"` + project + `/src/b.go","fileName":"b.go"}}`, []string{"Edit(/" + project + "/src/a.go)", "Edit(./src/**)"}},
		{"gemini", gemini.HookNotification, head + `"notification_type":"ToolPermission","details":{"type":"mcp","serverName":"files","toolName":"put","toolDisplayName":"put"}}`,
			head + `"notification_type":"ToolPermission","details":{"type":"mcp","serverName":"files","toolName":"get","toolDisplayName":"get"}}`, []string{"mcp__files__put", "mcp__files"}},
	} {
		for _, scope := range []string{api.ScopeSession, api.ScopeProject, api.ScopeUser} {
			p.policy("[roles.dev]\nallow = [\"Bash(make x)\"]\n")
			if err := os.RemoveAll(filepath.Join(project, ".ccdir")); err != nil {
				t.Fatal(err)
			}
			s := p.create(api.NewSession{Agent: c.agent, Argv: sh("exec sleep 1000"), CWD: project})
			ended := make(chan error, 1)
			go func() { ended <- p.hookWith(s.ID, p.token(s), c.hook, "1", c.first) }()
			r := p.request(s)
			if !slices.Equal(r.AlwaysRules, c.rules) || r.AlwaysRule != c.rules[0] {
				t.Fatalf("%s: offered %q, want %q", c.agent, r.AlwaysRules, c.rules)
			}
			p.call("POST", "/v1/approvals/"+r.ID+"/approve", api.Answer{Always: true, Scope: scope, Rule: c.rules[len(c.rules)-1]}, nil)
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			if err := p.hookWith(s.ID, p.token(s), c.hook, "2", c.again); err != nil {
				t.Fatal(err)
			}
			until(t, "the next call to be allowed", func() bool {
				rows := p.decisions("decision=allow&session=" + s.ID)
				return len(rows) == 2 && rows[1].By == api.ByPolicy && rows[1].Rule == c.rules[len(c.rules)-1]
			})
		}
	}
}

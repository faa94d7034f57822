package daemon

import (
	"slices"
	"strings"
	"testing"

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

// TestAlwaysByPatternOfTheAgent: without a policy the agent keeps the chosen rule.
func TestAlwaysByPatternOfTheAgent(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.agentSession("one")
	r, ch := p.ask(s, "a1", "go test ./a -run X")
	p.call("POST", "/v1/approvals/"+r.ID+"/approve", api.Answer{Always: true, Rule: "Bash(go test *)"}, nil)
	if out := got(t, ch).reply.Stdout; !strings.Contains(out, `{"toolName":"Bash","ruleContent":"go test *"}`) {
		t.Errorf("the hook prints %s", out)
	}
}

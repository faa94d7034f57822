package daemon

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/internal/api"
	"ccdir/internal/paths"
)

const testPolicy = `
[roles.dev]
allow = ["Bash(git *)", "Read(./**)"]
ask = ["Bash(git push *)"]
deny = ["Bash(rm *)"]

[roles.lead]
allow = ["Bash(git *)", "Bash(make *)"]
`

// policy writes the user's policy file.
func (p *place) policy(text string) {
	p.t.Helper()
	if err := os.MkdirAll(p.paths.Config, 0o700); err != nil {
		p.t.Fatal(err)
	}
	file := filepath.Join(p.paths.Config, policyFile)
	tmp := file + ".new"
	if err := os.WriteFile(tmp, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Rename(tmp, file); err != nil {
		p.t.Fatal(err)
	}
}

// pretool calls PreToolUse for a command and returns what the hook prints.
func (p *place) pretool(s api.Session, id, command string) string {
	p.t.Helper()
	var reply api.HookReply
	err := p.post(context.Background(), s.ID, p.token(s), "PreToolUse", id, bashUse(command), &reply)
	if err != nil {
		p.t.Fatal(err)
	}
	return reply.Stdout
}

func bashUse(command string) string {
	return hookJSON("PreToolUse", fmt.Sprintf(`"tool_name":"Bash","tool_input":{"command":%q}`, command))
}

// decision is the word in a PreToolUse hook's answer.
func decision(stdout string) string {
	_, rest, _ := strings.Cut(stdout, `"permissionDecision":"`)
	word, _, _ := strings.Cut(rest, `"`)
	return word
}

func (p *place) decisions(query string) []api.LedgerRow {
	p.t.Helper()
	var rows []api.LedgerRow
	p.call("GET", "/v1/decisions?"+query, nil, &rows)
	return rows
}

// TestPolicyAnswersHooks: each effect at the PreToolUse hook, none without a
// rule; a change of the file holds at once, a faulty one leaves the last good
// policy; every decision is a row.
func TestPolicyAnswersHooks(t *testing.T) {
	p := newPlace(t)
	p.run()
	s := p.agentSession("one")
	if out := p.pretool(s, "a0", "rm -rf /x"); out != "" {
		t.Fatalf("without a policy file: %s", out)
	}
	p.policy(testPolicy)
	for i, c := range []struct{ command, want string }{
		{"git status", "allow"}, {"git push", "ask"}, {"ls; rm x", "deny"}, {"make", ""}, {"git status && make", ""},
	} {
		if got := decision(p.pretool(s, fmt.Sprint("b", i), c.command)); got != c.want {
			t.Errorf("%s: %q, want %q", c.command, got, c.want)
		}
	}
	p.policy(testPolicy + "nonsense = [\n")
	if got := decision(p.pretool(s, "c1", "rm x")); got != "deny" {
		t.Errorf("with a faulty file: %q", got)
	}
	until(t, "the fault to be told", func() bool { return strings.Contains(p.eventTypes(""), api.EventPolicyError) })
	p.policy("[roles.dev]\nallow = ['Bash(make *)']\n")
	if got := decision(p.pretool(s, "c2", "make")); got != "allow" {
		t.Errorf("with the new policy: %q", got)
	}
	var got []string
	for _, r := range p.decisions("session=one") {
		if r.Rule == "" || r.Line == 0 || r.By != api.ByPolicy || r.Role != "dev" || r.Hook != "PreToolUse" || r.Hash == "" {
			t.Errorf("row %+v", r)
		}
		got = append(got, r.Decision+" "+r.Rule)
	}
	if want := "allow Bash(git *), ask Bash(git push *), deny Bash(rm *), deny Bash(rm *), allow Bash(make *)"; strings.Join(got, ", ") != want {
		t.Errorf("rows %s", strings.Join(got, ", "))
	}
}

// TestLossFile: hooks learn what to answer without a daemon, also when the
// policy changes while the session runs.
func TestLossFile(t *testing.T) {
	p := newPlace(t)
	p.run()
	s := p.agentSession("")
	word := func() string {
		data, err := os.ReadFile(filepath.Join(p.paths.SessionDir(s.ID), paths.LossFile))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if w := word(); w != api.EffectNone {
		t.Errorf("without a policy: %q", w)
	}
	for _, c := range []struct{ policy, want string }{
		{testPolicy, api.EffectAsk}, {"on_daemon_loss = 'deny'\n" + testPolicy, api.EffectDeny}, {"on_daemon_loss = 'none'\n" + testPolicy, api.EffectNone},
	} {
		p.policy(c.policy)
		p.pretool(s, "x"+c.want, "ls")
		until(t, "the file to say "+c.want, func() bool { return word() == c.want })
	}
}

package enforce

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
)

// rig is an enforcer with a user's policy, sessions and a ledger that are known.
type rig struct {
	*Enforcer
	file     string
	sessions map[string]api.Caller

	mu   sync.Mutex
	rows []api.LedgerRow
	full error
}

func (p *rig) AppendDecisions(rows []api.LedgerRow) (api.LedgerHead, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.full != nil {
		return api.LedgerHead{}, p.full
	}
	p.rows = append(p.rows, rows...)
	return api.LedgerHead{Seq: int64(len(p.rows)), Hash: "h"}, nil
}

func (p *rig) Decisions(_ context.Context, f api.LedgerFilter) (rows []api.LedgerRow, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, r := range p.rows {
		r.Seq = int64(i + 1)
		if (f.Session == "" || r.Session == f.Session) && (f.Decision == "" || r.Decision == f.Decision) && (f.Call == "" || r.Call == f.Call) && !r.At.Before(f.Since) {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

func (p *rig) Caller(_ context.Context, ref string) (api.Caller, error) {
	c, ok := p.sessions[ref]
	if !ok {
		return c, api.Errorf(api.CodeNotFound, "no session")
	}
	return c, nil
}

func (p *rig) PolicyChanged() {}

func newRig(t *testing.T, policy string, lead Lead) *rig {
	t.Helper()
	dir := t.TempDir()
	p := &rig{file: filepath.Join(dir, "policy.toml"), sessions: map[string]api.Caller{
		"dev":  {Session: "dev", Name: "d", Role: "dev", Root: dir, CWD: dir},
		"lead": {Session: "lead", Name: "l", Role: "lead", Root: dir, CWD: dir},
	}}
	if policy != "" {
		if err := os.WriteFile(p.file, []byte(policy), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.Enforcer = New(Options{User: p.file, Home: dir, UID: os.Getuid(), Ledger: p, Sessions: p, Lead: lead, LeadTime: time.Minute,
		HeadFile: filepath.Join(dir, "head")})
	t.Cleanup(p.Close)
	return p
}

func bash(command string) json.RawMessage {
	data, _ := json.Marshal(map[string]string{"command": command})
	return data
}

const policyText = `[roles.dev]
ask = ["Bash(make *)"]
[roles.lead]
allow = ["Bash(make *)", "AskUserQuestion"]
deny = ["Bash(rm *)"]
`

// TestWithoutPolicy: nothing is decided and nothing recorded.
func TestWithoutPolicy(t *testing.T) {
	p := newRig(t, "", nil)
	if v := p.Use(p.sessions["dev"], api.ToolUse{Tool: "Bash", Input: bash("rm -rf /")}); v.Effect != api.EffectNone || len(p.rows) != 0 {
		t.Errorf("%+v, rows %v", v, p.rows)
	}
	c := p.sessions["dev"]
	c.Override = &api.Override{Mode: api.OverrideAsk, Until: time.Now().Add(time.Hour)}
	if v := p.Use(c, api.ToolUse{Tool: "Bash", Input: bash("ls")}); v.Effect != api.EffectAsk {
		t.Errorf("asking about everything: %+v", v)
	}
	c.Override.Until = time.Now().Add(-time.Second)
	if v := p.Use(c, api.ToolUse{Tool: "Bash", Input: bash("ls")}); v.Effect != api.EffectNone {
		t.Errorf("after its end: %+v", v)
	}
	c.Override.Until = time.Now().Add(api.MaxOverride + time.Hour)
	if v := p.Use(c, api.ToolUse{Tool: "Bash", Input: bash("ls")}); v.Effect != api.EffectNone {
		t.Errorf("more is left than there ever was, since the clock was set back: %+v", v)
	}
}

// TestAlwaysWithoutPolicy: what is allowed always, for the project or everywhere, makes the
// policy file, which lets that through and leaves the rest to the agent.
func TestAlwaysWithoutPolicy(t *testing.T) {
	for _, scope := range []string{api.ScopeProject, api.ScopeUser} {
		p := newRig(t, "", nil)
		c := p.sessions["dev"]
		c.Root = filepath.Join(c.Root, "repo")
		c.CWD = c.Root
		p.sessions["dev"] = c
		if err := os.Mkdir(c.Root, 0o700); err != nil {
			t.Fatal(err)
		}
		r := api.Request{ID: "r1", Session: "dev", Kind: api.RequestPermission, Tool: "Bash", Input: bash("go test ./a")}
		if _, done := p.Request(c, &r); done {
			t.Fatal("answered without a policy")
		}
		want := []api.AlwaysScope{
			{Scope: api.ScopeSession, Rule: "Bash(go test ./a)"},
			{Scope: api.ScopeProject, Rule: "Bash(go test ./a)", File: filepath.Join(c.Root, ".ccdir/policy.toml"), New: true},
			{Scope: api.ScopeUser, Rule: "Bash(go test ./a)", File: p.file, New: true},
		}
		if !slices.Equal(r.Scopes, want) || len(r.AlwaysRules) != 3 {
			t.Fatalf("offered: %+v, %q", r.Scopes, r.AlwaysRules)
		}
		a, err := p.Prepare(r, api.Answer{Behavior: api.AnswerAllow, Always: true, Scope: scope, Rule: "Bash(go test *)"})
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(a.File); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", a.File, info, err)
		}
		for command, effect := range map[string]string{"go test ./b": api.EffectAllow, "rm -rf x": api.EffectNone, "go test $(x)": api.EffectNone} {
			if v := p.Use(c, api.ToolUse{Tool: "Bash", Input: bash(command)}); v.Effect != effect {
				t.Errorf("%s, %s: %+v", scope, command, v)
			}
		}
		if p.Request(c, &r); r.Scopes[1].New == (scope == api.ScopeProject) || r.Scopes[2].New {
			t.Errorf("offered then: %+v", r.Scopes)
		}
	}
}

// TestHomeIsNoProject: a rule for the project of a session in the home directory would not hold.
func TestHomeIsNoProject(t *testing.T) {
	p := newRig(t, policyText, nil)
	r := api.Request{ID: "r1", Session: "dev", Kind: api.RequestPermission, Tool: "Bash", Input: bash("go test ./a")}
	p.Request(p.sessions["dev"], &r)
	if len(r.Scopes) != 2 || r.Scopes[1].Scope != api.ScopeUser {
		t.Errorf("offered: %+v", r.Scopes)
	}
}

// TestListsOfSession: what is in a session's policy is a list also where nothing is in it.
func TestListsOfSession(t *testing.T) {
	s, err := newRig(t, "", nil).Session(t.Context(), "dev")
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(s)
	if want := `{"role":"dev","in_force":false,"files":[],"rules":[],"roles":["dev","lead"]}`; err != nil || string(data) != want {
		t.Errorf("%s %v, want %s", data, err, want)
	}
}

// TestLedgerFull: an approval that cannot be recorded becomes a question, a
// denial stays one.
func TestLedgerFull(t *testing.T) {
	p := newRig(t, policyText, nil)
	p.full = errors.New("disk full")
	for command, want := range map[string]string{"make": api.EffectAsk, "rm x": api.EffectDeny, "ls": api.EffectNone} {
		if v := p.Use(p.sessions["lead"], api.ToolUse{Tool: "Bash", Input: bash(command)}); v.Effect != want {
			t.Errorf("%s: %+v", command, v)
		}
	}
	if _, err := p.NewRule(t.Context(), api.NewRule{Session: "dev", Scope: api.ScopeUser, Rule: "Bash(x)"}); err == nil {
		t.Error("a rule that is not recorded was written")
	}
	if _, err := p.NewRule(t.Context(), api.NewRule{Session: "dev", Rule: "Bash(x)"}); err == nil || len(p.rulesOf("dev")) > 0 {
		t.Error("a session's rule that is not recorded was given")
	}
	if data, _ := os.ReadFile(p.file); string(data) != policyText {
		t.Errorf("the file:\n%s", data)
	}
}

// TestQuestionsStayQuestions: no rule answers for the person, whatever the agent calls the tool
// by which it asks.
func TestQuestionsStayQuestions(t *testing.T) {
	p := newRig(t, strings.Replace(policyText, `"AskUserQuestion"`, `"AskUserQuestion", "ExitPlanMode"`, 1), nil)
	for _, c := range []struct{ agent, tool string }{{agents.KindClaude, "AskUserQuestion"}, {agents.KindClaude, "ExitPlanMode"}, {agents.KindCodex, "request_user_input"},
		{agents.KindOpencode, "question"}, {agents.KindGemini, "ask_user"}, {agents.KindGemini, "exit_plan_mode"}} {
		tool, input, _ := adapters.Call(c.agent, c.tool, []byte(`{}`))
		if v := p.Use(p.sessions["lead"], api.ToolUse{Tool: tool, Input: input}); v.Effect != api.EffectNone || v.Reason != tool+" is for a person to answer" {
			t.Errorf("%s %s: %+v", c.agent, c.tool, v)
		}
	}
}

// fakeLead answers as it is told.
type fakeLead struct {
	lead   string
	answer func(ctx context.Context) (api.Answer, bool)
	asked  int
}

func (f *fakeLead) Lead(string) string { return f.lead }

func (f *fakeLead) Ask(ctx context.Context, _ string, _ api.Request) (api.Answer, bool) {
	f.asked++
	return f.answer(ctx)
}

// TestLead: a lead is asked only about what its role has, in time, and grants
// nothing beyond it.
func TestLead(t *testing.T) {
	yes := func(context.Context) (api.Answer, bool) { return api.Answer{Behavior: api.AnswerAllow}, true }
	for name, c := range map[string]struct {
		command string
		answer  func(context.Context) (api.Answer, bool)
		asked   int
		want    api.AnswerBehavior
		refused int
	}{
		"covered":      {"make", yes, 1, api.AnswerAllow, 0},
		"not covered":  {"ls", yes, 0, "", 0},
		"denied to it": {"rm x", yes, 0, "", 0},
		"denies": {"make", func(context.Context) (api.Answer, bool) {
			return api.Answer{Behavior: api.AnswerDeny, Message: "no"}, true
		}, 1, api.AnswerDeny, 0},
		"leaves it": {"make", func(context.Context) (api.Answer, bool) { return api.Answer{}, false }, 1, "", 0},
		"for always": {"make", func(context.Context) (api.Answer, bool) {
			return api.Answer{Behavior: api.AnswerAllow, Always: true}, true
		}, 1, "", 1},
		"another input": {"make", func(context.Context) (api.Answer, bool) {
			return api.Answer{Behavior: api.AnswerAllow, Input: bash("rm x")}, true
		}, 1, "", 1},
		"too late": {"make", func(ctx context.Context) (api.Answer, bool) {
			<-ctx.Done()
			return api.Answer{Behavior: api.AnswerAllow}, true
		}, 1, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			lead := &fakeLead{lead: "lead", answer: c.answer}
			p := newRig(t, policyText, lead)
			if name == "too late" {
				p.o.LeadTime = 50 * time.Millisecond
			}
			a, ok := p.AskLead(t.Context(), api.Request{Session: "dev", Tool: "Bash", Input: bash(c.command)})
			if lead.asked != c.asked || a.Behavior != c.want || ok != (c.want != "") || len(p.rows) != c.refused {
				t.Errorf("asked %d times, answer %+v %t, rows %+v", lead.asked, a, ok, p.rows)
			}
			if ok && (a.Lead != "lead" || a.Always || a.Input != nil) {
				t.Errorf("answer %+v", a)
			}
		})
	}
	// By its policy, without being asked: what its role may, and no plan.
	byPolicy := &fakeLead{lead: "lead", answer: yes}
	p := newRig(t, policyText, byPolicy)
	p.o.LeadByPolicy = func() bool { return true }
	for command, want := range map[string]api.AnswerBehavior{"make": api.AnswerAllow, "ls": "", "rm x": ""} {
		if a, ok := p.AskLead(t.Context(), api.Request{Session: "dev", Tool: "Bash", Input: bash(command)}); a.Behavior != want || ok != (want != "") || byPolicy.asked != 0 || ok && a.Lead != "lead" {
			t.Errorf("%s by its policy: %+v, asked %d times", command, a, byPolicy.asked)
		}
	}
	if a, ok := p.AskLead(t.Context(), api.Request{Session: "dev", Tool: "ExitPlanMode", Kind: api.RequestPlan, Input: []byte(`{"plan":"x"}`)}); !ok || a.Behavior != api.AnswerAllow || byPolicy.asked != 1 {
		t.Errorf("a plan: %+v, asked %d times", a, byPolicy.asked)
	}
	// Its role is another one by the time that it answers.
	lead := &fakeLead{lead: "lead"}
	p = newRig(t, policyText, lead)
	lead.answer = func(context.Context) (api.Answer, bool) {
		c := p.sessions["lead"]
		c.Role = "dev"
		p.sessions["lead"] = c
		return yes(nil)
	}
	if a, ok := p.AskLead(t.Context(), api.Request{Session: "dev", Tool: "Bash", Input: bash("make")}); ok || len(p.rows) != 1 || p.rows[0].Decision != api.LedgerRefused {
		t.Errorf("%+v, rows %+v", a, p.rows)
	}
	// A question is for people, and nobody leads himself.
	if _, ok := p.AskLead(t.Context(), api.Request{Session: "dev", Tool: "Bash", Input: bash("make"), Kind: api.RequestQuestion}); ok {
		t.Error("a question was answered")
	}
	lead.lead = "dev"
	if _, ok := p.AskLead(t.Context(), api.Request{Session: "dev", Tool: "Bash", Input: bash("make")}); ok || lead.asked != 1 {
		t.Error("a session led itself")
	}
}

// TestHead: the file has the newest row, whatever order commits come in.
func TestHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "head")
		if head, err := ReadHead(file); head != nil || err != nil {
			t.Fatal(head, err)
		}
		k := newHeadKeeper(file)
		for _, seq := range []int64{1, 3, 2} {
			k.set(api.LedgerHead{Seq: seq, Hash: "h"})
		}
		k.close()
		k.close()
		k.set(api.LedgerHead{Seq: 4})
		if head, err := ReadHead(file); err != nil || head.Seq != 3 || head.Hash != "h" {
			t.Fatal(head, err)
		}
	})
}

func BenchmarkUse(b *testing.B) {
	dir := b.TempDir()
	file := filepath.Join(dir, "policy.toml")
	if err := os.WriteFile(file, []byte(policyText), 0o600); err != nil {
		b.Fatal(err)
	}
	e := New(Options{User: file, Home: dir, UID: os.Getuid()})
	defer e.Close()
	c := api.Caller{Session: "lead", Role: "lead", Root: dir, CWD: dir}
	u := api.ToolUse{Tool: "Bash", Input: bash("make all")}
	for b.Loop() {
		if v := e.Use(c, u); v.Effect != api.EffectAllow {
			b.Fatal(v)
		}
	}
}

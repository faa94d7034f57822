package enforce_test

import (
	"encoding/json"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/agents/claude"
	"ccdir/agents/codex"
	"ccdir/agents/gemini"
	"ccdir/agents/opencode"
	"ccdir/policy"
)

// beforeTool is the hook of each agent that comes before a tool.
var beforeTool = map[string]string{agents.KindClaude: claude.HookPreToolUse, agents.KindCodex: codex.HookPreToolUse, agents.KindGemini: gemini.HookBeforeTool, agents.KindOpencode: opencode.HookPreToolUse}

// TestToolsOfAgents: a rule about files and commands holds for the tools of every agent, by
// whatever name and members its hook reports them.
func TestToolsOfAgents(t *testing.T) {
	p := policyOf(t, map[policy.Effect][]string{
		policy.Deny:  {"Edit(.env)", "Edit(vendor/**)", "Read(./secrets/**)", "Bash(rm *)"},
		policy.Allow: {"Edit(src/**)", "Read(src/**)"},
	})
	text, err := os.ReadFile("../testdata/tools-of-agents.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 4 {
			if !strings.HasPrefix(line, "#") {
				t.Errorf("%q has no four fields", line)
			}
			continue
		}
		if got := decided(t, p, f[0], f[1], f[2]); string(got.Decision) != f[3] {
			t.Errorf("%s %s %s: %s, want %s\n\t%s: %s", f[0], f[1], f[2], got.Decision, f[3], got.Rule, got.Reason)
		}
	}
}

// TestListedTools: the policy knows what each tool of the agents' lists does.
func TestListedTools(t *testing.T) {
	for _, kind := range []string{agents.KindCodex, agents.KindGemini, agents.KindOpencode} {
		list, err := os.ReadFile("../../agents/" + kind + "/testdata/tools.txt")
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range strings.Fields(string(list)) {
			if name, _, _ := adapters.Call(kind, tool, json.RawMessage("{}")); !policy.Knows(name) {
				t.Errorf("the policy does not know what %s's %s (%s) does", kind, tool, name)
			}
		}
	}
}

// policyOf is a policy for dev, with a file so that it is in force.
func policyOf(t *testing.T, rules map[policy.Effect][]string) *policy.Policy {
	t.Helper()
	var list []*policy.Rule
	for effect, texts := range rules {
		for _, text := range texts {
			r, err := policy.NewRule(text, effect)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, &r)
		}
	}
	return policy.New(policy.Source{Rules: map[string][]*policy.Rule{policy.RoleDev: list}, Files: []string{"/home/u/.config/ccdir/policy.toml"}})
}

// decided is the decision about a call, as the agent's hook reports it.
func decided(t *testing.T, p *policy.Policy, agent, tool, input string) policy.Decision {
	t.Helper()
	a, _ := adapters.Lookup(agent)
	data, err := json.Marshal(map[string]any{"session_id": "s", "cwd": "/tmp/w", "tool_name": tool, "tool_input": json.RawMessage(input)})
	if err != nil {
		t.Fatal(err)
	}
	h, err := a.DecodeHook(beforeTool[agent], time.Time{}, data)
	if err != nil {
		t.Fatal(err)
	}
	u, ok := a.(agents.Guarded).ToolUse(h)
	if !ok {
		t.Fatalf("%s %s is no use of a tool", agent, tool)
	}
	return p.Decide(policy.Request{Role: policy.RoleDev, Tool: u.Tool, Input: u.Input, Root: "/tmp/w", Cwd: path.Join(h.CWD, u.Dir), Home: "/home/u"})
}

package realcli

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// byFirst gives each conversation of the CLI the script that its first prompt names.
func byFirst(scripts map[string]fakeapi.Script) fakeapi.Script {
	var mu sync.Mutex
	of := map[string]fakeapi.Script{}
	return func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		if !r.Main() {
			return fakeapi.Echo(ctx, r)
		}
		mu.Lock()
		if script, ok := scripts[strings.TrimSpace(r.Prompt)]; ok && of[r.Session] == nil {
			of[r.Session] = script
		}
		script := of[r.Session]
		mu.Unlock()
		if script == nil {
			return fakeapi.Echo(ctx, r)
		}
		return script(ctx, r)
	}
}

// spawnWorker is the call by which a lead starts a session.
func spawnWorker(agent string) fakeapi.Reply {
	return fakeapi.Tool("mcp__ccdir__session_spawn", map[string]any{"agent": agent, "name": "worker", "prompt": "work"})
}

// addConfig appends to config.toml.
func (p *Product) addConfig(text string) {
	p.t.Helper()
	data, err := os.ReadFile(p.Paths.ConfigFile())
	if err == nil {
		err = os.WriteFile(p.Paths.ConfigFile(), append(data, text...), 0o600)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// TestLeadByPolicy: with lead = "policy" what the lead's role may is allowed to the session
// that it started, without a message to it; the rest is for people.
func TestLeadByPolicy(t *testing.T) {
	t.Parallel()
	const rules = "[roles.dev]\nask = [\"Bash(touch *)\"]\n[roles.lead]\nallow = [\"mcp__ccdir__*\", \"Bash(touch led)\"]\n"
	ctx, p := policed(t, "default", rules, byFirst(map[string]fakeapi.Script{
		"lead": fakeapi.Turns(spawnWorker("claude")),
		"work": fakeapi.Turns(bash("touch led"), bash("touch other")),
	}))
	p.addConfig("[mcp]\nlead = \"policy\"\n")
	lead := p.New(ctx, "--role", "lead", "-n", "boss")
	p.State(ctx, lead, api.StateIdle)
	p.Run(ctx, "send", lead, "lead")
	p.Event(ctx, lead, 0, "Stop", hookEvent("Stop"))
	r := requests(ctx, p, 1)[0]
	if !strings.Contains(string(r.Input), "touch other") || r.SessionName != "worker" || !p.Has("led") {
		t.Fatalf("left to people is %+v\n%s", r, p.Dump())
	}
	p.Run(ctx, "approve", r.ID)
	p.Event(ctx, r.Session, 0, "Stop", hookEvent("Stop"))
	if got := strings.Join(p.ledger(ctx), ", "); !strings.Contains(got, "allow lead touch led") || !strings.Contains(got, "allow person touch other") || !p.Has("other") {
		t.Errorf("the ledger has %s", got)
	}
	if out := p.Run(ctx, "messages", "--session", lead, "--all"); strings.Contains(out, "Permission request") {
		t.Errorf("the lead was asked: %s", out)
	}
}

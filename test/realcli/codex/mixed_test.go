package codex

import (
	"context"
	"strconv"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/test/fakeapi"
	"ccdir/test/realcli"
)

// TestMixedGrid: a lead that is Claude Code starts a Codex by ccdir's tools, which asks a person, works,
// and is waited for by the lead.
func TestMixedGrid(t *testing.T) {
	t.Parallel()
	codex, claude := agent.Table(t), realcli.Claude(t)
	lead := fakeapi.New(fakeapi.Turns(
		fakeapi.Tool("mcp__ccdir__session_spawn", map[string]any{"agent": "codex", "name": "dev", "prompt": "make it"}),
		fakeapi.Tool("mcp__ccdir__session_wait", map[string]any{"session": "dev", "states": []string{string(api.StatePermission)}}),
		fakeapi.Text("it asks")))
	t.Cleanup(lead.Close)
	dev := fakeapi.New(fakeapi.Turns(run("touch made"), fakeapi.Text("made it")))
	t.Cleanup(dev.Close)
	place := settle(t, realcli.Home(t, lead.URL()), dev.URL())
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	config := realcli.Patience + codex + "[agents.claude]\ncommand = " + strconv.Quote(claude) + "\n"
	p := realcli.InstallAgent(t, place, "claude", config)
	p.Policy("[roles.lead]\nallow = [\"mcp__ccdir__session_spawn\", \"mcp__ccdir__session_wait\"]\n")
	id := p.New(ctx, "--role", "lead")
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "have it made")
	p.Until(ctx, id, "the lead's answer", func(s api.Session) bool { return s.State == api.StateIdle && s.Answer == "it asks" })
	list, err := p.Client.Approvals(ctx)
	if err != nil || len(list) != 1 || list[0].Tool != "Bash" {
		t.Fatalf("open requests: %+v, %v\n%s", list, err, p.Dump())
	}
	p.Run(ctx, "approve", list[0].ID)
	s := p.Answered(ctx, list[0].Session, "made it")
	if s.Name != "dev" || s.Agent != "codex" || s.Parent != id || !p.Has("made") {
		t.Errorf("%+v\n%s", s, p.Dump())
	}
}

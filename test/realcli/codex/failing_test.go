package codex

import (
	"slices"
	"testing"

	"ccdir/api"
	"ccdir/test/fakeapi"
	"ccdir/test/realcli"
)

// TestHookFails: where a policy is in force no tool runs whose hook fails, whatever the failure.
func TestHookFails(t *testing.T) {
	names, replies := realcli.HookCells(map[string]func(string) fakeapi.Reply{
		"bash": func(name string) fakeapi.Reply {
			return fakeapi.Tool("exec_command", map[string]any{"cmd": "touch " + name})
		},
		"mcp": func(name string) fakeapi.Reply {
			return fakeapi.Tool("mcp__ccdir/write", map[string]any{"path": name, "content": "x"})
		},
	})
	ctx, p, fake := agent.Product(t, fakeapi.Turns(replies...))
	p.FailHooks()
	p.Policy("[roles.dev]\nallow = [\"mcp__ccdir__write\"]\nask = [\"Bash(git push *)\"]\n")
	if made := p.Ran(ctx, p.New(ctx), names); !slices.Equal(made, []string{"bash-how-fine", "mcp-how-fine"}) || !fake.Heard("run ccdir doctor") {
		t.Errorf("these calls ran: %v\n%s", made, p.Dump())
	}
}

// TestEscapeWhileHeld: Escape ends the turn while the policy has a person asked about a call, and the
// request is over.
func TestEscapeWhileHeld(t *testing.T) {
	ctx, p, _ := agent.Product(t, fakeapi.Turns(fakeapi.Tool("exec_command", map[string]any{"cmd": "touch never"})))
	p.Policy("[roles.dev]\nask = [\"Bash(touch *)\"]\n")
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "go")
	p.Request(ctx, id, 0)
	p.Run(ctx, "keys", id, "Escape")
	p.State(ctx, id, api.StateIdle)
	if list, err := p.Client.Approvals(ctx); err != nil || len(list) != 0 || p.Has("never") {
		t.Errorf("after Escape: %v, %v\n%s", list, err, p.Dump())
	}
}

package realcli

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ccdir/test/fakeapi"
)

// hookTools are calls of Claude Code's tools, each of which makes the file of that name.
var hookTools = map[string]func(name string) fakeapi.Reply{
	"bash": func(name string) fakeapi.Reply { return bash("touch " + name) },
	"write": func(name string) fakeapi.Reply {
		return fakeapi.Tool("Write", map[string]any{"file_path": name, "content": "x"})
	},
	"mcp": func(name string) fakeapi.Reply {
		return fakeapi.Tool("mcp__ccdir__write", map[string]any{"path": name, "content": "x"})
	},
}

// TestHookFails: where a policy is in force no tool runs whose hook fails, whatever the failure and the
// tool, in both pinned versions; the person reads why.
func TestHookFails(t *testing.T) {
	t.Parallel()
	for version, cli := range map[string]string{Version: Claude(t), Older: ClaudeOlder(t)} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			names, replies := HookCells(hookTools, "bash-how-late") // one late call is enough: it takes as long as the shell waits
			fake := fakeapi.New(fakeapi.Connected(fakeapi.Turns(replies...)))
			t.Cleanup(fake.Close)
			place := Home(t, fake.URL())
			place.Configure(t, map[string]string{"settings.json": `{"permissions":{"allow":["Bash","Write","mcp__ccdir__write"]}}`})
			p := InstallAgent(t, place, "claude", "fast_path = false\n[agents.claude]\ncommand = "+strconv.Quote(cli)+"\nargs = [\"--permission-mode\", \"acceptEdits\"]\n")
			p.FailHooks()
			p.Policy("[roles.dev]\nallow = [\"mcp__ccdir__write\"]\nask = [\"Bash(git push *)\"]\n")
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
			t.Cleanup(cancel)
			id := p.New(ctx)
			if made := p.Ran(ctx, id, names); !slices.Equal(made, []string{"bash-how-fine", "mcp-how-fine", "write-how-fine"}) {
				t.Errorf("these calls ran: %v\n%s", made, p.Dump())
			}
			if !fake.Heard("run ccdir doctor") || !strings.Contains(p.Text(ctx, id), "ccdir doctor") {
				t.Errorf("nobody is told why\n%s", p.Dump())
			}
		})
	}
}

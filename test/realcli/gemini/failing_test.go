package gemini

import (
	"os"
	"slices"
	"strings"
	"testing"

	"ccdir/test/fakeapi"
	"ccdir/test/realcli"
)

// TestHookFails: where a policy is in force no tool runs whose hook fails, whatever the failure, also
// where the CLI itself asks about nothing.
func TestHookFails(t *testing.T) {
	names, replies := realcli.HookCells(map[string]func(string) fakeapi.Reply{
		"bash": func(name string) fakeapi.Reply { return run("touch " + name) },
		"write": func(name string) fakeapi.Reply {
			return fakeapi.Tool("write_file", map[string]any{"file_path": name, "content": "x"})
		},
		"mcp": func(name string) fakeapi.Reply {
			return fakeapi.Tool("mcp_ccdir_write", map[string]any{"path": name, "content": "x"})
		},
	}, "bash-how-late")
	ctx, p, fake := agent.Product(t, fakeapi.Turns(replies...))
	config, err := os.ReadFile(p.Paths.ConfigFile())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.Paths.ConfigFile(), []byte(strings.Replace(string(config), `args = [`, `args = ["--approval-mode", "yolo", `, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	p.FailHooks()
	p.Policy("[roles.dev]\nallow = [\"mcp__ccdir__write\"]\nask = [\"Bash(git push *)\"]\n")
	if made := p.Ran(ctx, p.New(ctx), names); !slices.Equal(made, []string{"bash-how-fine", "mcp-how-fine", "write-how-fine"}) || !fake.Heard("run ccdir doctor") {
		t.Errorf("these calls ran: %v\n%s", made, p.Dump())
	}
}

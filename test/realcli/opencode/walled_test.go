package opencode

import (
	"testing"

	"ccdir/test/fakeapi"
	"ccdir/test/realcli"
)

// TestWalled: behind the profile worktree.
func TestWalled(t *testing.T) {
	agent := agent
	agent.Args = `["--auto"]` // else it asks by itself about what is outside of its directory
	agent.Walled(t, realcli.WalledCalls{SignIn: "${XDG_DATA_HOME:-$HOME/.local/share}/opencode/auth.json", SignInOf: ".local/share/opencode/auth.json", Shell: run, Bridge: func(command string) fakeapi.Reply {
		return fakeapi.Tool("ccdir_bash", map[string]any{"command": command})
	}, Write: func(path, content string) fakeapi.Reply {
		return fakeapi.Tool("write", map[string]any{"filePath": path, "content": content})
	}})
}

package gemini

import (
	"strings"
	"testing"

	"ccdir/test/fakeapi"
	"ccdir/test/realcli"
)

// TestWalled: behind the profile worktree, with its own sandbox switched on in its settings.
func TestWalled(t *testing.T) {
	agent := agent
	agent.Args = `["-m", "gemini-2.5-flash", "--approval-mode", "yolo"]` // else it asks by itself about what is redirected
	agent.Home = func(t testing.TB, apiURL string) realcli.Place {
		p := home(t, apiURL)
		p.Configure(t, map[string]string{"settings.json": strings.Replace(settings, "{", `{"tools": {"sandbox": true}, `, 1)})
		return p
	}
	agent.Walled(t, realcli.WalledCalls{Shell: run, Bridge: func(command string) fakeapi.Reply {
		return fakeapi.Tool("mcp_ccdir_bash", map[string]any{"command": command})
	}, Write: func(path, content string) fakeapi.Reply {
		return fakeapi.Tool("write_file", map[string]any{"file_path": path, "content": content})
	}})
}

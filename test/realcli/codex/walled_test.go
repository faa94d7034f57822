package codex

import (
	"fmt"
	"testing"

	"ccdir/test/fakeapi"
	"ccdir/test/realcli"
)

// TestWalled: behind the profile worktree, with its own sandbox as it is by default.
func TestWalled(t *testing.T) {
	shell := func(command string) fakeapi.Reply {
		return fakeapi.Tool("exec_command", map[string]any{"cmd": command})
	}
	agent.Walled(t, realcli.WalledCalls{Shell: shell, Bridge: func(command string) fakeapi.Reply {
		return fakeapi.Tool("mcp__ccdir/bash", map[string]any{"command": command})
	}, Write: func(path, content string) fakeapi.Reply {
		return shell(fmt.Sprintf("apply_patch <<'END'\n*** Begin Patch\n*** Add File: %s\n+%s*** End Patch\nEND", path, content))
	}})
}

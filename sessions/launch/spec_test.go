package launch

import (
	"testing"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/config"
)

// TestRuns: what is said of a session that has no agent.
func TestRuns(t *testing.T) {
	for _, tt := range []struct {
		name string
		spec Spec
		want string
	}{
		{"an agent", Spec{Agent: "claude", Kind: agents.KindClaude, Command: "claude"}, ""},
		{"one that is a shell's command", Spec{Agent: "mine", Kind: agents.KindGeneric, Command: "sh", Args: []string{"-c", "mine"}}, ""},
		{"one that sh is configured for", Spec{Agent: "claude", Kind: agents.KindClaude, Command: "sh"}, ""},
		{"the shell", Spec{Agent: "shell", Kind: agents.KindShell}, api.PlainShell},
		{"a shell as a command", Spec{Agent: config.CommandAgent, Kind: agents.KindGeneric, Command: "/bin/bash", Args: []string{"-l"}, Custom: true}, api.PlainShell},
		{"a shell as an agent of no kind", Spec{Agent: "zsh", Kind: agents.KindGeneric, Command: "zsh"}, api.PlainShell},
		{"a shell in place of an agent", Spec{Agent: "claude", Kind: agents.KindClaude, Command: "bash", Custom: true}, api.PlainShell},
		{"a command", Spec{Agent: config.CommandAgent, Kind: agents.KindGeneric, Command: "vim", Custom: true}, api.PlainCommand},
		{"a shell's command", Spec{Agent: config.CommandAgent, Kind: agents.KindGeneric, Command: "sh", Args: []string{"-c", "vim"}, Custom: true}, api.PlainCommand},
	} {
		if got := tt.spec.Runs(); got != tt.want {
			t.Errorf("%s: %q instead of %q", tt.name, got, tt.want)
		}
	}
}

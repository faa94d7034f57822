package opencode

import (
	"ccdir/agents"
	"ccdir/sandbox"
)

// Needs implements agents.Walled.
func (Adapter) Needs(env []string, _ string) sandbox.Needs {
	n := agents.StateNeeds(agents.StateDir(env, "", ".config/opencode"), "opencode.json", "opencode.jsonc", "AGENTS.md", "plugin", "plugins", "command", "commands", "agent", "agents")
	for _, name := range []string{".local/share/opencode", ".local/state/opencode", ".cache/opencode"} {
		n.Write = append(n.Write, agents.StateNeeds(agents.StateDir(env, "", name)).Write...)
	}
	return n
}

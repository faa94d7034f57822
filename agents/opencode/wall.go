package opencode

import (
	"path/filepath"

	"ccdir/agents"
	"ccdir/sandbox"
)

// Needs implements agents.Walled.
func (Adapter) Needs(env []string, _ string) sandbox.Needs {
	const name = "opencode"
	n := agents.StateNeeds(filepath.Join(agents.StateDir(env, "XDG_CONFIG_HOME", ".config"), name), "opencode.json", "opencode.jsonc", "AGENTS.md", "plugin", "plugins", "command", "commands", "agent", "agents")
	for variable, dir := range map[string]string{"XDG_DATA_HOME": ".local/share", "XDG_STATE_HOME": ".local/state", "XDG_CACHE_HOME": ".cache"} {
		n.Write = append(n.Write, agents.StateNeeds(filepath.Join(agents.StateDir(env, variable, dir), name)).Write...)
	}
	return n
}

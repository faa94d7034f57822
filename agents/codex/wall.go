package codex

import (
	"ccdir/agents"
	"ccdir/sandbox"
)

// Needs implements agents.Walled.
func (Adapter) Needs(env []string, _ string) sandbox.Needs {
	return agents.StateNeeds(agents.StateDir(env, "CODEX_HOME", ".codex"), "config.toml", "AGENTS.md", "hooks.json", "hooks", "rules", "prompts", "skills", "plugins")
}

package claude

import (
	"path/filepath"

	"ccdir/agents"
	"ccdir/sandbox"
)

// kept are names in Claude Code's directory that every session obeys (seen with 2.1.329).
var kept = []string{"settings.json", "settings.local.json", "CLAUDE.md", "commands", "agents", "hooks", "skills", "plugins", "output-styles", "rules", "keybindings.json"}

// Needs implements agents.Walled. Without CLAUDE_CONFIG_DIR the agent's record of projects and
// sign-in lies beside its directory.
func (Adapter) Needs(env []string, _ string) sandbox.Needs {
	n := agents.StateNeeds(agents.StateDir(env, "CLAUDE_CONFIG_DIR", ".claude"), kept...)
	if home := agents.Getenv(env, "HOME"); agents.Getenv(env, "CLAUDE_CONFIG_DIR") == "" && home != "" {
		n.Write = append(n.Write, filepath.Join(home, ".claude.json"))
	}
	return n
}

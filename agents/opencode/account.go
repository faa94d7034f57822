package opencode

import (
	"path/filepath"

	"ccdir/agents"
)

// HomeEnv are XDG_DATA_HOME, which has sign-in and conversations, and XDG_STATE_HOME. Settings
// stay those of the user. opencode's conversations are rows of a database, which it alone can
// move (`opencode export`, `opencode import`).
func (Adapter) HomeEnv(dir string) []string {
	return []string{"XDG_DATA_HOME=" + dir, "XDG_STATE_HOME=" + filepath.Join(dir, "state")}
}

// SettingsIn implements agents.Settled.
func (Adapter) SettingsIn(getenv func(string) string) []string {
	paths := agents.Below(getenv("XDG_CONFIG_HOME"), "opencode")
	for _, key := range []string{"OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"} {
		paths = append(paths, agents.Below(getenv(key), "")...)
	}
	return paths
}

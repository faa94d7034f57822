package agents

import (
	"path/filepath"

	"ccdir/sandbox"
)

// Walled is an adapter whose agent can run behind walls.
type Walled interface {
	// Needs says what the agent writes, and what in it stays as it is, because other sessions
	// obey it; env is its environment before Prepare, dir the session's directory (Start.Dir).
	Needs(env []string, dir string) sandbox.Needs
}

// StateNeeds are the needs of an agent whose state is in dir, "" if it is unknown; keep are
// names in it.
func StateNeeds(dir string, keep ...string) (n sandbox.Needs) {
	if !filepath.IsAbs(dir) {
		return n
	}
	n.Write = []string{filepath.Clean(dir)}
	for _, name := range keep {
		n.Keep = append(n.Keep, filepath.Join(dir, name))
	}
	return n
}

// StateDir is the directory that a variable names, else the one of that name in the home; "" if
// neither is known.
func StateDir(env []string, variable, name string) string {
	if dir := Getenv(env, variable); variable != "" && dir != "" {
		return dir
	}
	if home := Getenv(env, "HOME"); home != "" {
		return filepath.Join(home, name)
	}
	return ""
}

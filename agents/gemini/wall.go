package gemini

import (
	"path/filepath"

	"ccdir/agents"
	"ccdir/sandbox"
)

// Needs implements agents.Walled. The session's own home, which Prepare makes, links to the
// user's.
func (Adapter) Needs(env []string, dir string) sandbox.Needs {
	n := agents.StateNeeds(filepath.Join(userHome(env), configDir), "settings.json", "GEMINI.md", "commands", "extensions", "policies", "hooks", "skills", "agents")
	own := filepath.Join(dir, overlayDir)
	n.Write, n.Keep = append(n.Write, own), append(n.Keep, filepath.Join(own, configDir, settingsFile))
	n.Hosts = agents.VendorHosts([]string{agents.Getenv(env, "GOOGLE_GEMINI_BASE_URL"), agents.Getenv(env, "GOOGLE_VERTEX_BASE_URL")}, "generativelanguage.googleapis.com cloudcode-pa.googleapis.com aiplatform.googleapis.com",
		"oauth2.googleapis.com", "accounts.google.com")
	return n
}

package codex

import (
	"ccdir/agents"
	"ccdir/sandbox"
)

// Needs implements agents.Walled.
func (Adapter) Needs(env []string, _ string) sandbox.Needs {
	dir := agents.StateDir(env, "CODEX_HOME", ".codex")
	n := agents.StateNeeds(dir, "config.toml", "AGENTS.md", "hooks.json", "hooks", "rules", "prompts", "skills", "plugins")
	config := userConfig(dir)
	set := []string{agents.Getenv(env, "OPENAI_BASE_URL"), config.BaseURL}
	for _, provider := range config.Providers {
		set = append(set, provider.BaseURL)
	}
	n.Hosts = agents.VendorHosts(set, "api.openai.com chatgpt.com", "auth.openai.com")
	return n
}

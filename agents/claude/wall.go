package claude

import (
	"cmp"
	"encoding/json"
	"maps"
	"path/filepath"
	"strings"

	"ccdir/agents"
	"ccdir/internal/disk/untrusted"
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
	get, helper := settingsOf(env, agents.StateDir(env, "CLAUDE_CONFIG_DIR", ".claude"))
	n.Hosts = hosts(get)
	switch {
	case helper:
		n.Unsure = "what the agent's apiKeyHelper reads"
	case get("CLAUDE_CODE_USE_BEDROCK") != "" && get("AWS_BEARER_TOKEN_BEDROCK") == "" && get("AWS_ACCESS_KEY_ID") == "":
		n.Unsure = "~/.aws, where the agent's sign-in is"
	case get("CLAUDE_CODE_USE_VERTEX") != "":
		n.Unsure = "~/.config/gcloud, where the agent's sign-in is"
	}
	return n
}

// settingsOf reads variables of the agent's settings, else of the environment; helper: its key comes from a command.
func settingsOf(env []string, dir string) (get func(name string) string, helper bool) {
	var settings struct {
		Env    map[string]string `json:"env"`
		Helper string            `json:"apiKeyHelper"`
	}
	if data, err := untrusted.Read(filepath.Join(dir, "settings.json"), maxSettings); err == nil {
		_ = json.Unmarshal(data, &settings) // without it the environment alone counts
	}
	return func(name string) string { return cmp.Or(settings.Env[name], agents.Getenv(env, name)) }, settings.Helper != ""
}

// hosts are those of the Claude API, or of what the person has set in the environment or in the
// agent's settings, and of the sign-in.
func hosts(get func(name string) string) []string {
	var set []string
	for _, name := range []string{"ANTHROPIC_BASE_URL", "ANTHROPIC_BEDROCK_BASE_URL", "ANTHROPIC_VERTEX_BASE_URL", "ANTHROPIC_FOUNDRY_BASE_URL"} {
		set = append(set, get(name))
	}
	usual, others := "api.anthropic.com", []string{"claude.ai", "platform.claude.com", "console.anthropic.com"}
	switch {
	case get("CLAUDE_CODE_USE_BEDROCK") != "":
		region := region(get("AWS_REGION"), "us-east-1")
		usual, others = "bedrock-runtime."+region+".amazonaws.com bedrock."+region+".amazonaws.com", []string{"sts." + region + ".amazonaws.com", "sts.amazonaws.com", "oidc." + region + ".amazonaws.com"}
	case get("CLAUDE_CODE_USE_VERTEX") != "":
		usual, others = "aiplatform.googleapis.com "+region(get("CLOUD_ML_REGION"), "global")+"-aiplatform.googleapis.com", []string{"oauth2.googleapis.com"}
	}
	return agents.VendorHosts(set, usual, others...)
}

// region is name if it can be that of a region, which becomes a part of hosts' names; else usual.
func region(name, usual string) string {
	odd := func(r rune) bool { return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }
	if name == "" || len(name) > 40 || strings.IndexFunc(name, odd) >= 0 {
		return usual
	}
	return name
}

// maxSettings bounds what is read of the agent's settings, in bytes.
const maxSettings = 1 << 20

// withoutSandbox sets in the object of --settings, which may be nil, that the CLI's own sandbox is off: it makes namespaces,
// which ccdir's walls refuse.
func withoutSandbox(own map[string]any) map[string]any {
	out := maps.Clone(own)
	if out == nil {
		out = map[string]any{}
	}
	sandbox, _ := out["sandbox"].(map[string]any)
	sandbox = maps.Clone(sandbox)
	if sandbox == nil {
		sandbox = map[string]any{}
	}
	sandbox["enabled"] = false
	out["sandbox"] = sandbox
	return out
}

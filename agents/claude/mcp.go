package claude

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// mcpTimeout is the agent's hard limit for each call of our server (longer than any
// tool of ours takes).
const mcpTimeout = 65 * time.Minute

// mcpServer is one server in an agent's configuration.
type mcpServer struct {
	Type    string            `json:"type"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
	// Timeout is in milliseconds.
	Timeout int64 `json:"timeout,omitempty"`
	// AlwaysLoad offers the tools to the model from the start.
	AlwaysLoad bool `json:"alwaysLoad,omitempty"`
}

// mcpConfig is the file for --mcp-config: our server, besides those that the user has
// configured (without --strict-mcp-config it adds to them). The agent may give its
// servers another environment than its own, so the session's identity is in the file.
func mcpConfig(s agents.Start) []byte {
	env := map[string]string{}
	for _, key := range []string{api.EnvSocket, api.EnvSession, api.EnvToken, api.EnvHome} {
		if v := agents.Getenv(s.Env, key); v != "" {
			env[key] = v
		}
	}
	data, _ := json.MarshalIndent(map[string]any{"mcpServers": map[string]mcpServer{
		api.MCPServer: {Type: "stdio", Command: s.Shim, Args: []string{"mcp"}, Env: env, Timeout: mcpTimeout.Milliseconds(), AlwaysLoad: true},
	}}, "", "  ") // cannot fail
	return data
}

// preapprove adds our tools to the permissions in settings; the others stay.
func preapprove(own map[string]any, tools []string) map[string]any {
	if len(tools) == 0 {
		return own
	}
	out := map[string]any{}
	maps.Copy(out, own)
	permissions := map[string]any{}
	if p, ok := own["permissions"].(map[string]any); ok {
		maps.Copy(permissions, p)
	}
	allow, _ := permissions["allow"].([]any)
	allow = slices.Clone(allow)
	for _, name := range tools {
		allow = append(allow, "mcp__"+api.MCPServer+"__"+name)
	}
	permissions["allow"] = allow
	out["permissions"] = permissions
	return out
}

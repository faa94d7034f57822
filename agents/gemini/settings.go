package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/disk/untrusted"
)

// Names of the hooks that sessions subscribe to. PreCompress, BeforeModel, AfterModel and
// BeforeToolSelection are called for every request or piece of an answer, and say nothing of a
// session's state.
const (
	HookSessionStart = "SessionStart"
	HookSessionEnd   = "SessionEnd"
	HookBeforeAgent  = "BeforeAgent"
	HookAfterAgent   = "AfterAgent"
	HookBeforeTool   = "BeforeTool"
	HookAfterTool    = "AfterTool"
	HookNotification = "Notification"
)

var subscribed = []string{HookSessionStart, HookSessionEnd, HookBeforeAgent, HookAfterAgent, HookBeforeTool, HookAfterTool, HookNotification}

// commandOf is the command line of a hook, and its timeout. No hook waits for a person.
func commandOf(event, shim string) (command string, timeout time.Duration) {
	if event == HookBeforeTool {
		gate := agents.Gate{Shim: shim, Hook: event, Form: api.GateDecision, Limit: agents.GateLimit}
		return gate.Command(), gate.Timeout()
	}
	return agents.ShellQuote(shim) + " hook " + event, api.HookTimeout
}

// mcpTimeout is the agent's limit for a call of our server, longer than any tool takes.
const mcpTimeout = 65 * time.Minute

// userSettings reads the user's settings, JSON with comments; nil if there are none.
func userSettings(path string) (own map[string]any, err error) {
	data, err := untrusted.Read(path, maxSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && len(data) > 0 {
		err = json.Unmarshal(stripComments(data), &own)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the settings of Gemini CLI, %s: %w", path, err)
	}
	return own, nil
}

// managedSettings are the user's settings with our hooks, our MCP server, and the title on.
func managedSettings(s agents.Start, own map[string]any) map[string]any {
	out := maps.Clone(own)
	if out == nil {
		out = map[string]any{}
	}
	hooks := objectIn(out, "hooks")
	for _, event := range subscribed {
		command, timeout := commandOf(event, s.Shim)
		entry := map[string]any{"hooks": []any{map[string]any{"type": "command", "name": "ccdir", "command": command, "timeout": timeout.Milliseconds()}}}
		list, _ := hooks[event].([]any)
		hooks[event] = append(list[:len(list):len(list)], entry)
	}
	objectIn(out, "hooksConfig")["enabled"] = true
	ui := objectIn(out, "ui")
	ui["hideWindowTitle"], ui["dynamicWindowTitle"] = false, true
	if s.MCP {
		objectIn(out, "mcpServers")[api.MCPServer] = mcpServer(s)
		tools := objectIn(out, "tools")
		allowed, _ := tools["allowed"].([]any)
		allowed = allowed[:len(allowed):len(allowed)]
		for _, name := range s.Preapproved {
			allowed = append(allowed, "mcp_"+api.MCPServer+"_"+name)
		}
		tools["allowed"] = allowed
	}
	return out
}

// objectIn is a copy of the object at a key, which it puts there; an empty one if there is
// none.
func objectIn(in map[string]any, key string) map[string]any {
	own, _ := in[key].(map[string]any)
	out := maps.Clone(own)
	if out == nil {
		out = map[string]any{}
	}
	in[key] = out
	return out
}

// mcpServer is our server. The agent may give its servers another environment than its own,
// so the session's identity is in the file.
func mcpServer(s agents.Start) map[string]any {
	env := map[string]any{}
	for _, key := range []string{api.EnvSocket, api.EnvSession, api.EnvToken, api.EnvHome} {
		if v := agents.Getenv(s.Env, key); v != "" {
			env[key] = v
		}
	}
	return map[string]any{"command": s.Shim, "args": []any{"mcp"}, "env": env, "timeout": mcpTimeout.Milliseconds()}
}

// stripComments replaces the comments of JSON by blanks. Line ends stay, for the places that
// errors name.
func stripComments(data []byte) []byte {
	out := append([]byte(nil), data...)
	for i := 0; i < len(out); {
		switch {
		case out[i] == '"':
			i = stringEnd(out, i)
		case out[i] == '/' && i+1 < len(out) && out[i+1] == '/':
			for ; i < len(out) && out[i] != '\n'; i++ {
				out[i] = ' '
			}
		case out[i] == '/' && i+1 < len(out) && out[i+1] == '*':
			i = blankBlock(out, i)
		default:
			i++
		}
	}
	return out
}

// stringEnd is the place behind a string that begins at i.
func stringEnd(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

// blankBlock replaces a comment in /* */ that begins at i, and returns the place behind it.
func blankBlock(data []byte, i int) int {
	end := len(data)
	if n := bytes.Index(data[i+2:], []byte("*/")); n >= 0 {
		end = i + 2 + n + 2
	}
	for ; i < end; i++ {
		if data[i] != '\n' {
			data[i] = ' '
		}
	}
	return end
}

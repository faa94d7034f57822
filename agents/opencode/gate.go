package opencode

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/agents/payload"
	"ccdir/api"
)

// HookPreToolUse is the only hook: our plugin in opencode calls it before each tool.
const HookPreToolUse = "PreToolUse"

// gateSource is the plugin without its settings.
//
//go:embed gate.js
var gateSource string

const (
	// gateFile is its name in the session's directory.
	gateFile = "opencode-gate.js"
	// gateMark is a permission that no tool asks for: the plugin adds it.
	gateMark = "ccdir-gate"
	// closed is a pattern of every permission. It stands last, so that it decides.
	closed = "?*"
)

// gate is the settings of the plugin.
type gate struct {
	Hook    string `json:"hook"`
	Command string `json:"command"` // of the hook, for /bin/sh
	// Refused begins what the model is told of a refused call, as where a person refuses one.
	Refused string `json:"refused"`
	// Asks are the tools about which opencode itself asks, so that what the policy asks about
	// reaches the dialog, with the permission of each. Any other is refused then.
	Asks map[string]string `json:"asks"`
	// Needs are the tools that run only if the policy allows them.
	Needs []string `json:"needs"`
	// Closed is the permission by which no tool runs without the plugin, "" for none; Mark the one
	// by which a server shows that it has the plugin.
	Closed string `json:"closed"`
	Mark   string `json:"mark"`
	// Own are opencode's own tools: any other may be a server's.
	Own []string `json:"own"`
	// Hidden are variables that commands do not get.
	Hidden []string `json:"hidden"`
	// Reported: the server's events tell of each call, so that a hook is no news.
	Reported bool `json:"reported"`
}

// gatePlugin writes the plugin for a session, and returns its address for opencode's
// configuration.
func gatePlugin(s agents.Start, g gate) (address string, err error) {
	hook := agents.Gate{Shim: s.Shim, Hook: HookPreToolUse, Form: api.GateOutput, Limit: agents.GateLimit}
	g.Hook, g.Command, g.Mark, g.Hidden = HookPreToolUse, hook.Command(), gateMark, []string{envPassword}
	g.Needs = append([]string{}, g.Needs...)
	g.Refused = strings.TrimSuffix(refusedCall, ".") + refusedWords
	for tool := range words {
		g.Own = append(g.Own, tool)
	}
	slices.Sort(g.Own)
	settings, err := json.Marshal(g)
	if err != nil {
		return "", err
	}
	path := filepath.Join(s.Dir, gateFile)
	if err := os.WriteFile(path, fmt.Appendf(nil, "const gate = %s\n\n%s", settings, gateSource), 0o600); err != nil {
		return "", err
	}
	return (&url.URL{Scheme: "file", Path: path}).String(), nil
}

// toolsOf are the tools that ask for those permissions, with the permission of each.
func toolsOf(permissions []string) map[string]string {
	tools := map[string]string{}
	for _, name := range permissions {
		of := []string{name}
		switch name {
		case folders:
			of = nil
		case "edit":
			of = []string{"edit", "multiedit", "write", "patch", "apply_patch"}
		case "read":
			of = []string{"read", "list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"}
		}
		for _, tool := range of {
			tools[tool] = name
		}
	}
	return tools
}

// hookKinds are the hooks that the plugin calls.
var hookKinds = payload.Reports{HookPreToolUse: {Kind: api.KindToolBegins, Decode: decodeTool}}

// HookKind is the kind of the hook of that name; "" if it is unknown.
func HookKind(name string) api.EventKind { return hookKinds.Kind(name) }

// DecodeHook converts a payload to evidence.
func (Adapter) DecodeHook(name string, at time.Time, data []byte) (agents.Hook, error) {
	h, o, err := payload.Hook(name, at, data)
	if err != nil {
		return h, err
	}
	hookKinds.Read(&h, o)
	payload.Finish(&h)
	return h, nil
}

func decodeTool(h *agents.Hook, o payload.Object) {
	payload.ReadTool(h, o, Call)
	h.Evidence.Says = api.StateWorking
	h.Skip = o.True("reported")
}

// ToolUse reads a PreToolUse hook.
func (Adapter) ToolUse(h agents.Hook) (api.ToolUse, bool) { return payload.ToolUse(h) }

// ToolReply is the plugin's answer.
func (Adapter) ToolReply(v api.Verdict, _ string) string {
	if v.Effect == api.EffectNone {
		return ""
	}
	return payload.ToolDecision(HookPreToolUse, v.Effect, payload.Reason(v))
}

// AsksAbout implements agents.PartAsker.
func (Adapter) AsksAbout(tool string) bool {
	for own := range toolsOf(asked) {
		if word, ok := words[own]; ok && word.Name == tool {
			return true
		}
	}
	return false
}

package gemini

import (
	"encoding/json"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/agents/payload"
	"ccdir/api"
)

// HoldDialog is nothing: the CLI draws its dialog when the hook that reports it has returned.
func (Adapter) HoldDialog() time.Duration { return 0 }

// DialogRequest reads the notice of a dialog for permission.
func (Adapter) DialogRequest(h agents.Hook) (api.Request, bool) {
	if h.Evidence.Kind != api.KindDialog || h.Tool == "" {
		return api.Request{}, false
	}
	return api.Request{Tool: h.Tool, Input: h.FullInput, Kind: api.RequestPermission, Question: h.Question, CWD: h.CWD, Hook: h.Evidence.Name}, true
}

// PermissionReply is nothing: no hook answers a dialog.
func (Adapter) PermissionReply(api.Decision) string { return "" }

// AnswerKeys answer the dialog on the screen: its first choice allows once. Escape cancels
// the turn, so the message of a denial follows as a prompt.
func (Adapter) AnswerKeys(d api.Decision, screen string) (keys []string, follow string, ok bool) {
	if !showsDialog(screen) {
		return nil, "", false
	}
	return payload.AnswerKeys(d, "1")
}

// Choices of a dialog for permission, the first and the last.
const (
	dialogAllows = "1. Allow once"
	dialogDenies = "No, suggest changes (esc)"
)

// showsDialog reports whether the screen has a dialog for permission.
func showsDialog(screen string) bool {
	_, after, ok := strings.Cut(screen, dialogAllows)
	return ok && strings.Contains(after, dialogDenies)
}

// AsksLine describes a call: the command, the file, the tool of a server.
func (Adapter) AsksLine(tool string, input json.RawMessage, cwd string) string {
	in := payload.Of(input)
	switch tool {
	case api.ToolBash:
		return agents.Visible(in.Text("command"), agents.MaxField)
	case api.ToolWrite, api.ToolEdit:
		path := in.Text("file_path")
		if cwd != "" {
			path = strings.TrimPrefix(path, strings.TrimSuffix(cwd, "/")+"/")
		}
		return agents.Visible(strings.ToLower(tool)+" "+path, agents.MaxField)
	}
	if server, name, ok := strings.Cut(strings.TrimPrefix(tool, "mcp__"), "__"); ok && strings.HasPrefix(tool, "mcp__") {
		return agents.Visible(name+" ("+server+")", agents.MaxField)
	}
	line := tool
	if what := payload.ToolLine(input); what != "" {
		line += " " + what
	}
	return agents.Visible(line, agents.MaxField)
}

// HooksNeedFolder: Gemini CLI starts hooks in the session's folder (0.61.0).
func (Adapter) HooksNeedFolder() {}

// ToolUse reads a BeforeTool hook.
func (Adapter) ToolUse(h agents.Hook) (api.ToolUse, bool) {
	return payload.ToolUse(h)
}

// ToolReply denies or forces the dialog, in every mode. Allow does not skip the dialog: then
// the policy answers its request, by keys.
func (Adapter) ToolReply(v api.Verdict, _ string) string {
	if v.Effect != api.EffectAsk && v.Effect != api.EffectDeny {
		return ""
	}
	return payload.Decision(v.Effect, payload.Reason(v))
}

// TurnEnds is true for AfterAgent.
func (Adapter) TurnEnds(h agents.Hook) (again, ok bool) {
	return h.Evidence.Fields["stop_hook_active"] != "", h.Evidence.Kind == api.KindTurnEnds && h.Reply != ""
}

// ContinueReply has the agent go on: the reason becomes a prompt.
func (Adapter) ContinueReply(text string) string { return payload.Decision(api.EffectDeny, text) }

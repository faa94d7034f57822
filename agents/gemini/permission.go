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
// the turn, so what the agent is told follows as a prompt.
func (Adapter) AnswerKeys(d api.Decision, screen string) (keys []string, follow string, ok bool) {
	if d.Outcome != api.OutcomeAnswered || d.Answer == nil || !showsDialog(screen) {
		return nil, "", false
	}
	switch {
	case d.Answer.Behavior == api.AnswerAllow && len(d.Answer.Input) == 0:
		return []string{"1"}, "", true
	case d.Answer.Behavior == api.AnswerDeny:
		return []string{"Escape"}, d.Answer.Message, true
	}
	return nil, "", false
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
	case "Bash":
		return agents.Visible(in.Text("command"), agents.MaxField)
	case "Write", "Edit":
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

// ToolUse reads a BeforeTool hook.
func (Adapter) ToolUse(h agents.Hook) (api.ToolUse, bool) {
	if h.Evidence.Kind != api.KindToolBegins || h.Tool == "" {
		return api.ToolUse{}, false
	}
	return api.ToolUse{Tool: h.Tool, Input: h.FullInput, Hook: h.Evidence.Name, At: h.Evidence.At}, true
}

// ToolReply denies or forces the dialog, in every mode. Allow does not skip the dialog: then
// the policy answers its request, by keys.
func (Adapter) ToolReply(v api.Verdict, _ string) string {
	if v.Effect != api.EffectAsk && v.Effect != api.EffectDeny {
		return ""
	}
	reason := v.Reason
	if v.Rule != "" {
		reason = "policy " + v.Rule + ": " + reason
	}
	return decision(v.Effect, reason)
}

// TurnEnds is true for AfterAgent.
func (Adapter) TurnEnds(h agents.Hook) (again, ok bool) {
	return h.Evidence.Fields["stop_hook_active"] != "", h.Evidence.Kind == api.KindTurnEnds && h.Reply != ""
}

// ContinueReply has the agent go on: the reason becomes a prompt.
func (Adapter) ContinueReply(text string) string { return decision(api.EffectDeny, text) }

// decision is the output of a hook that decides.
func decision(what, reason string) string {
	out, err := json.Marshal(struct {
		Decision string `json:"decision"`
		Reason   string `json:"reason,omitempty"`
	}{what, reason})
	if err != nil {
		return "" // texts alone: it cannot fail
	}
	return string(out)
}

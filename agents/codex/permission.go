package codex

import (
	"encoding/json"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/agents/payload"
	"ccdir/api"
)

// holdDialog bounds how long the hook of a request waits: until then the pane shows that a
// hook runs, and no dialog. A policy answers at once, and so do people who look; later answers
// are keys.
const holdDialog = 10 * time.Second

// HooksNeedFolder: Codex starts hooks in the session's folder (0.169.0).
func (Adapter) HooksNeedFolder() {}

// HoldDialog: Codex calls the hook before it opens its dialog.
func (Adapter) HoldDialog() time.Duration { return holdDialog }

// DialogRequest reads a PermissionRequest hook.
func (Adapter) DialogRequest(h agents.Hook) (api.Request, bool) {
	if h.Evidence.Kind != api.KindDialog || h.Tool == "" {
		return api.Request{}, false
	}
	return request(h), true
}

func request(h agents.Hook) api.Request {
	return api.Request{Tool: h.Tool, Input: h.FullInput, Kind: api.RequestPermission, Question: h.Question, CWD: h.CWD,
		Hook: h.Evidence.Name, Subagent: h.Evidence.Fields["agent_id"], Mode: h.Evidence.Fields["permission_mode"]}
}

// PermissionReply is the output of the hook. Codex takes no changed input and no rules with
// it; a denial with a message lets the turn go on.
func (Adapter) PermissionReply(d api.Decision) string {
	if d.Outcome != api.OutcomeAnswered || d.Answer == nil {
		return ""
	}
	type decision struct {
		Behavior string `json:"behavior"`
		Message  string `json:"message,omitempty"`
	}
	var reply struct {
		Output struct {
			Event    string   `json:"hookEventName"`
			Decision decision `json:"decision"`
		} `json:"hookSpecificOutput"`
	}
	reply.Output.Event = HookPermissionRequest
	switch d.Answer.Behavior {
	case api.AnswerAllow:
		if len(d.Answer.Input) > 0 {
			return "" // it was changed, which Codex cannot do: its dialog decides
		}
		reply.Output.Decision.Behavior = "allow"
	case api.AnswerDeny:
		reply.Output.Decision = decision{"deny", denial(d.Answer)}
	default:
		return ""
	}
	out, err := json.Marshal(reply)
	if err != nil {
		return "" // texts alone: it cannot fail
	}
	return string(out)
}

// denial is the message for the agent with a denial.
func denial(a *api.Answer) string {
	if a.Message == "" {
		return "The user denied this."
	}
	return a.Message
}

// AnswerKeys answer the dialog that opened when the hook's time was over. Its "No" ends the
// turn, so the message of a denial follows as a prompt.
func (Adapter) AnswerKeys(d api.Decision, screen string) (keys []string, follow string, ok bool) {
	if !showsDialog(screen, d.Request) {
		return nil, "", false
	}
	return payload.AnswerKeys(d, "y")
}

// Marks of Codex's dialog for permission.
const (
	dialogAsks = "Would you like to "
	dialogHint = "Press enter to confirm or esc to cancel"
)

// maxShown bounds how much of a command is compared with the dialog, in bytes: a pane may be
// too small for all of it.
const maxShown = 200

// showsDialog reports whether the end of a screen is the dialog of a request: it shows the
// begin of the command, or names the tool.
func showsDialog(screen string, q api.Request) bool {
	i := strings.LastIndex(screen, dialogAsks)
	if i < 0 || !strings.Contains(screen[i:], dialogHint) {
		return false
	}
	want := payload.Of(q.Input).Text("command")
	switch q.Tool {
	case api.ToolBash:
	case api.ToolPatch:
		want, _, _ = strings.Cut(payload.ToolLine(q.Input), ", ")
	default:
		want = q.Tool[strings.LastIndex(q.Tool, "_")+1:]
	}
	want = squeeze(want)
	for len(want) > maxShown {
		want = want[:maxShown]
	}
	return want != "" && strings.Contains(squeeze(screen[i:]), want)
}

// squeeze drops white space: the dialog wraps and indents.
func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// AsksLine knows Codex's own tools; of others it names the tool.
func (Adapter) AsksLine(tool string, input json.RawMessage, _ string) string {
	in := payload.Of(input)
	switch tool {
	case api.ToolBash:
		return agents.Visible(in.Text("command"), agents.MaxField)
	case api.ToolPatch, api.ToolType:
		return agents.Visible(payload.ToolPhrase(tool, input), agents.MaxField)
	case api.ToolAsk:
		return agents.Visible(questionText(input), agents.MaxField)
	}
	if server, name, ok := strings.Cut(strings.TrimPrefix(tool, "mcp__"), "__"); ok && strings.HasPrefix(tool, "mcp__") {
		return agents.Visible(name+" ("+server+")", agents.MaxField)
	}
	return agents.Visible(tool, agents.MaxField)
}

// ToolUse reads a PreToolUse hook.
func (Adapter) ToolUse(h agents.Hook) (api.ToolUse, bool) {
	return payload.ToolUse(h)
}

// ToolRequest is the request for a call that the policy wants to be asked about.
func (Adapter) ToolRequest(h agents.Hook) api.Request { return request(h) }

// ToolReply denies; Codex takes no other decision from this hook. A call that the policy
// allows may still ask, and that request is answered by the policy too. One that a person
// is to allow is held before (ToolRequest); without an answer it is refused here.
func (Adapter) ToolReply(v api.Verdict, _ string) string {
	reason := payload.Reason(v)
	switch v.Effect {
	case api.EffectDeny:
	case api.EffectAsk:
		reason = "this needs a person's permission, and nobody gave it: " + reason
	default:
		return ""
	}
	return payload.ToolDecision(HookPreToolUse, api.EffectDeny, reason)
}

// TurnEnds is true for Stop, which is not called after Escape or an error.
func (Adapter) TurnEnds(h agents.Hook) (again, ok bool) { return payload.TurnEnds(h) }

// ContinueReply prevents the end of the turn.
func (Adapter) ContinueReply(text string) string { return payload.Decision("block", text) }

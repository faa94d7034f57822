package claude

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/agents/claude/conversation"
	"ccdir/agents/payload"
	"ccdir/api"
	"ccdir/internal/text/redact"
)

// DecodeHook converts a payload to evidence. name is the hook as configured; the
// payload's own hook_event_name is not trusted over it.
func (Adapter) DecodeHook(name string, at time.Time, data []byte) (agents.Hook, error) {
	h, p, err := payload.Hook(name, at, data)
	if err != nil {
		return h, err
	}
	hookKinds.Read(&h, p)
	Interpret(&h.Evidence)
	payload.Finish(&h)
	return h, nil
}

func decodeSessionStart(h *agents.Hook, p payload.Object) {
	source := payload.Begins(h, p)
	payload.SetField(h, "model", p.Text("model"))
	// After a compaction the turn that caused it goes on, if there was one.
	if source != "compact" {
		h.Evidence.Says = api.StateIdle
	}
}

func decodeSessionEnd(h *agents.Hook, p payload.Object) {
	reason := payload.Ends(h, p)
	// With /clear and /resume another conversation follows in the same process.
	if reason != "clear" && reason != "resume" {
		h.Evidence.Says = api.StateExiting
	}
}

func decodePrompt(h *agents.Hook, p payload.Object) {
	h.Evidence.Says = api.StateWorking
	text := p.Text("prompt")
	if strings.HasPrefix(text, "<task-notification>") {
		// Not typed by a user: a background task reports.
		payload.SetField(h, "kind", "task-notification")
		h.Message = between(text, "<summary>", "</summary>")
		return
	}
	if strings.HasPrefix(text, "<agent-message ") {
		// Nor is this: a subagent reports back.
		payload.SetField(h, "kind", "agent-message")
		_, report, _ := strings.Cut(text, "The report follows:\n")
		h.Message = "report of a subagent: " + strings.TrimSpace(between(report, "", "</agent-message>"))
		return
	}
	h.Prompt = conversation.Unpasted(text)
	h.Message = h.Prompt
}

func decodeExpansion(h *agents.Hook, p payload.Object) {
	h.Evidence.Says = api.StateWorking
	payload.SetField(h, "command", p.Text("command_name"))
	h.Message = p.Text("prompt")
}

func decodeStop(h *agents.Hook, p payload.Object) {
	h.Evidence.Says = api.StateIdle
	h.Message = p.Text("last_assistant_message")
	h.Reply = payload.Cut(h.Message, payload.MaxReply)
	var tasks []struct {
		Type   string `json:"type"`
		Status string `json:"status"`
	}
	_ = json.Unmarshal(p.Members["background_tasks"], &tasks)
	running, agents := 0, 0
	for _, t := range tasks {
		if t.Status != "running" {
			continue
		}
		running++
		if t.Type == "subagent" {
			agents++
		}
	}
	// A shell may run for ever (a development server); a subagent reports back, and its
	// report starts the next turn.
	if running > 0 {
		payload.SetField(h, "background_tasks", strconv.Itoa(running))
	}
	if agents > 0 {
		payload.SetField(h, "background_agents", strconv.Itoa(agents))
	}
	var crons []json.RawMessage
	if _ = json.Unmarshal(p.Members["session_crons"], &crons); len(crons) > 0 {
		payload.SetField(h, "session_crons", strconv.Itoa(len(crons)))
	}
	if p.True("stop_hook_active") {
		payload.SetField(h, "stop_hook_active", "true")
	}
}

func decodeStopFailure(h *agents.Hook, p payload.Object) {
	h.Evidence.Says = api.StateIdle
	payload.SetField(h, "error", p.Text("error"))
	h.Message = p.Text("last_assistant_message")
	h.Reply = payload.Cut(h.Message, payload.MaxReply)
	if h.Message == "" {
		h.Message = "failed: " + p.Text("error")
	}
	h.Failure = &api.TurnFailure{Kind: conversation.FailureKind(p.Text("error"), 0, h.Message), At: h.Evidence.At}
}

// FailureOf classifies a failure by the CLI's message about it.
func (Adapter) FailureOf(message string) api.FailureKind {
	return conversation.FailureKind("", 0, message)
}

// readQuestion reports whether the tool asks the user, and reads the question.
func readQuestion(h *agents.Hook, p payload.Object) bool {
	if h.Tool != "AskUserQuestion" {
		return false
	}
	h.Question = questionText(p.Members["tool_input"])
	h.Message = h.Tool + ": " + h.Question
	return true
}

func decodePreTool(h *agents.Hook, p payload.Object) {
	payload.ReadTool(h, p, payload.Words(nil).Call)
	h.Evidence.Says = api.StateWorking
	if readQuestion(h, p) {
		h.Evidence.Says = api.StateInput
	}
}

func decodePostTool(h *agents.Hook, p payload.Object) {
	payload.ReadTool(h, p, payload.Words(nil).Call)
	h.Evidence.Says = api.StateWorking
	if e := p.Text("error"); e != "" {
		e = redact.Text(payload.Cut(e, payload.MaxString))
		payload.SetField(h, "error", e)
		h.Message += " failed: " + e
	}
	var interrupted bool
	if json.Unmarshal(p.Members["is_interrupt"], &interrupted) == nil && interrupted {
		payload.SetField(h, "is_interrupt", "true")
	}
}

func decodePermission(h *agents.Hook, p payload.Object) {
	payload.ReadTool(h, p, payload.Words(nil).Call)
	h.Evidence.Says = api.StatePermission
	if readQuestion(h, p) {
		h.Evidence.Says = api.StateInput
		return
	}
	if h.Question = h.Message; h.Tool == "ExitPlanMode" {
		h.Question = planLine(payload.Of(p.Members["tool_input"]), p.Members["tool_input"])
	}
}

func decodeDenied(h *agents.Hook, p payload.Object) {
	payload.ReadTool(h, p, payload.Words(nil).Call)
	h.Evidence.Says = api.StateWorking
	reason := redact.Text(payload.Cut(p.Text("reason"), payload.MaxString))
	payload.SetField(h, "reason", reason)
	payload.SetField(h, agents.FieldOwnRefusal, "true")
	h.Message += " denied: " + reason
}

func decodeNotification(h *agents.Hook, p payload.Object) {
	kind := p.Text("notification_type")
	payload.SetField(h, "notification_type", kind)
	h.Message = p.Text("message")
	switch kind {
	case "permission_prompt":
		h.Evidence.Says = api.StatePermission
	case "idle_prompt":
		h.Evidence.Says = api.StateIdle
	case "elicitation_dialog":
		h.Evidence.Says = api.StateInput
	case "elicitation_response":
		h.Evidence.Says = api.StateWorking
	}
}

func decodeElicitation(h *agents.Hook, p payload.Object) {
	h.Evidence.Says = api.StateInput
	payload.SetField(h, "mcp_server", p.Text("mcp_server_name"))
	payload.SetField(h, "mode", p.Text("mode"))
	h.Question = p.Text("message")
	h.Message = p.Text("mcp_server_name") + " asks: " + h.Question
}

func decodeElicitationResult(h *agents.Hook, p payload.Object) {
	h.Evidence.Says = api.StateWorking
	payload.SetField(h, "mcp_server", p.Text("mcp_server_name"))
	payload.SetField(h, "action", p.Text("action"))
	h.Message = p.Text("mcp_server_name") + ": " + p.Text("action")
}

// decodeSubagent tells no state: a subagent may end before or after the turn that
// started it.
func decodeSubagent(h *agents.Hook, p payload.Object) {
	kind := p.Text("agent_type")
	if kind == "" {
		kind = "subagent"
	}
	h.Message = kind
	if last := p.Text("last_assistant_message"); last != "" {
		h.Message += ": " + last
	}
}

func decodeCompact(h *agents.Hook, p payload.Object) {
	trigger := p.Text("trigger")
	payload.SetField(h, "trigger", trigger)
	h.Evidence.Says = api.StateWorking
	// /compact ends without a Stop; an automatic one is inside a turn.
	if h.Evidence.Kind == api.KindCompactionEnds && trigger == "manual" {
		h.Evidence.Says = api.StateIdle
	}
	h.Message = "compaction (" + trigger + ")"
}

func decodeModel(h *agents.Hook, p payload.Object) {
	payload.SetField(h, "model", p.Text("to_model"))
	h.Message = p.Text("from_model") + " → " + p.Text("to_model")
}

func decodeCwd(h *agents.Hook, p payload.Object) {
	if dir := p.Text("new_cwd"); dir != "" {
		h.CWD = dir
	}
	h.Message = h.CWD
}

func decodeFile(h *agents.Hook, p payload.Object) {
	h.Message = p.Text("file_path")
}

// between returns the text between two marks, or all of it.
func between(s, from, to string) string {
	if _, rest, ok := strings.Cut(s, from); ok {
		if text, _, ok := strings.Cut(rest, to); ok {
			return text
		}
	}
	return s
}

// questionText is the text of AskUserQuestion: each question with its choices.
func questionText(input json.RawMessage) string {
	var b strings.Builder
	for i, q := range askedQuestions(input) {
		if i > 0 {
			b.WriteString(" · ")
		}
		b.WriteString(q.text)
		for j, label := range q.labels {
			b.WriteString([]string{" (", " / "}[min(j, 1)] + label)
		}
		if len(q.labels) > 0 {
			b.WriteString(")")
		}
	}
	return b.String()
}

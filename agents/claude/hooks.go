package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/text/redact"
)

// Bounds on the parts of a payload that are kept.
const (
	maxMessage  = 300      // runes of Hook.Message
	maxQuestion = 2000     // runes of Hook.Question
	maxReply    = 32 << 10 // bytes of Hook.Reply
	maxString   = 4 << 10  // bytes of a string in Hook.Data
	maxData     = 64 << 10
)

// hookPayload are the members of a hook's payload. Members of an unexpected type are
// left empty: only a payload that is no object is malformed.
type hookPayload struct {
	members map[string]json.RawMessage
}

// membersOf decodes an object by the exact names of its members: a struct would accept
// "Command" for "command", and the agent does not. The result is empty if data is no
// object.
func membersOf(data json.RawMessage) (p hookPayload) {
	if json.Unmarshal(data, &p.members) != nil {
		p.members = nil
	}
	return p
}

// into decodes a member if it exists; false if it has another type.
func (p hookPayload) into(name string, v any) bool {
	raw, there := p.members[name]
	return !there || json.Unmarshal(raw, v) == nil
}

func (p hookPayload) text(name string) string {
	var s string
	_ = json.Unmarshal(p.members[name], &s)
	return s
}

// DecodeHook converts a payload to evidence. name is the hook as configured; the
// payload's own hook_event_name is not trusted over it.
func (Adapter) DecodeHook(name string, at time.Time, payload []byte) (agents.Hook, error) {
	p := hookPayload{}
	if !utf8.Valid(payload) { // parts of it go to WebSockets, which need UTF-8
		payload = bytes.ToValidUTF8(payload, []byte("\uFFFD"))
	}
	if err := json.Unmarshal(payload, &p.members); err != nil {
		return agents.Hook{}, fmt.Errorf("the payload of hook %s is not a JSON object: %w", agents.Visible(name, 64), err)
	}
	if p.members == nil {
		return agents.Hook{}, errors.New("the payload of hook " + agents.Visible(name, 64) + " is null")
	}
	h := agents.Hook{
		Evidence:     api.Evidence{Source: api.SourceHook, At: at, Name: name, Fields: map[string]string{}},
		Conversation: agents.Visible(p.text("session_id"), agents.MaxField),
		CWD:          p.text("cwd"),
		Transcript:   p.text("transcript_path"),
		Data:         shortData(payload),
	}
	for _, field := range []string{"agent_id", "agent_type", "prompt_id", "permission_mode", "tool_use_id"} {
		setField(&h, field, p.text(field))
	}
	if hook, ok := hookKinds[name]; ok {
		h.Evidence.Kind = hook.kind
		hook.decode(&h, p)
	}
	Interpret(&h.Evidence)
	if h.Message == "" {
		h.Message = name
	}
	h.Message = agents.Visible(h.Message, maxMessage)
	h.Question = agents.Visible(h.Question, maxQuestion)
	h.Evidence.Detail = h.Message
	return h, nil
}

// setField sets a field unless the value is empty.
func setField(h *agents.Hook, name, value string) {
	if value != "" {
		h.Evidence.Fields[name] = agents.Visible(value, agents.MaxField)
	}
}

func decodeSessionStart(h *agents.Hook, p hookPayload) {
	source := p.text("source")
	setField(h, "source", source)
	setField(h, "model", p.text("model"))
	// After a compaction the turn that caused it goes on, if there was one.
	if source != "compact" {
		h.Evidence.Says = api.StateIdle
	}
	h.Message = "session " + source
}

func decodeSessionEnd(h *agents.Hook, p hookPayload) {
	reason := p.text("reason")
	setField(h, "reason", reason)
	h.Message = "session ended: " + reason
	// With /clear and /resume another conversation follows in the same process.
	if reason != "clear" && reason != "resume" {
		h.Evidence.Says = api.StateExiting
	}
}

func decodePrompt(h *agents.Hook, p hookPayload) {
	h.Evidence.Says = api.StateWorking
	text := p.text("prompt")
	if strings.HasPrefix(text, "<task-notification>") {
		// Not typed by a user: a background task reports.
		setField(h, "kind", "task-notification")
		h.Message = between(text, "<summary>", "</summary>")
		return
	}
	if strings.HasPrefix(text, "<agent-message ") {
		// Nor is this: a subagent reports back.
		setField(h, "kind", "agent-message")
		_, report, _ := strings.Cut(text, "The report follows:\n")
		h.Message = "report of a subagent: " + strings.TrimSpace(between(report, "", "</agent-message>"))
		return
	}
	h.Prompt = text
	h.Message = text
}

func decodeExpansion(h *agents.Hook, p hookPayload) {
	h.Evidence.Says = api.StateWorking
	setField(h, "command", p.text("command_name"))
	h.Message = p.text("prompt")
}

func decodeStop(h *agents.Hook, p hookPayload) {
	h.Evidence.Says = api.StateIdle
	h.Message = p.text("last_assistant_message")
	h.Reply = cutString(h.Message, maxReply)
	var tasks []struct {
		Type   string `json:"type"`
		Status string `json:"status"`
	}
	_ = json.Unmarshal(p.members["background_tasks"], &tasks)
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
		setField(h, "background_tasks", strconv.Itoa(running))
	}
	if agents > 0 {
		setField(h, "background_agents", strconv.Itoa(agents))
	}
	var active bool
	if json.Unmarshal(p.members["stop_hook_active"], &active) == nil && active {
		setField(h, "stop_hook_active", "true")
	}
}

func decodeStopFailure(h *agents.Hook, p hookPayload) {
	h.Evidence.Says = api.StateIdle
	setField(h, "error", p.text("error"))
	h.Message = p.text("last_assistant_message")
	h.Reply = cutString(h.Message, maxReply)
	if h.Message == "" {
		h.Message = "failed: " + p.text("error")
	}
}

// readTool fills in the tool's name, input and the line that describes both.
func readTool(h *agents.Hook, p hookPayload) {
	h.Tool = agents.Visible(p.text("tool_name"), agents.MaxField)
	setField(h, "tool", h.Tool)
	h.Message = h.Tool
	if raw := p.members["tool_input"]; len(raw) > 0 {
		h.ToolInput, h.FullInput = shortInput(raw), raw
		if line := toolLine(h.ToolInput); line != "" {
			h.Message += ": " + line
		}
	}
}

// readQuestion reports whether the tool asks the user, and reads the question.
func readQuestion(h *agents.Hook, p hookPayload) bool {
	if h.Tool != "AskUserQuestion" {
		return false
	}
	h.Question = questionText(p.members["tool_input"])
	h.Message = h.Tool + ": " + h.Question
	return true
}

func decodePreTool(h *agents.Hook, p hookPayload) {
	readTool(h, p)
	h.Evidence.Says = api.StateWorking
	if readQuestion(h, p) {
		h.Evidence.Says = api.StateInput
	}
}

func decodePostTool(h *agents.Hook, p hookPayload) {
	readTool(h, p)
	h.Evidence.Says = api.StateWorking
	if e := p.text("error"); e != "" {
		e = redact.Text(cutString(e, maxString))
		setField(h, "error", e)
		h.Message += " failed: " + e
	}
	var interrupted bool
	if json.Unmarshal(p.members["is_interrupt"], &interrupted) == nil && interrupted {
		setField(h, "is_interrupt", "true")
	}
}

func decodePermission(h *agents.Hook, p hookPayload) {
	readTool(h, p)
	h.Evidence.Says = api.StatePermission
	if readQuestion(h, p) {
		h.Evidence.Says = api.StateInput
		return
	}
	h.Question = h.Message
}

func decodeDenied(h *agents.Hook, p hookPayload) {
	readTool(h, p)
	h.Evidence.Says = api.StateWorking
	reason := redact.Text(cutString(p.text("reason"), maxString))
	setField(h, "reason", reason)
	h.Message += " denied: " + reason
}

func decodeNotification(h *agents.Hook, p hookPayload) {
	kind := p.text("notification_type")
	setField(h, "notification_type", kind)
	h.Message = p.text("message")
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

func decodeElicitation(h *agents.Hook, p hookPayload) {
	h.Evidence.Says = api.StateInput
	setField(h, "mcp_server", p.text("mcp_server_name"))
	setField(h, "mode", p.text("mode"))
	h.Question = p.text("message")
	h.Message = p.text("mcp_server_name") + " asks: " + h.Question
}

func decodeElicitationResult(h *agents.Hook, p hookPayload) {
	h.Evidence.Says = api.StateWorking
	setField(h, "mcp_server", p.text("mcp_server_name"))
	setField(h, "action", p.text("action"))
	h.Message = p.text("mcp_server_name") + ": " + p.text("action")
}

// decodeSubagent tells no state: a subagent may end before or after the turn that
// started it.
func decodeSubagent(h *agents.Hook, p hookPayload) {
	kind := p.text("agent_type")
	if kind == "" {
		kind = "subagent"
	}
	h.Message = kind
	if last := p.text("last_assistant_message"); last != "" {
		h.Message += ": " + last
	}
}

func decodeCompact(h *agents.Hook, p hookPayload) {
	trigger := p.text("trigger")
	setField(h, "trigger", trigger)
	h.Evidence.Says = api.StateWorking
	// /compact ends without a Stop; an automatic one is inside a turn.
	if h.Evidence.Kind == api.KindCompactionEnds && trigger == "manual" {
		h.Evidence.Says = api.StateIdle
	}
	h.Message = "compaction (" + trigger + ")"
}

func decodeModel(h *agents.Hook, p hookPayload) {
	setField(h, "model", p.text("to_model"))
	h.Message = p.text("from_model") + " → " + p.text("to_model")
}

func decodeCwd(h *agents.Hook, p hookPayload) {
	if dir := p.text("new_cwd"); dir != "" {
		h.CWD = dir
	}
	h.Message = h.CWD
}

func decodeFile(h *agents.Hook, p hookPayload) {
	h.Message = p.text("file_path")
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

// toolLine describes a tool's input in one line: its most telling member.
func toolLine(input json.RawMessage) string {
	p := membersOf(input)
	for _, name := range []string{"command", "file_path", "notebook_path", "path", "pattern", "url", "query", "description", "prompt", "subject"} {
		if s := p.text(name); s != "" {
			return s
		}
	}
	var b bytes.Buffer
	if len(p.members) == 0 || json.Compact(&b, input) != nil {
		return ""
	}
	return b.String()
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

package payload

import (
	"encoding/json"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// Bounds of the parts of a hook.
const (
	MaxMessage  = 300      // runes of Hook.Message
	maxQuestion = 2000     // runes of Hook.Question
	MaxReply    = 32 << 10 // bytes of Hook.Reply
)

// Hook decodes what the hooks of several agents have in common, by the same names: the
// conversation, the directory, the ids. The caller adds the kind and what the hook says, and
// calls Finish.
func Hook(name string, at time.Time, data []byte) (agents.Hook, Object, error) {
	o, text, err := OfHook(name, data)
	if err != nil {
		return agents.Hook{}, o, err
	}
	h := agents.Hook{
		Evidence:     api.Evidence{Source: api.SourceHook, At: at, Name: name, Fields: map[string]string{}},
		Conversation: agents.Visible(o.Text("session_id"), agents.MaxField),
		CWD:          o.Text("cwd"),
		Transcript:   o.Text("transcript_path"),
		Data:         Data(text),
	}
	for _, field := range []string{"agent_id", "agent_type", "prompt_id", "tool_use_id"} {
		SetField(&h, field, o.Text(field))
	}
	SetField(&h, "permission_mode", api.PermissionMode(o.Text("permission_mode")))
	return h, o, nil
}

// Begins reads why a conversation begins ("startup", "clear", "compact", ...), and returns it.
func Begins(h *agents.Hook, o Object) (source string) {
	source = o.Text("source")
	SetField(h, "source", source)
	h.Message = "session " + source
	return source
}

// Ends reads why a conversation ends, and returns it.
func Ends(h *agents.Hook, o Object) (reason string) {
	reason = o.Text("reason")
	SetField(h, "reason", reason)
	h.Message = "session ended: " + reason
	return reason
}

// Reports are the hooks of an agent by name: what each reports, and how its parts beyond the
// common fields are read. A hook without a row is logged and tells no state.
type Reports map[string]struct {
	Kind   api.EventKind
	Decode func(*agents.Hook, Object)
}

// Kind is the kind of the hook of that name; "" if it is unknown.
func (r Reports) Kind(name string) api.EventKind { return r[name].Kind }

// Read gives a hook its kind and its own parts.
func (r Reports) Read(h *agents.Hook, o Object) {
	if row, ok := r[h.Evidence.Name]; ok {
		h.Evidence.Kind = row.Kind
		row.Decode(h, o)
	}
}

// Finish bounds a hook's texts; a hook without a message has its name.
func Finish(h *agents.Hook) {
	if h.Message == "" {
		h.Message = h.Evidence.Name
	}
	h.Message = agents.Visible(h.Message, MaxMessage)
	h.Question = agents.Visible(h.Question, maxQuestion)
	h.Evidence.Detail = h.Message
}

// ReadTool fills in the tool's name, input and the line that describes both. call
// puts the agent's words into ccdir's (Words.Call).
func ReadTool(h *agents.Hook, o Object, call func(tool string, input json.RawMessage) (string, json.RawMessage, string)) {
	tool, raw, dir := call(o.Text("tool_name"), o.Members["tool_input"])
	h.Tool, h.Dir = agents.Visible(tool, agents.MaxField), dir
	SetField(h, "tool", h.Tool)
	h.Message = h.Tool
	if len(raw) > 0 {
		h.ToolInput, h.FullInput = Input(raw), raw
		if line := ToolLine(h.ToolInput); line != "" {
			h.Message += ": " + line
		}
	}
}

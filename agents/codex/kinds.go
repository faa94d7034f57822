package codex

import (
	"encoding/json"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/agents/payload"
	"ccdir/api"
)

// Names of Codex's hooks. The rest of ccdir knows them by their kinds alone.
const (
	HookSessionStart      = "SessionStart"
	HookSessionEnd        = "SessionEnd"
	HookUserPromptSubmit  = "UserPromptSubmit"
	HookStop              = "Stop"
	HookInterrupt         = "Interrupt"
	HookPreToolUse        = "PreToolUse"
	HookPostToolUse       = "PostToolUse"
	HookPermissionRequest = "PermissionRequest"
	HookSubagentStart     = "SubagentStart"
	HookSubagentStop      = "SubagentStop"
	HookPreCompact        = "PreCompact"
	HookPostCompact       = "PostCompact"
)

// hookKinds are the hooks that Codex calls.
var hookKinds = payload.Reports{
	HookSessionStart:      {api.KindConversationBegins, decodeSessionStart},
	HookSessionEnd:        {api.KindConversationEnds, decodeSessionEnd},
	HookUserPromptSubmit:  {api.KindPrompt, decodePrompt},
	HookStop:              {api.KindTurnEnds, decodeStop},
	HookInterrupt:         {api.KindTurnInterrupted, decodeInterrupt},
	HookPreToolUse:        {api.KindToolBegins, decodePreTool},
	HookPostToolUse:       {api.KindToolEnds, decodePostTool},
	HookPermissionRequest: {api.KindDialog, decodePermission},
	HookSubagentStart:     {api.KindSubagentBegins, decodeSubagent},
	HookSubagentStop:      {api.KindSubagentEnds, decodeSubagent},
	HookPreCompact:        {api.KindCompactionBegins, decodeCompact},
	HookPostCompact:       {api.KindCompactionEnds, decodeCompact},
}

// HookKind is the kind of the hook of that name; "" if it is unknown.
func HookKind(name string) api.EventKind { return hookKinds.Kind(name) }

// DecodeHook converts a payload to evidence. Its fields are named as Claude Code names them,
// with turn_id for the turn.
func (Adapter) DecodeHook(name string, at time.Time, data []byte) (agents.Hook, error) {
	h, o, err := payload.Hook(name, at, data)
	if err != nil {
		return h, err
	}
	payload.SetField(&h, "prompt_id", o.Text("turn_id"))
	payload.SetField(&h, "model", o.Text("model"))
	hookKinds.Read(&h, o)
	payload.Finish(&h)
	return h, nil
}

// decodeSessionStart tells no state: the hook comes with the first prompt, after the status.
func decodeSessionStart(h *agents.Hook, o payload.Object) {
	source := payload.Begins(h, o)
	if source == "clear" {
		payload.SetField(h, agents.FieldCleared, "true")
	}
	if source != "compact" { // after a compaction the conversation goes on
		h.Evidence.Says = api.StateWorking
	}
}

func decodeSessionEnd(h *agents.Hook, o payload.Object) {
	payload.Ends(h, o)
	h.Evidence.Says = api.StateExiting
}

func decodePrompt(h *agents.Hook, o payload.Object) {
	h.Evidence.Says = api.StateWorking
	payload.SetField(h, agents.FieldSteers, "true")
	h.Prompt = o.Text("prompt")
	h.Message = h.Prompt
}

func decodeStop(h *agents.Hook, o payload.Object) {
	h.Evidence.Says = api.StateIdle
	h.Message = o.Text("last_assistant_message")
	h.Reply = payload.Cut(h.Message, payload.MaxReply)
	if o.True("stop_hook_active") {
		payload.SetField(h, "stop_hook_active", "true")
	}
}

func decodeInterrupt(h *agents.Hook, _ payload.Object) {
	h.Evidence.Says = api.StateIdle
	h.Message = "interrupted"
}

// words are Codex's tools in ccdir's words; its hooks call every tool that runs a command Bash.
var words = payload.Words{
	"apply_patch":              {Name: api.ToolPatch, Convert: payload.Patch("command")},
	"write_stdin":              {Name: api.ToolType, Members: map[string]string{"chars": "text"}},
	"view_image":               {Name: api.ToolRead, Members: map[string]string{"path": "file_path"}},
	"update_plan":              {Name: api.ToolTodo},
	"web_search":               {Name: api.ToolWebSearch},
	"request_user_input":       {Name: api.ToolAsk},
	"request_user_input_async": {Name: api.ToolAsk},
	"exec_command":             {Name: api.ToolBash, Members: map[string]string{"cmd": "command"}, Dir: "workdir"},
}

// spaces are namespaces of tools. Hooks have them before the name, as "collaborationspawn_agent".
var spaces = []string{"collaboration", "multi_agent_v1", "clock"}

// Call is a call of a tool in ccdir's words, with the directory that it names.
func Call(tool string, input json.RawMessage) (name string, in json.RawMessage, dir string) {
	for _, space := range spaces {
		if own, ok := strings.CutPrefix(tool, space); ok && own != "" {
			tool = strings.TrimLeft(own, "_/")
		}
	}
	return words.Call(tool, input)
}

func decodePreTool(h *agents.Hook, o payload.Object) {
	payload.ReadTool(h, o, Call)
	h.Evidence.Says = api.StateWorking
	if h.Tool == api.ToolAsk {
		h.Evidence.Says = api.StateInput
		h.Question = questionText(o.Members["tool_input"])
		h.Message = h.Tool + ": " + h.Question
	}
}

func decodePostTool(h *agents.Hook, o payload.Object) {
	payload.ReadTool(h, o, Call)
	h.Evidence.Says = api.StateWorking
}

func decodePermission(h *agents.Hook, o payload.Object) {
	payload.ReadTool(h, o, Call)
	h.Evidence.Says = api.StatePermission
	payload.SetField(h, agents.FieldHeldBack, "true")
	if h.Tool != api.ToolBash {
		h.Question = h.Message
		return
	}
	// The reason stands beside the command in the tool's input, but not in that of the call.
	in := payload.Of(h.FullInput)
	reason := in.Text("description")
	delete(in.Members, "description")
	if reduced, err := json.Marshal(in.Members); err == nil {
		h.ToolInput, h.FullInput = payload.Input(reduced), reduced
	}
	if reason != "" {
		h.Message += " (" + reason + ")"
	}
	h.Question = h.Message
}

// decodeSubagent tells no state: the conversation goes on beside it.
func decodeSubagent(h *agents.Hook, o payload.Object) {
	h.Message = "subagent " + o.Text("agent_type")
}

func decodeCompact(h *agents.Hook, o payload.Object) {
	trigger := o.Text("trigger")
	payload.SetField(h, "trigger", trigger)
	h.Evidence.Says = api.StateWorking
	if h.Evidence.Kind == api.KindCompactionEnds && trigger == "manual" {
		h.Evidence.Says = api.StateIdle
	}
	h.Message = "compaction (" + trigger + ")"
}

// questionText is the text of a question to the person: each with its choices.
func questionText(input json.RawMessage) string {
	var list []json.RawMessage
	if !payload.Of(input).Into("questions", &list) {
		return ""
	}
	var parts []string
	for _, raw := range list {
		q := payload.Of(raw)
		text := q.Text("question")
		var options []json.RawMessage
		if q.Into("options", &options) && len(options) > 0 {
			labels := make([]string, 0, len(options))
			for _, o := range options {
				labels = append(labels, payload.Of(o).Text("label"))
			}
			text += " (" + strings.Join(labels, " / ") + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " · ")
}

// ownCommands are commands of Codex itself with their acknowledgement. /clear and /new show
// nothing but a moment of work: their hook comes with the next prompt.
var ownCommands = map[string]agents.Ack{
	"/clear":   {Working: true, Idle: true},
	"/new":     {Working: true, Idle: true},
	"/compact": {Kinds: []api.EventKind{api.KindCompactionBegins}, Idle: true},
	"/exit":    {Kinds: []api.EventKind{api.KindConversationEnds}, Exit: true, Idle: true},
	"/quit":    {Kinds: []api.EventKind{api.KindConversationEnds}, Exit: true, Idle: true},
}

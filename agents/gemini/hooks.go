package gemini

import (
	"encoding/json"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/agents/payload"
	"ccdir/api"
)

// hookKinds are the hooks that Gemini CLI calls.
var hookKinds = payload.Reports{
	HookSessionStart: {api.KindConversationBegins, decodeSessionStart},
	HookSessionEnd:   {api.KindConversationEnds, decodeSessionEnd},
	HookBeforeAgent:  {api.KindPrompt, decodePrompt},
	HookAfterAgent:   {api.KindTurnEnds, decodeTurnEnds},
	HookBeforeTool:   {api.KindToolBegins, decodeTool},
	HookAfterTool:    {api.KindToolEnds, decodeToolEnds},
	HookNotification: {api.KindReminder, decodeNotification},
}

// HookKind is the kind of the hook of that name; "" if it is unknown.
func HookKind(name string) api.EventKind { return hookKinds.Kind(name) }

// DecodeHook converts a payload to evidence. name is the hook as configured.
func (Adapter) DecodeHook(name string, at time.Time, data []byte) (agents.Hook, error) {
	h, o, err := payload.Hook(name, at, data)
	if err != nil {
		return h, err
	}
	hookKinds.Read(&h, o)
	payload.Finish(&h)
	return h, nil
}

func decodeSessionStart(h *agents.Hook, o payload.Object) {
	if payload.Begins(h, o) == "clear" {
		payload.SetField(h, agents.FieldCleared, "true")
	}
	h.Evidence.Says = api.StateIdle
}

func decodeSessionEnd(h *agents.Hook, o payload.Object) {
	if payload.Ends(h, o) != "clear" { // then another one follows
		h.Evidence.Says = api.StateExiting
	}
}

func decodePrompt(h *agents.Hook, o payload.Object) {
	h.Evidence.Says = api.StateWorking
	h.Prompt = o.Text("prompt")
	h.Message = h.Prompt
}

// noResponse is what the CLI reports where a turn brought no text: after Escape, and after an
// error of the API.
const noResponse = "[no response text]"

// EndIsRead: the hook is called after Escape and after an error of the API too, and does not
// tell them from the end of a turn.
func (Adapter) EndIsRead(h agents.Hook, interrupted bool) bool {
	return h.Evidence.Kind == api.KindTurnEnds && (h.Reply == "" || interrupted)
}

func decodeTurnEnds(h *agents.Hook, o payload.Object) {
	h.Evidence.Says = api.StateIdle
	if text := o.Text("prompt_response"); text != noResponse {
		h.Message = text
	}
	h.Reply = payload.Cut(h.Message, payload.MaxReply)
	if o.True("stop_hook_active") {
		payload.SetField(h, "stop_hook_active", "true")
	}
}

// words are the CLI's tools in ccdir's words, by which policies and people know them; older
// names of tools and members too.
var words = payload.Words{
	"run_shell_command":   {Name: api.ToolBash, Dir: "dir_path"},
	"write_file":          {Name: api.ToolWrite, Members: filePath},
	"replace":             {Name: api.ToolEdit, Members: filePath},
	"read_file":           {Name: api.ToolRead, Members: filePath},
	"read_many_files":     {Name: api.ToolRead, Members: map[string]string{"include": "paths"}},
	"web_fetch":           {Name: api.ToolWebFetch, Convert: payload.URLs("prompt")},
	"google_web_search":   {Name: api.ToolWebSearch},
	"glob":                {Name: api.ToolGlob, Members: searched},
	"grep_search":         {Name: api.ToolGrep, Members: searched},
	"search_file_content": {Name: api.ToolGrep, Members: searched},
	"list_directory":      {Name: api.ToolLS, Members: searched},
	"invoke_agent":        {Name: api.ToolAgent, Members: map[string]string{"agent_name": "subagent_type"}},
	"activate_skill":      {Name: api.ToolSkill, Members: map[string]string{"name": "skill"}},
	"ask_user":            {Name: api.ToolAsk},
	"exit_plan_mode":      {Name: api.ToolPlan},
	"write_todos":         {Name: api.ToolTodo},
}

var (
	filePath = map[string]string{"absolute_path": "file_path"}
	searched = map[string]string{"dir_path": "path", "include_pattern": "glob", "include": "glob"}
)

// Call is a call of a tool in ccdir's words, with the directory that it names. A tool of a server is mcp_SERVER_TOOL, and servers have no
// _ in their names.
func Call(tool string, input json.RawMessage) (name string, in json.RawMessage, dir string) {
	if rest, ok := strings.CutPrefix(tool, "mcp_"); ok {
		if server, own, ok := strings.Cut(rest, "_"); ok {
			tool = "mcp__" + server + "__" + own
		}
	}
	return words.Call(tool, input)
}

func decodeTool(h *agents.Hook, o payload.Object) {
	payload.ReadTool(h, o, Call)
	h.Evidence.Says = api.StateWorking
	if h.Tool == words["invoke_agent"].Name {
		payload.SetField(h, agents.FieldDelegates, "true")
	}
}

func decodeToolEnds(h *agents.Hook, o payload.Object) {
	payload.ReadTool(h, o, Call)
	h.Evidence.Says = api.StateWorking
	response := payload.Of(o.Members["tool_response"])
	failed := payload.Of(response.Members["error"])
	if text := failed.Text("message"); text != "" {
		h.Evidence.Kind = api.KindToolFails
		payload.SetField(h, "error", text)
		h.Message += " failed: " + text
	}
}

// decodeNotification reads the notice of a dialog. Its details name the tool's kind and what
// it would do, not the tool; DialogRequest is made of them.
func decodeNotification(h *agents.Hook, o payload.Object) {
	h.Message = o.Text("message")
	payload.SetField(h, "notification_type", o.Text("notification_type"))
	if o.Text("notification_type") != "ToolPermission" {
		return
	}
	h.Evidence.Kind, h.Evidence.Says = api.KindDialog, api.StatePermission
	d := payload.Of(o.Members["details"])
	tool, input := dialogCall(d)
	h.Tool = tool
	payload.SetField(h, "tool", tool)
	h.FullInput, h.ToolInput = input, payload.Input(input)
	h.Message = tool
	if line := payload.ToolLine(h.ToolInput); line != "" {
		h.Message += ": " + line
	}
	h.Question = h.Message
}

// dialogCall is the tool call that a dialog is about, as far as its details tell.
func dialogCall(d payload.Object) (tool string, input json.RawMessage) {
	members := map[string]any{}
	copyText := func(to, from string) {
		if s := d.Text(from); s != "" {
			members[to] = s
		}
	}
	switch kind := d.Text("type"); kind {
	case "exec":
		tool = words["run_shell_command"].Name
		copyText("command", "command")
	case "edit":
		tool = words["replace"].Name
		if strings.HasPrefix(d.Text("title"), "Confirm Write") {
			tool = words["write_file"].Name
		}
		copyText("file_path", "filePath")
		copyText("content", "newContent")
	case "mcp":
		tool = "mcp__" + d.Text("serverName") + "__" + d.Text("toolName")
	case "info":
		tool = words["web_fetch"].Name
		copyText("prompt", "prompt")
		var urls []string
		if d.Into("urls", &urls) && len(urls) > 0 {
			members["urls"] = urls
		}
	case "ask_user":
		tool = words["ask_user"].Name
		copyText("question", "title")
	default:
		tool = agents.Visible(d.Text("title"), agents.MaxField)
	}
	if tool == "" {
		tool = "a tool"
	}
	input, _ = json.Marshal(members) // cannot fail for strings
	return tool, input
}

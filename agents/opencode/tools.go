package opencode

import (
	"encoding/json"
	"strings"

	"ccdir/agents"
	"ccdir/agents/payload"
	"ccdir/api"
)

// names are ccdir's names of opencode's tools, by which policies and people know them.
var names = map[string]string{
	"bash": "Bash", "edit": "Edit", "multiedit": "MultiEdit", "patch": "Edit", "apply_patch": "Edit", "write": "Write", "read": "Read",
	"glob": "Glob", "grep": "Grep", "list": "LS", "webfetch": "WebFetch", "websearch": "WebSearch", "task": "Agent",
	"todowrite": "TodoWrite", "todoread": "TodoRead",
}

// questionTool is the tool that asks the person.
const questionTool = "question"

// toolName is ccdir's name of a tool. Of the tools of servers (SERVER_TOOL) only ours are
// certain.
func toolName(name string) string {
	if known := names[name]; known != "" {
		return known
	}
	if tool, ok := strings.CutPrefix(name, api.MCPServer+"_"); ok {
		return "mcp__" + api.MCPServer + "__" + tool
	}
	return agents.Visible(name, agents.MaxField)
}

// members are ccdir's names of members of inputs.
var members = map[string]string{"filePath": "file_path", "filepath": "file_path", "oldString": "old_string", "newString": "new_string", "replaceAll": "replace_all"}

// toolInput is a tool's input with the names that policies know. Nil for anything but an
// object.
func toolInput(input json.RawMessage) json.RawMessage {
	o := payload.Of(input)
	if len(o.Members) == 0 {
		return nil
	}
	out := make(map[string]json.RawMessage, len(o.Members))
	for k, v := range o.Members {
		if known := members[k]; known != "" && o.Members[known] == nil {
			k = known
		}
		out[k] = v
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil
	}
	return text
}

// AsksLine describes a call: the command, the file, the site, the question.
func (Adapter) AsksLine(tool string, input json.RawMessage, cwd string) string {
	in := payload.Of(input)
	line := tool
	switch tool {
	case "Bash":
		line = in.Text("command")
	case "Write", "Edit", "MultiEdit":
		path := in.Text("file_path")
		if cwd != "" {
			path = strings.TrimPrefix(path, strings.TrimSuffix(cwd, "/")+"/")
		}
		line = strings.ToLower(tool) + " " + path
	case questionTool:
		line = questionText(input)
	default:
		if name, ok := strings.CutPrefix(tool, "mcp__"+api.MCPServer+"__"); ok {
			line = name + " (" + api.MCPServer + ")"
		} else if what := payload.ToolLine(input); what != "" {
			line += " " + what
		}
	}
	return agents.Visible(line, agents.MaxField)
}

// question is one question of the tool that asks.
type question struct {
	Text     string `json:"question"`
	Multiple bool   `json:"multiple"`
	Options  []struct {
		Label string `json:"label"`
	} `json:"options"`
}

// questions are the questions in the tool's input.
func questions(input json.RawMessage) []question {
	var in struct {
		Questions []question `json:"questions"`
	}
	if json.Unmarshal(input, &in) != nil {
		return nil
	}
	return in.Questions
}

// questionText is each question with its choices.
func questionText(input json.RawMessage) string {
	var list []string
	for _, q := range questions(input) {
		var labels []string
		for _, o := range q.Options {
			labels = append(labels, o.Label)
		}
		text := q.Text
		if len(labels) > 0 {
			text += " (" + strings.Join(labels, " / ") + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, " · ")
}

// DialogRequest describes a request that the server reported.
func (Adapter) DialogRequest(h agents.Hook) (api.Request, bool) {
	if h.Evidence.Kind != api.KindDialog || h.Tool == "" {
		return api.Request{}, false
	}
	r := api.Request{Tool: h.Tool, Input: h.FullInput, Kind: api.RequestPermission, Question: h.Question, CWD: h.CWD, Hook: h.Evidence.Name,
		Subagent: h.Evidence.Fields["agent_id"]}
	if h.Tool == questionTool {
		r.Kind = api.RequestQuestion
		list := questions(h.FullInput)
		if r.Questions = len(list); r.Questions == 1 {
			r.Multiple = list[0].Multiple
			for _, o := range list[0].Options {
				r.Choices = append(r.Choices, agents.Visible(o.Label, agents.MaxField))
			}
		}
	}
	return r, true
}

// PermissionReply is nothing: answers go over the line.
func (Adapter) PermissionReply(api.Decision) string { return "" }

// answers are the answers to questions as the server takes them: for each question the chosen
// labels, or free text. Nil if the text does not fit.
func answers(r api.Request, text string) [][]string {
	list, lines := questions(r.Input), strings.Split(text, "\n")
	switch {
	case len(list) == 0 || strings.TrimSpace(text) == "":
		return nil
	case len(list) == 1 && list[0].Multiple:
		return [][]string{lines}
	case len(list) == 1:
		return [][]string{{text}}
	case len(lines) != len(list):
		return nil
	}
	var out [][]string
	for _, line := range lines {
		out = append(out, []string{line})
	}
	return out
}

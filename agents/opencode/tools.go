package opencode

import (
	"encoding/json"
	"slices"
	"strings"

	"ccdir/agents"
	"ccdir/agents/payload"
	"ccdir/api"
)

// words are opencode's tools in ccdir's words, by which policies and people know them.
var words = payload.Words{
	"bash":      {Name: api.ToolBash, Dir: "workdir"},
	"edit":      {Name: api.ToolEdit, Members: members},
	"multiedit": {Name: api.ToolMultiEdit, Members: members},
	"write":     {Name: api.ToolWrite, Members: members},
	"read":      {Name: api.ToolRead, Members: members},
	"patch":     {Name: api.ToolPatch, Convert: payload.Patch("patchText")}, "apply_patch": {Name: api.ToolPatch, Convert: payload.Patch("patchText")},
	"glob": {Name: api.ToolGlob}, "grep": {Name: api.ToolGrep, Members: map[string]string{"include": "glob"}}, "list": {Name: api.ToolLS},
	"webfetch": {Name: api.ToolWebFetch}, "websearch": {Name: api.ToolWebSearch}, "task": {Name: api.ToolAgent}, "skill": {Name: api.ToolSkill, Members: map[string]string{"name": "skill"}},
	"question": {Name: api.ToolAsk}, "todowrite": {Name: api.ToolTodo}, "todoread": {Name: "TodoRead"},
}

// members are ccdir's names of members of inputs.
var members = map[string]string{"filePath": "file_path", "filepath": "file_path", "oldString": "old_string", "newString": "new_string", "replaceAll": "replace_all"}

// Call is a call of a tool in ccdir's words, with the directory that it names. Of the tools of
// servers (SERVER_TOOL) only ours are certain.
func Call(tool string, input json.RawMessage) (name string, in json.RawMessage, dir string) {
	if own, ok := strings.CutPrefix(tool, api.MCPServer+"_"); ok {
		tool = "mcp__" + api.MCPServer + "__" + own
	}
	return words.Call(tool, input)
}

// callOf is Call for showing; the input is nil for anything but an object.
func callOf(tool string, input json.RawMessage) (c call) {
	c.tool, c.input, c.dir = Call(tool, input)
	c.tool = agents.Visible(c.tool, agents.MaxField)
	if len(payload.Of(c.input).Members) == 0 {
		c.input = nil
	}
	return c
}

// AsksLine describes a call: the command, the file, the site, the question.
func (Adapter) AsksLine(tool string, input json.RawMessage, cwd string) string {
	in := payload.Of(input)
	line := tool
	switch tool {
	case api.ToolBash:
		line = in.Text("command")
	case api.ToolPatch:
		line = payload.ToolPhrase(tool, input)
	case api.ToolWrite, api.ToolEdit, api.ToolMultiEdit:
		path := in.Text("file_path")
		if cwd != "" {
			path = strings.TrimPrefix(path, strings.TrimSuffix(cwd, "/")+"/")
		}
		line = strings.ToLower(tool) + " " + path
	case api.ToolAsk:
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
	Text     string   `json:"question"`
	Multiple bool     `json:"multiple"`
	Options  []option `json:"options"`
}

// option is one of its choices.
type option struct {
	Label string `json:"label"`
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
	if h.Tool == api.ToolAsk {
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
	for i, line := range lines {
		out = append(out, list[i].taken(line))
	}
	return out
}

// taken are the options that a line names, with commas between those of a question that takes
// several; the line itself if it names anything else.
func (q question) taken(line string) []string {
	parts := strings.Split(line, ", ")
	for _, part := range parts {
		if !q.Multiple || !slices.ContainsFunc(q.Options, func(o option) bool { return o.Label == part }) {
			return []string{line}
		}
	}
	return parts
}

package claude

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"ccdir/agents"
	"ccdir/agents/payload"
)

// AsksLine knows Claude Code's own tools; of others it names the tool.
func (Adapter) AsksLine(tool string, input json.RawMessage, cwd string) string {
	if asked := askedQuestions(input); tool == "AskUserQuestion" && len(asked) > 0 {
		line := asked[0].text
		if len(asked) > 1 {
			line += " (and more)"
		}
		return agents.Visible(line, agents.MaxField)
	}
	in := payload.Of(input)
	switch tool {
	case "Bash":
		return agents.Visible(in.Text("command"), agents.MaxField)
	case "Edit", "MultiEdit", "NotebookEdit":
		return pathLine("edit ", in.Text("file_path")+in.Text("notebook_path"), cwd)
	case "Write":
		return pathLine("write ", in.Text("file_path"), cwd)
	case "Read":
		return pathLine("read ", in.Text("file_path"), cwd)
	case "WebFetch":
		return agents.Visible(in.Text("url"), agents.MaxField)
	case "ExitPlanMode":
		return planLine(in, input)
	}
	if server, name, ok := strings.Cut(strings.TrimPrefix(tool, "mcp__"), "__"); ok && strings.HasPrefix(tool, "mcp__") {
		return agents.Visible(name+" ("+server+")", agents.MaxField)
	}
	return agents.Visible(tool, agents.MaxField)
}

// planLine names a plan by what it says first.
func planLine(in payload.Object, input json.RawMessage) string {
	if strings.Trim(in.Text("plan"), "# \t\r\n") == "" {
		return "go on with its plan"
	}
	return agents.Visible("its plan: "+payload.ToolLine(input), agents.MaxField)
}

// pathLine is the verb with a path, "" without a path.
func pathLine(verb, path, cwd string) string {
	if path == "" {
		return ""
	}
	if rel, err := filepath.Rel(cwd, path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	return agents.Visible(verb+path, agents.MaxField)
}

package claude

import (
	"encoding/json"
	"testing"
)

func TestAsksLine(t *testing.T) {
	for _, tt := range []struct{ tool, input, want string }{
		{"Bash", `{"command":"rm -rf build && make","description":"d"}`, "rm -rf build && make"},
		{"Bash", `{"command":"a\nb"}`, "a⏎b"},
		{"Write", `{"file_path":"/p/docs/notes.md"}`, "write docs/notes.md"},
		{"Edit", `{"file_path":"/etc/hosts"}`, "edit /etc/hosts"},
		{"NotebookEdit", `{"notebook_path":"/p/a.ipynb"}`, "edit a.ipynb"},
		{"Edit", `{}`, ""},
		{"WebFetch", `{"url":"https://go.dev/x"}`, "https://go.dev/x"},
		{"AskUserQuestion", `{"questions":[{"question":"Which hash?","options":[{"label":"Yes"}],"multiSelect":false}]}`, "Which hash?"},
		{"AskUserQuestion", `{"questions":3}`, "AskUserQuestion"},
		{"ExitPlanMode", `{}`, "go on with its plan"}, {"ExitPlanMode", `{"plan":"\n# Do it\n\n1. x"}`, "its plan: Do it"},
		{"mcp__ccdir__send_task", `{}`, "send_task (ccdir)"},
		{"Odd", `null`, "Odd"},
		{"", ``, ""},
	} {
		if got := (Adapter{}).AsksLine(tt.tool, json.RawMessage(tt.input), "/p"); got != tt.want {
			t.Errorf("%s %s: %q instead of %q", tt.tool, tt.input, got, tt.want)
		}
	}
}

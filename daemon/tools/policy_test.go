package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"ccdir/mcpserver"
)

func TestAgentTool(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ tool, input, wantTool, want string }{
		{"bash", `{"command":"a | b"}`, "Bash", `{"command":"a | b"}`},
		{"run", `{"command":"git","args":["push","it's $X"],"env":{"A":"b c"}}`, "Bash", `{"command":"A='b c' git push 'it'\\''s $X'"}`},
		{"run", `{"command":"git","args":["push"],"env":{"ls #":"","A":"b","C=D":"x"}}`, "Bash", `{"command":"A=b env 'C=D=x' 'ls #=' git push"}`},
		{"read", `{"path":"x"}`, "Read", `{"file_path":"/d/x"}`},
		{"read", `{"path":"/e/x"}`, "Read", `{"file_path":"/e/x"}`},
		{"list", `{}`, "LS", `{"path":"/d"}`},
		{"search", `{"pattern":"p","path":"../x"}`, "Grep", `{"path":"/x","pattern":"p"}`},
		// The glob only narrows: the tool itself leaves out each file that a rule denies.
		{"search", `{"pattern":"p","glob":"**"}`, "Grep", `{"path":"/d","pattern":"p"}`},
		{"write", `{"path":"x","content":"c"}`, "Write", `{"content":"c","file_path":"/d/x"}`},
		{"compile", `{}`, "", ""},
		{"bash", `[]`, "", ""},
	} {
		tool, input := agentTool(mcpserver.Use{Tool: tt.tool, Input: json.RawMessage(tt.input)}, "/d")
		if tool != tt.wantTool || string(input) != tt.want {
			t.Errorf("%s %s: %s %s, want %s %s", tt.tool, tt.input, tool, input, tt.wantTool, tt.want)
		}
	}
}

// TestGitTools: rules about commands of git and gh count for the tools that do the same.
func TestGitTools(t *testing.T) {
	for call, want := range map[string]string{
		`git_status {}`: "git status",
		`git_diff {"scope":"staged","paths":["a b"]}`: "git diff --staged -- 'a b'",
		`git_log {"revision":"main..x"}`:              "git log main..x",
		`git_blame {"path":"a.go"}`:                   "git blame -- a.go",
		`issue_view {"number":4}`:                     "gh issue view 4",
		`pr_view {"branch":"$(x)"}`:                   "gh pr view '$(x)'",
	} {
		name, input, _ := strings.Cut(call, " ")
		tool, got := agentTool(mcpserver.Use{Tool: name, Input: json.RawMessage(input)}, "/d")
		var in struct{ Command string }
		if err := json.Unmarshal(got, &in); err != nil || tool != "Bash" || in.Command != want {
			t.Errorf("%s: got %s %q, want %q", call, tool, in.Command, want)
		}
	}
}

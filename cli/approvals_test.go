package cli

import (
	"encoding/json"
	"testing"

	"ccdir/api"
)

// TestRequestText: of the agent's own tools what counts is shown, of other tools all.
func TestRequestText(t *testing.T) {
	for _, c := range []struct{ tool, input, want string }{
		{"Bash", `{"description":"list","command":"ls"}`, "ls"},
		{"Write", `{"file_path":"/a","content":"x"}`, "/a"},
		{"mcp__x__run", `{"command":"ls","script":"rm -rf /"}`, `{"command":"ls","script":"rm -rf /"}`},
	} {
		if got := requestText(api.Request{Tool: c.tool, Input: json.RawMessage(c.input)}); got != c.want {
			t.Errorf("%s %s: %q", c.tool, c.input, got)
		}
	}
}

package policy

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
		{"Patch", `{"files":[{"path":"a.go","change":"update","move_to":"b.go","edits":[{"old_string":"x\none\n","new_string":"x\ntwo\nthree\n"}]},{"path":".env","change":"add","edits":[{"old_string":"","new_string":"K=1\n"}]},{"path":"c","change":"delete"}]}`,
			"update a.go → b.go +2 -1, add .env +1, delete c"},
		{"Patch", `{"text":"no patch"}`, `{"text":"no patch"}`},
		{"mcp__x__run", `{"command":"ls","script":"rm -rf /"}`, `{"command":"ls","script":"rm -rf /"}`},
	} {
		if got := requestText(api.Request{Tool: c.tool, Input: json.RawMessage(c.input)}); got != c.want {
			t.Errorf("%s %s: %q", c.tool, c.input, got)
		}
	}
}

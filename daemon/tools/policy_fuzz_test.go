package tools

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/mcpserver"
)

// FuzzAgentTool: a call of ours is judged as the agent's own tool that does the same:
// the command that runs and the file that is touched are in what the policy sees.
func FuzzAgentTool(f *testing.F) {
	for _, seed := range [][2]string{{"bash", `{"command":"ls -la"}`}, {"run", `{"command":"make","args":["-C","x y"],"env":{"A":"b"},"project_path":"/p"}`}, {"read", `{"path":"a/../b"}`},
		{"write", `{"path":"/x","content":"y"}`}, {"edit", `{"path":"x","old_string":"a","new_string":"b"}`}, {"search", `{"pattern":"x"}`}, {"list", `{}`}, {"bash", `{"command":1}`}, {"other", `{}`}} {
		f.Add(seed[0], []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, name string, input []byte) {
		use := mcpserver.Use{Tool: name, Input: input}
		tool, as := agentTool(use, "/work")
		if !filepath.IsAbs(workDir(use, "/work")) {
			t.Errorf("%s %q runs in %q", name, input, workDir(use, "/work"))
		}
		if tool == "" {
			return
		}
		var in, out map[string]any
		if json.Unmarshal(as, &out) != nil || json.Unmarshal(input, &in) != nil {
			t.Fatalf("%s %q is judged as %s %q", name, input, tool, as)
		}
		switch command, text := in["command"].(string); {
		case name == "bash" && text && out["command"] != strings.ToValidUTF8(command, "\ufffd"):
			if len(in) == 1 { // other members may stand for the same one, and then the tool refuses
				t.Errorf("%q is judged as %v", input, out)
			}
		case tool == "Read" || tool == "Write" || tool == "Edit":
			if path, _ := out["file_path"].(string); !filepath.IsAbs(path) {
				t.Errorf("%q is judged as %v", input, out)
			}
		}
	})
}

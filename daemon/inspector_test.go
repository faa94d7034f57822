//go:build conformance

package daemon

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
)

// TestInspector: the MCP inspector's command line, whose program
// CCDIR_INSPECTOR names, lists and calls through the bridge of a session.
func TestInspector(t *testing.T) {
	t.Parallel()
	program := os.Getenv("CCDIR_INSPECTOR")
	if program == "" {
		t.Fatal("CCDIR_INSPECTOR is not set: run make conformance")
	}
	p := newPlace(t)
	p.run()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "a.go": "package m\n\nfunc F() int { return \"x\" }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := p.create(api.NewSession{Name: "one", Argv: sh("exec sleep 1000"), CWD: dir, Env: os.Environ()})
	inspect := func(args ...string) map[string]json.RawMessage {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, append([]string{"--cli", shimPath, "mcp",
			"-e", "CCDIR_SOCKET=" + p.paths.Socket(), "-e", "CCDIR_SESSION=" + s.ID, "-e", "CCDIR_TOKEN=" + p.token(s)}, args...)...)
		out, err := cmd.Output()
		res := map[string]json.RawMessage{}
		if err != nil || json.Unmarshal(out, &res) != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return res
	}
	var tools []struct{ Name string }
	if err := json.Unmarshal(inspect("--method", "tools/list")["tools"], &tools); err != nil || len(tools) < 20 {
		t.Errorf("%d tools: %v", len(tools), err)
	}
	t.Logf("the inspector lists %d tools", len(tools))
	res := inspect("--method", "tools/call", "--tool-name", "compile")
	if !strings.Contains(string(res["structuredContent"]), `"a.go"`) {
		t.Errorf("compile: %s", res["structuredContent"])
	}
}

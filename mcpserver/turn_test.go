package mcpserver

import (
	"os/exec"
	"strings"
	"testing"

	"ccdir/api"
)

// TestSinceTurn: tests and diagnostics only of what the agent's turn changed.
func TestSinceTurn(t *testing.T) {
	dir := grow(t, map[string]string{"go.mod": "module m\n\ngo 1.26\n", "a/a.go": "package a\n", "a/a_test.go": "package a\nimport \"testing\"\nfunc TestA(t *testing.T) {}\n",
		"b/b.go": "package b\n", "b/b_test.go": "package b\nimport \"testing\"\nfunc TestB(t *testing.T) { t.Error(\"no\") }\n",
		".ccdir.toml": "[commands.lint]\nrun = ['printf', 'a/a.go:1:1: error: mine\\nb/b.go:1:1: error: old\\n']\ndecoder = 'gcc'\n"})
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git: %s", out)
		}
	}
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("commit", "-qm", "all")
	f := &fakes{}
	c := connect(t, New(Options{LogDir: t.TempDir(), Control: f.control()}), Caller{Session: "s1", Role: api.RoleDev, Dir: dir, Env: environ()})
	f.reviews.root = dir
	if res := result(t, c.call("lint", map[string]any{"since": "turn"})); len(res.Errors) != 0 || !strings.Contains(res.Summary, "no file has changed") {
		t.Errorf("nothing changed: %+v", res)
	}
	f.reviews.turn.Files = []api.ReviewFile{{Path: "a/a.go", Status: api.FileChanged}}
	if res := result(t, c.call("lint", map[string]any{"since": "turn"})); len(res.Errors) != 1 || res.Errors[0].Message != "mine" || !strings.Contains(res.Summary, "1 diagnostics in files that your turn has not changed") {
		t.Errorf("lint: %+v", res)
	}
	if res := result(t, c.call("test", map[string]any{"since": "turn"})); res.Status != "ok" || !strings.HasSuffix(res.Command, " ./a") {
		t.Errorf("test: %+v", res)
	}
	if res := c.call("test", map[string]any{"since": "yesterday"}); !res.IsError {
		t.Errorf("%+v", res)
	}
}

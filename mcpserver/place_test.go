package mcpserver

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// grow writes files below a new directory.
func grow(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestProjectAbove: a directory without a project of its own is a part of the one above,
// as far as that is allowed.
func TestProjectAbove(t *testing.T) {
	dir := grow(t, map[string]string{"go.mod": "module m\n\ngo 1.26\n", "a/b/b.go": "package b\n\nfunc F() int { return \"x\" }\n",
		"c/c.go": "package c\n", "c/c_test.go": "package c\n\nimport \"testing\"\n\nfunc TestC(t *testing.T) { t.Error(\"no\") }\n", "repo/.git/HEAD": ""})
	c := dial(t, Options{}, Caller{Dir: dir})
	c.initialize()
	res := result(t, c.call("compile", map[string]any{"project_path": filepath.Join(dir, "a", "b")}))
	if res.Status != "failed" || res.Dir != dir || len(res.Errors) != 1 || res.Errors[0].File != "a/b/b.go" {
		t.Errorf("%+v", res)
	}
	res = result(t, c.call("test", map[string]any{"project_path": filepath.Join(dir, "c")}))
	if res.Tests == nil || res.Tests.Failed != 1 || len(res.Errors) != 0 || res.Tests.Failures[0].File != "c/c_test.go" {
		t.Errorf("the tests of a part: %+v", res)
	}
	res = result(t, c.call("test", map[string]any{"project_path": filepath.Join(dir, "a"), "path": "../c"}))
	if res.Tests == nil || res.Tests.Failed != 1 {
		t.Errorf("a path from the part: %+v", res)
	}
	res = result(t, c.call("test", map[string]any{"path": "c", "max_failures": 3}))
	if !strings.Contains(res.Summary, "max_failures not taken") {
		t.Errorf("an option that does nothing: %s", res.Summary)
	}
	if r := c.call("compile", map[string]any{"project_path": filepath.Join(dir, "repo")}); !r.IsError || !strings.Contains(r.Content[0].Text, "no command for compile") {
		t.Errorf("another repository: %+v", r)
	}
	inner := dial(t, Options{}, Caller{Dir: filepath.Join(dir, "a")})
	inner.initialize()
	if r := inner.call("compile", map[string]any{}); !r.IsError || !strings.Contains(r.Content[0].Text, "no command for compile") {
		t.Errorf("above what is allowed: %+v", r)
	}
}

// TestNothingLeftBehind: to compile a program does not leave it in the directory.
func TestNothingLeftBehind(t *testing.T) {
	dir := grow(t, map[string]string{"go.mod": "module prog\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() {}\n"})
	c := dial(t, Options{}, Caller{Dir: dir})
	c.initialize()
	if res := result(t, c.call("compile", map[string]any{})); res.Status != "ok" {
		t.Errorf("%+v", res)
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("there are %v", left)
	}
}

// TestTestsInside: only tests inside of the allowed directories are run.
func TestTestsInside(t *testing.T) {
	out := grow(t, map[string]string{"test_x.py": "open('ran', 'w')\n"})
	dir := grow(t, map[string]string{"setup.py": ""})
	if err := os.Symlink(out, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	c := dial(t, Options{}, Caller{Dir: dir})
	c.initialize()
	for _, path := range []string{out, filepath.Join(out, "test_x.py") + "::test", "../" + filepath.Base(filepath.Dir(out)), "link", "link/test_x.py", "x/../../y"} {
		if r := c.call("test", map[string]any{"path": path}); !r.IsError || !strings.Contains(r.Content[0].Text, "allowed director") {
			t.Errorf("%s: %+v", path, r)
		}
	}
	for _, env := range []map[string]string{{"": "x"}, {"A=B": "x"}, {"A": "x\x00"}, {"A\x00": ""}} {
		if r := c.call("run", map[string]any{"command": "true", "env": env}); !r.IsError || !strings.Contains(r.Content[0].Text, `argument "env"`) {
			t.Errorf("%q: %+v", env, r)
		}
	}
}

// TestLogInUse: the log of a command that runs is not removed for others', and so its
// diagnostics are not lost.
func TestLogInUse(t *testing.T) {
	dir := grow(t, map[string]string{".ccdir.toml": "[commands.lint]\nrun = ['sh', '-c', 'echo \"a.x:7: odd\"; touch up; while ! [ -e go ]; do sleep 0.01; done; exit 1']\n"})
	logs := Options{LogDir: t.TempDir(), KeepLogs: func() int { return 1 }}
	s := New(logs)
	c := connect(t, s, Caller{Session: "s1", Role: "dev", Dir: dir, Env: environ()})
	c.send(`{"jsonrpc":"2.0","id":90,"method":"tools/call","params":{"name":"lint","arguments":{}}}`)
	waitFor(t, filepath.Join(dir, "up"))
	other := connect(t, s, Caller{Session: "s2", Role: "dev", Dir: dir, Env: environ()})
	for _, command := range []string{"true", "true", "touch go"} {
		ran(t, other.call("bash", map[string]any{"command": command}))
	}
	var r callResult
	if err := json.Unmarshal(c.receive().Result, &r); err != nil {
		t.Fatal(err)
	}
	if res := result(t, r); len(res.Errors) != 1 || res.Errors[0].Line != 7 {
		t.Errorf("%+v", res)
	}
	if left, _ := os.ReadDir(logs.LogDir); len(left) != 1 {
		t.Errorf("%d logs are left", len(left))
	}
}

// TestReports: reports of a run are found also in a directory whose name would be a
// pattern, and only those inside the project.
func TestReports(t *testing.T) {
	top := grow(t, map[string]string{"app[1]*/.ccdir.toml": "[commands.test]\nrun=['sh','-c','mkdir -p out; cp r.xml out/r.xml; cp r.xml ../r.xml; exit 1']\nreports=['out/*.xml','../*.xml']\n",
		"app[1]*/r.xml": `<testsuite><testcase name="a"><failure/></testcase></testsuite>`})
	c := dial(t, Options{}, Caller{Dir: filepath.Join(top, "app[1]*")})
	c.initialize()
	if res := result(t, c.call("test", map[string]any{})); res.Tests == nil || res.Tests.Failed != 1 {
		t.Errorf("%+v", res)
	}
}

package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"ccdir/api"
)

// waitFor waits for a file that another process makes.
func waitFor(t *testing.T, file string) {
	t.Helper()
	for until := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("%s does not come", file)
		}
	}
}

// outputs are the compiled output schemas of all tools.
func outputs(t *testing.T, s *Server) map[string]*jsonschema.Schema {
	t.Helper()
	all := map[string]*jsonschema.Schema{}
	for _, tool := range s.Tools() {
		raw, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		var d struct{ OutputSchema json.RawMessage }
		if err := json.Unmarshal(raw, &d); err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(d.OutputSchema))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource(tool.Name, doc); err != nil {
			t.Fatal(err)
		}
		if all[tool.Name], err = c.Compile(tool.Name); err != nil {
			t.Errorf("%s: %v", tool.Name, err)
		}
	}
	return all
}

// TestOutputsFitSchemas: what each tool returns is what its output schema says, empty or
// full.
func TestOutputsFitSchemas(t *testing.T) {
	dir := grow(t, map[string]string{"go.mod": "module m\n", "a.go": "package m\nfunc F() { x }\n", "empty/x": "", "package.json": `{"scripts":{"a":"b"}}`,
		"t/.ccdir.toml": "[commands.test]\nrun=['cat','r.xml']\ndecoder='junit'\n[commands.format]\nrun=['true']\n[commands.type_check]\nrun=['no-such-program']\n",
		"t/r.xml":       `<testsuite><testcase name="a"><failure/></testcase><testcase name="b"><skipped/></testcase></testsuite>`})
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "all"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git: %s", out)
		}
	}
	f := &fakes{}
	f.reviews.root, f.reviews.turn.Files = dir, []api.ReviewFile{{Path: "a.go", Status: api.FileAdded}}
	s := New(Options{LogDir: t.TempDir(), Control: f.control()})
	schemas := outputs(t, s)
	c := connect(t, s, Caller{Session: "s1", Role: api.RoleLead, Dir: dir, Env: environ()})
	in := fmt.Sprintf(`{"project_path":%q`, filepath.Join(dir, "t"))
	left := map[string]bool{}
	for name := range schemas {
		left[name] = true
	}
	for _, call := range []struct{ tool, args string }{
		{"project_info", `{}`}, {"project_info", fmt.Sprintf(`{"project_path":%q}`, filepath.Join(dir, "empty"))}, {"compile", `{}`}, {"lint", `{}`},
		{"test", in + `}`}, {"type_check", in + `}`}, {"format", in + `,"write":true}`}, {"format", `{}`}, {"run", `{"command":"no-such-program"}`}, {"run", `{"command":"true"}`},
		{"bash", `{"command":"echo x; exit 1"}`}, {"run_output", `{"id":"run1"}`}, {"run_stop", `{"id":"run1"}`}, {"run_list", `{"all":true}`}, {"read", `{"path":"a.go"}`}, {"read", `{"path":"empty/x"}`}, {"write", `{"path":"n","content":"x"}`},
		{"edit", `{"path":"n","old_string":"x","new_string":"y"}`}, {"list", `{}`}, {"list", `{"glob":"nothing"}`}, {"search", `{"pattern":"F"}`}, {"search", `{"pattern":"nothing here"}`},
		{"sessions_list", `{}`}, {"sessions_list", `{"state":"idle"}`}, {"session_output", `{"session":"two"}`}, {"session_wait", `{"session":"two","states":["working"]}`},
		{"session_spawn", `{}`}, {"session_send", `{"session":"two","text":"x"}`}, {"session_stop", `{"session":"two"}`}, {"report_progress", `{"text":""}`},
		{"task_add", `{"prompt":"x"}`}, {"task_list", `{}`}, {"task_result", `{"task":"t1"}`}, {"message_send", `{"to":"two","text":"x"}`}, {"message_inbox", `{}`},
		{"message_ack", `{"ids":[]}`}, {"ask_person", `{"question":"?"}`}, {"past_results", `{}`},
		{"git_status", `{}`}, {"git_diff", `{}`}, {"git_diff", `{"scope":"turn"}`}, {"git_log", `{}`}, {"git_blame", `{"path":"a.go"}`}, {"issue_view", `{"number":1}`}, {"pr_view", `{}`},
		{"review_comments", `{}`}, {"review_reply", `{"id":"c2","text":"x"}`}, {"review_add", `{"session":"two","path":"a.go","text":"x"}`},
		{"docs_lookup", `{"query":"x"}`}, {"docs_read", `{"id":"go:std@go1.26#1"}`},
	} {
		r := c.call(call.tool, json.RawMessage(call.args))
		if r.IsError {
			t.Errorf("%s %s: %s", call.tool, call.args, r.Content[0].Text)
			continue
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(r.StructuredContent))
		if err != nil {
			t.Fatal(err)
		}
		if err := schemas[call.tool].Validate(doc); err != nil {
			t.Errorf("%s %s: %v\n%s", call.tool, call.args, err, r.StructuredContent)
		}
		delete(left, call.tool)
	}
	if len(left) > 0 {
		t.Errorf("not called: %v", left)
	}
}

// slowDecider allows when it has been told to.
type slowDecider chan struct{}

func (d slowDecider) Decide(ctx context.Context, _ Caller, use Use) Decision {
	select {
	case <-d:
	case <-ctx.Done():
	}
	return Decision{Allow: true}
}

// TestProgressWhileWaiting: a call that waits for a person's permission tells that it is
// alive, and its progress only grows.
func TestProgressWhileWaiting(t *testing.T) {
	decide := make(slowDecider)
	dir := t.TempDir()
	c := dial(t, Options{Decider: decide}, Caller{Role: "dev", Dir: dir})
	c.initialize()
	allowed := false
	c.told = func(note string) {
		switch {
		case strings.Contains(note, "waits for permission") && !allowed:
			allowed = true
			close(decide)
		case strings.Contains(note, "step"):
			_ = os.WriteFile(filepath.Join(dir, "go"), nil, 0o600)
		}
	}
	if res := ran(t, c.call("bash", map[string]any{"command": "echo step; while ! [ -e go ]; do sleep 0.02; done"})); res.Status != "ok" || !allowed {
		t.Errorf("%+v", res)
	}
	last := -1.0
	for _, note := range c.notes {
		var n struct{ Params struct{ Progress float64 } }
		if err := json.Unmarshal([]byte(note), &n); err != nil || n.Params.Progress <= last {
			t.Errorf("progress %v after %v, %v", n.Params.Progress, last, err)
		}
		last = n.Params.Progress
	}
}

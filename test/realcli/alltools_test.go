package realcli

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/test/fakeapi"
)

// toolStep is a call of a tool, and what must reach the model. ID in the input is replaced by
// what the pattern found in the results before.
type toolStep struct {
	tool  string
	input map[string]any
	want  string
	find  string
}

// projectSteps and leadSteps use each tool that no other scenario does.
var projectSteps = []toolStep{
	{tool: "project_info", input: map[string]any{}, want: `"name":"example.org/app"`},
	{tool: "format", input: map[string]any{}, want: `"status":"ok"`},
	{tool: "lint", input: map[string]any{}, want: `"status":"ok"`},
	{tool: "type_check", input: map[string]any{}, want: `"status":"ok"`},
	{tool: "docs_lookup", input: map[string]any{"query": "zebra installer", "ecosystem": "project"}, want: `"symbol":"Install"`, find: `"id":"(project:[^"]+)"`},
	{tool: "docs_read", input: map[string]any{"id": "ID"}, want: `It takes a minute`},
	{tool: "git_status", input: map[string]any{}, want: `"branch":"main"`},
	{tool: "write", input: map[string]any{"path": "new.txt", "content": "quagga\n"}, want: `"hash"`},
	{tool: "edit", input: map[string]any{"path": "new.txt", "old_string": "quagga", "new_string": "okapi"}, want: `"hash"`},
	{tool: "read", input: map[string]any{"path": "new.txt"}, want: `okapi`},
	{tool: "list", input: map[string]any{}, want: `new.txt`},
	{tool: "search", input: map[string]any{"pattern": "okapi"}, want: `new.txt`},
	{tool: "git_diff", input: map[string]any{"scope": "turn"}, want: `"path":"new.txt","old":"","status":"added"`},
	{tool: "git_log", input: map[string]any{}, want: `"subject":"first"`},
	{tool: "git_blame", input: map[string]any{"path": "a.go"}, want: `"text":"package app"`},
	{tool: "issue_view", input: map[string]any{"number": 4}, want: `"title":"Broken zebra"`},
	{tool: "pr_view", input: map[string]any{}, want: `"known":true,"pull_request":{"number":7`},
	{tool: "test", input: map[string]any{"since": "turn"}, want: `"status":"no_tests"`},
	{tool: "bash", input: map[string]any{"command": "echo out; sleep 600", "background": true}, want: `"status":"running"`},
	{tool: "run_output", input: map[string]any{"id": "run1", "wait_seconds": 10}, want: `out\n`},
	{tool: "run_list", input: map[string]any{}, want: `"id":"run1"`},
	{tool: "run_stop", input: map[string]any{"id": "run1"}, want: `"status":"cancelled"`},
	{tool: "past_results", input: map[string]any{"tool": "lint"}, want: `"tool":"lint"`},
}

var leadSteps = []toolStep{
	{tool: "session_spawn", input: map[string]any{"agent": "demo", "name": "w", "prompts": []string{"one", "two"}}, want: `"name":"w-2"`},
	{tool: "sessions_list", input: map[string]any{}, want: `"name":"w-1"`},
	{tool: "session_output", input: map[string]any{"session": "w-1"}, want: `"name":"w-1"`},
	{tool: "session_wait", input: map[string]any{"session": "w-1", "states": []string{"idle", "waiting_for_input", "waiting_for_permission", "working"}}, want: `"reached":true`},
	{tool: "message_send", input: map[string]any{"to": "@dev", "text": "to all"}, want: `"sent":[{"id":`},
	{tool: "message_inbox", input: map[string]any{}, want: `"messages":[]`},
	{tool: "message_ack", input: map[string]any{"ids": []int{1}}, want: `"acked":0`},
	{tool: "session_stop", input: map[string]any{"session": "w-1", "force": true}, want: `"name":"w-1"`},
	{tool: "session_stop", input: map[string]any{"session": "w-2", "force": true}, want: `"name":"w-2"`},
	{tool: "task_add", input: map[string]any{"prompt": "later", "name": "later"}, want: `"name":"later"`},
	{tool: "task_list", input: map[string]any{}, want: `"name":"later"`},
	{tool: "task_result", input: map[string]any{"task": "later"}, want: `"name":"later"`},
}

// watchSteps have the compiler, then the tests, run again whenever a file changes.
var watchSteps = []toolStep{
	{tool: "compile", input: map[string]any{"watch": true}, want: `"status":"ok"`, find: `"watch":"(run\d+)"`},
	{tool: "write", input: map[string]any{"path": "f.go", "content": "package app\n\nfunc F() int { return \"x\" }\n"}, want: `"hash"`},
	{tool: "run_output", input: map[string]any{"id": "ID", "wait_seconds": 120}, want: `"file":"f.go","line":3`},
	{tool: "edit", input: map[string]any{"path": "f.go", "old_string": `"x"`, "new_string": "1"}, want: `"hash"`},
	{tool: "run_output", input: map[string]any{"id": "ID", "wait_seconds": 120}, want: `after changes of f.go`},
	{tool: "run_stop", input: map[string]any{"id": "ID"}, want: `the watch was stopped`},
	{tool: "test", input: map[string]any{"watch": true}, want: `"status":"no_tests"`, find: `"watch":"(run\d+)"`},
	{tool: "write", input: map[string]any{"path": "f_test.go", "content": "package app\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {\n\tif F() != 2 {\n\t\tt.Error(\"not two\")\n\t}\n}\n"}, want: `"hash"`},
	{tool: "run_output", input: map[string]any{"id": "ID", "wait_seconds": 120}, want: `"message":"not two"`},
	{tool: "edit", input: map[string]any{"path": "f.go", "old_string": "1", "new_string": "2"}, want: `"hash"`},
	{tool: "run_output", input: map[string]any{"id": "ID", "wait_seconds": 120}, want: `"status":"ok"`},
	{tool: "run_stop", input: map[string]any{"id": "ID"}, want: `the watch was stopped`},
	{tool: "run_list", input: map[string]any{}, want: `"runs":[]`},
}

// toolScript plays the steps in one turn, and notes what did not come.
type toolScript struct {
	steps  []toolStep
	mu     sync.Mutex
	next   int
	found  string
	faults []string
}

func (s *toolScript) reply(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !r.Main() || !slices.Contains(r.Tools, "mcp__ccdir__past_results") && s.next == 0 {
		return fakeapi.Echo(ctx, r)
	}
	if s.next > 0 && s.next <= len(s.steps) {
		step, got := s.steps[s.next-1], ""
		for _, text := range r.Results {
			got += text
		}
		if !strings.Contains(got, step.want) {
			s.faults = append(s.faults, step.tool+" brought no "+step.want+": "+got[:min(len(got), 1500)])
		}
		if step.find != "" {
			if m := regexp.MustCompile(step.find).FindStringSubmatch(got); m != nil {
				s.found = m[1]
			}
		}
	}
	if s.next++; s.next > len(s.steps) {
		return fakeapi.Text("Done.")
	}
	step := s.steps[s.next-1]
	if step.input["id"] == "ID" {
		step.input = maps.Clone(step.input)
		step.input["id"] = s.found
	}
	return fakeapi.Tool("mcp__ccdir__"+step.tool, step.input)
}

// TestProjectTools, TestLeadTools and TestWatchTools: the real CLI uses the tools of a lead over
// the bridge, and what they bring reaches the model.
func TestProjectTools(t *testing.T) {
	t.Parallel()
	playTools(t, projectSteps)
}

func TestLeadTools(t *testing.T) {
	t.Parallel()
	playTools(t, leadSteps)
}

func TestWatchTools(t *testing.T) {
	t.Parallel()
	playTools(t, watchSteps)
}

func playTools(t *testing.T, steps []toolStep) {
	t.Helper()
	s := &toolScript{steps: steps}
	const rules = "[roles.lead]\nallow = [\"mcp__ccdir__*\", \"Bash(git *)\", \"Bash(gh *)\", \"Bash(echo *)\", \"Bash(sleep *)\"]\n"
	ctx, p := policed(t, "default", rules, fakeapi.Connected(s.reply))
	bin := t.TempDir()
	gh := "#!/bin/sh\ncase \"$1 $2\" in\n'pr view') echo '{\"number\":7,\"url\":\"u\",\"title\":\"t\",\"state\":\"OPEN\"}';;\n'issue view') echo '{\"title\":\"Broken zebra\",\"body\":\"b\",\"url\":\"u\"}';;\nesac\n"
	for name, text := range map[string]string{filepath.Join(bin, "gh"): gh, "go.mod": "module example.org/app\n\ngo 1.24\n", "a.go": "package app\n", "README.md": "# App\n\n## Install\n\nRun the zebra installer.\n\nIt takes a minute.\n"} {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Place.CWD, name)
		}
		if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"remote", "add", "origin", "https://github.com/x/y"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"}} {
		if out, err := exec.Command("git", append([]string{"-C", p.Place.CWD}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git: %s", out)
		}
	}
	for _, kv := range p.Env {
		if path, ok := strings.CutPrefix(kv, "PATH="); ok {
			p.Env = agents.SetEnv(p.Env, "PATH="+bin+string(os.PathListSeparator)+path, "GOCACHE="+goCache(t))
			break
		}
	}
	p.Run(ctx, "task", "mode", "manual")
	id := p.New(ctx, "--role", "lead")
	for begun, after := false, int64(0); !begun; { // until the CLI has connected the bridge
		p.State(ctx, id, api.StateIdle)
		p.Run(ctx, "send", id, "go")
		after = p.Event(ctx, id, after, "Stop", hookEvent("Stop")).Seq
		s.mu.Lock()
		begun = s.next > 0
		s.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		t.Error(f)
	}
	if s.next != len(s.steps)+1 {
		t.Errorf("only %d of %d steps were taken\n%s", s.next-1, len(s.steps), p.Dump())
	}
}

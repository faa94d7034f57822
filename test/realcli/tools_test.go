package realcli

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/client"
	"ccdir/policy"
	"ccdir/test/fakeapi"
	"ccdir/test/programs"
)

// ownServer adds an MCP server to the user's own configuration.
func ownServer(t *testing.T, place Place, name, command string, args ...string) {
	t.Helper()
	file := filepath.Join(place.Config, ".claude.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc := map[string]any{}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	doc["mcpServers"] = map[string]any{name: map[string]any{"type": "stdio", "command": command, "args": args, "alwaysLoad": true}}
	if data, err = json.Marshal(doc); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestTools: the real CLI has the tools of its session without a dialog, beside
// the servers that the user configured; compile and test on a broken Go module
// bring the diagnostics to the model.
func TestTools(t *testing.T) {
	t.Parallel()
	Claude(t)
	place := Home(t, "")
	for name, text := range map[string]string{
		"go.mod":        "module broken\n\ngo 1.26\n",
		"a.go":          "package broken\n\nfunc F() int { return \"x\" }\n",
		"sub/b.go":      "package sub\n\nfunc G() int { return 1 }\n",
		"sub/b_test.go": "package sub\n\nimport \"testing\"\n\nfunc TestG(t *testing.T) {\n\tif G() != 2 {\n\t\tt.Error(\"not two\")\n\t}\n}\n",
	} {
		file := filepath.Join(place.CWD, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	fake := fakeapi.New(fakeapi.Connected(fakeapi.Turns(
		fakeapi.Tool("mcp__ccdir__compile", map[string]any{}),
		fakeapi.Tool("mcp__ccdir__test", map[string]any{"path": "./sub"}),
		fakeapi.Tool("mcp__ccdir__report_progress", map[string]any{"text": "fixing"}),
		fakeapi.Tool("mcp__ccdir__ask_person", map[string]any{"question": "Which number?", "choices": []string{"one", "two"}}),
	)))
	defer fake.Close()
	place.Env = agents.SetEnv(place.Env, "GOCACHE="+goCache(t), "ANTHROPIC_BASE_URL="+fake.URL())
	ownServer(t, place, "own", filepath.Join(programsDir, programs.Shim), "mcp")
	ctx := limit(t)
	p := Install(t, place)
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "go")

	r, _ := p.Request(ctx, id, 0)
	if r.Tool != "ask_person" || r.Origin != api.OriginMCP || r.Question != "Which number?" {
		t.Fatalf("the open request is %+v\n%s", r, p.Dump())
	}
	p.State(ctx, id, api.StateInput)
	if s := p.Show(ctx, id); s.Progress != "fixing" || s.Question != "Which number?" || s.AnswerInPane {
		t.Errorf("%+v", s)
	}
	p.Run(ctx, "answer", r.ID, "two")
	p.Event(ctx, id, 0, "Stop", hookEvent("Stop"))
	p.State(ctx, id, api.StateIdle)

	wanted := []string{
		`"file":"a.go","line":3,"column":23`, `"name":"broken/sub TestG","file":"sub/b_test.go","line":7,"message":"not two"`, `not two`, `{"ok":true}`, `"answer":"two","by":"person"`,
	}
	var results strings.Builder
	for _, q := range fake.Requests() {
		for _, text := range q.Results {
			results.WriteString(text + "\n")
		}
		if q.Main() && !slices.Contains(q.Tools, "mcp__own__compile") {
			t.Errorf("the user's own server is gone: %v", q.Tools)
		}
	}
	for _, part := range wanted {
		if !strings.Contains(results.String(), part) {
			t.Errorf("%s did not reach the model: %s", part, results.String())
		}
	}
	ids := map[string]bool{}
	calls, err := p.Client.Events(ctx, client.EventFilter{Session: id, Type: api.EventMCPCall, Since: -1})
	if err != nil || len(calls) != 4 {
		t.Fatalf("calls %v, %v", calls, err)
	}
	for _, e := range calls {
		var call api.ToolCall
		if err := json.Unmarshal(e.Data, &call); err != nil || call.ToolUseID == "" || ids[call.ToolUseID] {
			t.Errorf("%s %v", e.Data, err)
		}
		ids[call.ToolUseID] = true
	}
	// The hooks of the same calls name them alike.
	hooks, err := p.Client.Events(ctx, client.EventFilter{Session: id, Type: "PreToolUse", Since: -1})
	if err != nil || len(hooks) < 4 {
		t.Fatalf("hooks %v, %v", hooks, err)
	}
	for _, e := range hooks {
		var payload struct {
			ID string `json:"tool_use_id"`
		}
		if err := json.Unmarshal(e.Data, &payload); err != nil || !ids[payload.ID] {
			t.Errorf("no call goes with %s", e.Data)
		}
	}
	var dialogs []api.Event
	if dialogs, err = p.Client.Events(ctx, client.EventFilter{Session: id, Type: "PermissionRequest", Since: -1}); err != nil || len(dialogs) > 0 {
		t.Errorf("dialogs: %v, %v", dialogs, err)
	}
}

// alwaysAsked are tools that the policy treats as unknown ones, on purpose: a call takes the agent to
// another tree of files, or removes one.
var alwaysAsked = []string{"EnterWorktree", "ExitWorktree"}

// deferredTools matches the list of the tools whose schemas the model must ask for.
var deferredTools = regexp.MustCompile(`deferred tools are now available.*?before calling them:((?:\\n\w+)+)`)

// TestToolsAreKnown: the policy knows each tool that either version of Claude Code offers to its model,
// at once or when the model asks for it.
func TestToolsAreKnown(t *testing.T) {
	t.Parallel()
	for version, cli := range map[string]string{Version: Claude(t), Older: ClaudeOlder(t)} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			fake := fakeapi.New(nil)
			t.Cleanup(fake.Close)
			p := installWith(t, Home(t, fake.URL()), cli)
			ctx := limit(t)
			id := p.New(ctx)
			p.State(ctx, id, api.StateIdle)
			p.Run(ctx, "send", id, "list")
			p.Answered(ctx, id, "You said: list")
			offered := map[string]bool{}
			for _, q := range fake.Requests() {
				for _, tool := range q.Tools {
					offered[tool] = true
				}
				for _, m := range deferredTools.FindAllSubmatch(q.Body, -1) {
					for _, tool := range strings.Split(string(m[1]), `\n`) {
						if tool != "" {
							offered[tool] = true
						}
					}
				}
			}
			for _, one := range []string{"Bash", "Edit", "WebFetch", "EnterWorktree"} { // the last two are deferred by the newer version
				if !offered[one] {
					t.Errorf("%s is not among what is offered: %q", one, slices.Sorted(maps.Keys(offered)))
				}
			}
			for tool := range offered {
				if !policy.Knows(tool) && !slices.Contains(alwaysAsked, tool) {
					t.Errorf("the policy does not know what %s does: say so in policy/words.go", tool)
				}
			}
		})
	}
}

// goCache is the build cache of the user, so that nothing is compiled anew.
func goCache(t *testing.T) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if v := os.Getenv("GOCACHE"); v != "" {
		return v
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "go-build")
}

package opencode

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/test/fakeapi"
	"ccdir/test/realcli"
)

// put writes files of the project, by their names below it.
func put(t *testing.T, p *realcli.Product, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(p.Place.CWD, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReads: the policy decides about reads and searches, for which opencode itself asks nobody: what it
// denies does not reach the model, what it asks about is asked, and where it says nothing nobody is.
func TestReads(t *testing.T) {
	calls := []fakeapi.Reply{
		fakeapi.Tool("read", map[string]any{"filePath": "denied/a.txt"}),
		fakeapi.Tool("read", map[string]any{"filePath": "denied"}),
		fakeapi.Tool("grep", map[string]any{"pattern": "kept", "path": "denied/a.txt"}),
		fakeapi.Tool("glob", map[string]any{"pattern": "*", "path": "denied"}),
		fakeapi.Tool("read", map[string]any{"filePath": "open/b.txt"}),
		fakeapi.Tool("grep", map[string]any{"pattern": "shown", "path": "open"}),
		fakeapi.Text("over"),
		fakeapi.Tool("read", map[string]any{"filePath": "asked.txt"}), fakeapi.Text("then"),
	}
	ctx, p, fake := agent.Product(t, fakeapi.Turns(calls...))
	put(t, p, map[string]string{"denied/a.txt": "kept-from-it", "open/b.txt": "shown-to-it", "asked.txt": "told-by-a-person"})
	p.Policy("[roles.dev]\ndeny = [\"Read(denied/**)\"]\nask = [\"Read(asked.txt)\"]\n")
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "go")
	p.Answered(ctx, id, "over")
	if fake.Heard("kept-from-it") || !fake.Heard("shown-to-it") {
		t.Errorf("it read what the policy denies, or not what it says nothing about\n%s", p.Dump())
	}
	turn := p.Turns(ctx, id, api.TurnDone)[0]
	var refused []bool
	for _, tool := range turn.Tools {
		refused = append(refused, tool.Outcome == api.ToolRefused && strings.Contains(tool.Reason, "the rule is about"))
	}
	if !slices.Equal(refused, []bool{true, true, true, true, false, false}) {
		t.Errorf("the calls: %+v", turn.Tools)
	}
	if list, err := p.Client.Approvals(ctx); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	p.Run(ctx, "send", id, "and that")
	q, _ := p.Request(ctx, id, 0)
	if q.Tool != api.ToolRead {
		t.Errorf("the first request is %+v", q)
	}
	p.State(ctx, id, api.StatePermission)
	if fake.Heard("told-by-a-person") {
		t.Error("it read what is asked about")
	}
	p.Run(ctx, "approve", q.ID)
	p.Answered(ctx, id, "then")
	if !fake.Heard("told-by-a-person") {
		t.Errorf("what was approved was not read\n%s", p.Dump())
	}
}

// project writes opencode.json of the project.
func project(t *testing.T, p *realcli.Product, config map[string]any) {
	t.Helper()
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	put(t, p, map[string]string{"opencode.json": string(text)})
}

// TestProjectAllows: what the project's own opencode.json allows is asked about all the same, in whatever
// order it says so.
func TestProjectAllows(t *testing.T) {
	ctx, p, _ := agent.Product(t, fakeapi.Turns(run("touch never"), fakeapi.Text("over")))
	put(t, p, map[string]string{"opencode.json": `{"permission":{"bash":"allow","edit":"allow","read":"allow","*":"allow"}}`})
	p.Policy("[roles.dev]\ndeny = [\"Bash(touch *)\"]\n")
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "go")
	p.Answered(ctx, id, "over")
	if s := p.Show(ctx, id); p.Has("never") || s.Unguarded != "" {
		t.Errorf("the policy did not deny, or is said not to hold: %q\n%s", s.Unguarded, p.Dump())
	}
}

// TestAgentAllows: where the project's opencode.json has an agent run tools without a question, what the
// policy denies does not run, and what it asks about neither, because opencode does not ask.
func TestAgentAllows(t *testing.T) {
	ctx, p, fake := agent.Product(t, fakeapi.Turns(run("touch denied"), run("touch asked"), run("touch silent"), fakeapi.Text("over")))
	project(t, p, map[string]any{"agent": map[string]any{"build": map[string]any{"permission": map[string]any{"bash": map[string]any{"touch *": "allow"}}}}})
	p.Policy("[roles.dev]\ndeny = [\"Bash(touch denied)\"]\nask = [\"Bash(touch asked)\"]\n")
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "go")
	p.Answered(ctx, id, "over")
	if p.Has("denied") || p.Has("asked") || !p.Has("silent") || !fake.Heard("opencode cannot ask for it") {
		t.Errorf("a call ran that the policy stops, or not what it says nothing about\n%s", p.Dump())
	}
	if s := p.Show(ctx, id); s.Unguarded != "" {
		t.Errorf("it says that no policy holds: %s", s.Unguarded)
	}
}

// TestWithoutPlugin: an opencode that does not load the plugin says that no policy holds, and why.
func TestWithoutPlugin(t *testing.T) {
	ctx, p, _ := agent.Product(t, nil)
	arguments(t, p, "--pure")
	id := p.New(ctx)
	s := p.Until(ctx, id, "that no policy holds", func(s api.Session) bool { return s.Unguarded != "" })
	if out := p.Run(ctx, "show", id); !strings.Contains(out, s.Unguarded) || !strings.Contains(out, "--pure") {
		t.Errorf("show does not say it:\n%s", out)
	}
}

// TestPassword: commands do not get the password of opencode's server.
func TestPassword(t *testing.T) {
	ctx, p, fake := agent.Product(t, fakeapi.Turns(run(`echo "password=$OPENCODE_SERVER_PASSWORD."`), fakeapi.Text("over")))
	p.Policy("[roles.dev]\nallow = [\"Bash(echo *)\"]\n")
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "go")
	q, _ := p.Request(ctx, id, 0)
	p.Run(ctx, "approve", q.ID)
	p.Answered(ctx, id, "over")
	if !fake.Heard("password=.") {
		t.Errorf("a command got it\n%s", p.Dump())
	}
}

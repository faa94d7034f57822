package opencode

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/test/fakeapi"
	"ccdir/test/realcli"
)

// hookTools are calls of opencode's tools, each of which makes the file of that name.
var hookTools = map[string]func(string) fakeapi.Reply{
	"bash": func(name string) fakeapi.Reply { return run("touch " + name) },
	"write": func(name string) fakeapi.Reply {
		return fakeapi.Tool("write", map[string]any{"filePath": name, "content": "x"})
	},
	"mcp": func(name string) fakeapi.Reply {
		return fakeapi.Tool("ccdir_write", map[string]any{"path": name, "content": "x"})
	},
	"read": read,
}

func read(name string) fakeapi.Reply { return fakeapi.Tool("read", map[string]any{"filePath": name}) }

// cells are calls of hookTools, of which those that read have a file of that name to read, with a
// text of its own.
func cells(t *testing.T, p *realcli.Product, names []string) (texts []string) {
	t.Helper()
	files := map[string]string{}
	for _, name := range names {
		if strings.HasPrefix(name, "read-") {
			files[name] = "text-" + name
			texts = append(texts, files[name])
		}
	}
	put(t, p, files)
	return texts
}

// TestHookFails: where a policy is in force no tool runs whose hook fails, whatever the failure, also
// where opencode answers its own requests.
func TestHookFails(t *testing.T) {
	names, replies := realcli.HookCells(hookTools, "bash-how-late")
	ctx, p, fake := agent.Product(t, fakeapi.Turns(replies...))
	texts := cells(t, p, names)
	arguments(t, p, "--auto")
	p.FailHooks()
	p.Policy("[roles.dev]\nallow = [\"mcp__ccdir__write\"]\nask = [\"Bash(git push *)\"]\n")
	id := p.New(ctx)
	made := p.Ran(ctx, id, slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.HasPrefix(name, "read-") }))
	if !slices.Equal(made, []string{"bash-how-fine", "mcp-how-fine", "write-how-fine"}) || !fake.Heard("run ccdir doctor") {
		t.Errorf("these calls ran: %v\n%s", made, p.Dump())
	}
	for _, text := range texts {
		if fine := strings.HasSuffix(text, "-fine"); fake.Heard(text) != fine {
			t.Errorf("%s was read: %v\n%s", text, !fine, p.Dump())
		}
	}
	if s := p.Show(ctx, id); s.Unguarded != "" {
		t.Errorf("it says that no policy holds: %s", s.Unguarded)
	}
}

// arguments has the product start opencode with an argument.
func arguments(t *testing.T, p *realcli.Product, arg string) {
	t.Helper()
	config, err := os.ReadFile(p.Paths.ConfigFile())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.Paths.ConfigFile(), fmt.Appendf(config, "args = [%q]\n", arg), 0o600); err != nil {
		t.Fatal(err)
	}
}

// oneShot runs a task in opencode's one-shot mode.
func oneShot(ctx context.Context, p *realcli.Product) {
	p.Run(ctx, "task", "mode", "auto")
	p.Run(ctx, "task", "wait", p.Run(ctx, "task", "add", "-a", p.Agent, "--print", "go"))
}

// TestOneShot: in a one-shot run, in which nobody can be asked, the policy decides about every tool:
// what it denies or asks about does not run, of what changes something only what it allows does, and
// all of that is on record. Nothing runs whose hook fails.
func TestOneShot(t *testing.T) {
	calls := []fakeapi.Reply{
		run("touch allowed"), run("touch silent"), run("touch forbidden"), run("touch how-killed"),
		read("denied/a.txt"), read("asked.txt"), read("open.txt"), read("how-half"),
		fakeapi.Tool("skill", map[string]any{"name": "customize-opencode"}),
		fakeapi.Tool("task", map[string]any{"description": "d", "prompt": "look at @denied/a.txt", "subagent_type": "explore"}),
		fakeapi.Tool("task", map[string]any{"description": "d", "prompt": "run", "subagent_type": "general"}),
		fakeapi.Text("over"),
	}
	ctx, p, fake := agent.Product(t, fakeapi.Turns(calls...))
	p.FailHooks()
	put(t, p, map[string]string{"denied/a.txt": "kept-from-it", "asked.txt": "kept-too", "open.txt": "shown-to-it", "how-half": "kept-as-well"})
	p.Policy("[roles.dev]\nallow = [\"Bash(touch allowed)\"]\nask = [\"Read(asked.txt)\"]\ndeny = [\"Read(denied/**)\", \"Bash(touch forbidden)\", \"Skill\", \"Agent(general)\"]\n")
	oneShot(ctx, p)
	for name, want := range map[string]bool{"allowed": true, "silent": false, "forbidden": false, "how-killed": false} {
		if p.Has(name) != want {
			t.Errorf("%s ran: %v\n%s", name, !want, p.Dump())
		}
	}
	for text, want := range map[string]bool{"kept-from-it": false, "kept-too": false, "kept-as-well": false, "shown-to-it": true,
		"nobody can be asked in a one-shot run": true, "policy Skill": true, "policy Agent(general)": true, "policy Read(denied/**)": true} {
		if fake.Heard(text) != want {
			t.Errorf("the model heard %q: %v\n%s", text, !want, p.Dump())
		}
	}
	if out := p.Run(ctx, "decisions"); strings.Count(out, "deny") < 5 {
		t.Errorf("the ledger:\n%s", out)
	}
	if out := p.Run(ctx, "decisions", "--by", "unasked"); !strings.Contains(out, "open.txt") {
		t.Errorf("of those that nobody was asked about:\n%s", out)
	}
}

// TestOneShotWithoutPlugin: a one-shot run that does not load the plugin runs nothing, whatever the
// project's settings allow.
func TestOneShotWithoutPlugin(t *testing.T) {
	ctx, p, fake := agent.Product(t, fakeapi.Turns(run("touch never"), read("open.txt"), fakeapi.Text("over")))
	put(t, p, map[string]string{"open.txt": "kept-from-it", "opencode.json": `{"permission":{"bash":"allow","read":"allow","*":"allow"}}`})
	arguments(t, p, "--pure")
	oneShot(ctx, p)
	if p.Has("never") || fake.Heard("kept-from-it") {
		t.Errorf("tools ran\n%s", p.Dump())
	}
}

// TestDaemonGone: while no daemon runs, opencode asks in its pane about what it can ask about, and what
// it cannot ask about does not run. The next daemon finds the request open.
func TestDaemonGone(t *testing.T) {
	gone := make(chan struct{})
	first := hookTools["mcp"]("never")
	first.Wait = gone
	ctx, p, fake := agent.Product(t, fakeapi.Turns(first, run("touch asked"), fakeapi.Text("over")))
	p.Policy("[roles.dev]\nallow = [\"mcp__ccdir__write\"]\nask = [\"Bash(touch *)\"]\n")
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "go")
	p.State(ctx, id, api.StateWorking)
	p.Run(ctx, "daemon", "stop")
	close(gone)
	if _, err := fake.Await(ctx, func(r fakeapi.Request) bool { return strings.Contains(string(r.Body), "cannot ask for it") }); err != nil {
		t.Fatal(err)
	}
	p.Run(ctx, "daemon", "start")
	q, _ := p.Request(ctx, id, 0)
	if q.Tool != api.ToolBash || p.Has("asked") || p.Has("never") {
		t.Errorf("%+v\n%s", q, p.Dump())
	}
	p.Run(ctx, "approve", q.ID)
	p.Answered(ctx, id, "over")
	if !p.Has("asked") || p.Has("never") {
		t.Errorf("what was approved did not run, or the other did\n%s", p.Dump())
	}
}

package codex

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"ccdir/api"
	"ccdir/client"
	"ccdir/test/fakeapi"
	"ccdir/test/realcli"
)

// Models that Codex knows: it offers tools by the model. The first is offered each tool by itself,
// the second a tool that runs a script, in which it calls the others.
const (
	callingModel   = "gpt-5.5"
	scriptingModel = "gpt-6.1-sol"
)

// TestToolsAreKnown: the policy knows each tool that the CLI offers to its models.
func TestToolsAreKnown(t *testing.T) {
	for _, model := range []string{"gpt-5.2-codex", callingModel, scriptingModel} {
		t.Run(model, func(t *testing.T) {
			agent := agent
			agent.Home = knownHome
			agent.ToolsAreKnown(t, "--model", model)
		})
	}
}

// knownHome is a home in which no newer model is offered before the first prompt.
func knownHome(t testing.TB, apiURL string) realcli.Place {
	p := home(t, apiURL)
	file, err := os.OpenFile(filepath.Join(p.Config, "config.toml"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = file.WriteString("[notice.model_migrations]\n" + strconv.Quote(callingModel) + " = \"gpt-6-sol\"\n")
		_ = file.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// toSubagent is what the model says to a subagent.
const toSubagent = "say hi"

// played has the model make the calls in one turn, under a policy.
func played(t *testing.T, model, rules string, calls ...fakeapi.Reply) (ctx context.Context, p *realcli.Product, fake *fakeapi.Server, id string) {
	agent := agent
	agent.Home = knownHome
	turns := fakeapi.Turns(calls...)
	left := len(calls)
	var mu sync.Mutex
	ctx, p, fake = agent.Product(t, withProcess(func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case strings.Contains(r.Prompt, toSubagent): // comes at any time, and takes none of the turns
			return fakeapi.Text("hi")
		case r.Main() && left == 0:
			return fakeapi.Text("that was all")
		case r.Main():
			left--
		}
		return turns(ctx, r)
	}))
	for _, name := range []string{"a.txt", "img.png"} {
		if err := os.WriteFile(filepath.Join(p.Place.CWD, name), []byte("one\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.Policy(rules)
	id = p.New(ctx, "--model", model)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "go")
	return ctx, p, fake, id
}

// withProcess gives write_stdin the number of the process that the call before has started.
func withProcess(script fakeapi.Script) fakeapi.Script {
	var mu sync.Mutex
	process := 0
	running := regexp.MustCompile(`running with session ID (\d+)`)
	return func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		reply := script(ctx, r)
		mu.Lock()
		defer mu.Unlock()
		for _, text := range r.Results {
			if m := running.FindStringSubmatch(text); m != nil {
				process, _ = strconv.Atoi(m[1])
			}
		}
		for _, b := range reply.Blocks {
			if in, ok := b.Input.(map[string]any); ok && b.Tool == "write_stdin" {
				in["session_id"] = process
			}
		}
		return reply
	}
}

// begun are the calls of tools that hooks reported, as their events tell them.
func begun(ctx context.Context, t *testing.T, p *realcli.Product, id string) (calls []string) {
	t.Helper()
	events, err := p.Client.Events(ctx, client.EventFilter{Session: id, Since: -1})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Kind == api.KindToolBegins {
			calls = append(calls, e.Message)
		}
	}
	return calls
}

const (
	patchOfBoth = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+both\n*** Add File: .env\n+KEY=1\n*** End Patch\n"
	patchOfOne  = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n"
)

// TestPatch: a rule about a file stops a patch that touches it among others, whether the model
// calls the tool or a script does; another patch is made.
func TestPatch(t *testing.T) {
	inScript := func(patch string) fakeapi.Reply {
		return fakeapi.Tool("exec", "text(await tools.apply_patch("+strconv.Quote(patch)+"))")
	}
	for model, calls := range map[string][]fakeapi.Reply{
		callingModel:   {fakeapi.Tool("apply_patch", patchOfBoth), fakeapi.Tool("apply_patch", patchOfOne)},
		scriptingModel: {inScript(patchOfBoth), inScript(patchOfOne), fakeapi.Tool("exec", `text(await tools.exec_command({cmd: "touch .env"}))`)},
	} {
		t.Run(model, func(t *testing.T) {
			ctx, p, fake, id := played(t, model, "[roles.dev]\ndeny = [\"Edit(.env)\"]\n", calls...)
			p.Answered(ctx, id, "that was all")
			text, err := os.ReadFile(filepath.Join(p.Place.CWD, "a.txt"))
			if err != nil || string(text) != "two\n" || p.Has(".env") {
				t.Errorf("a.txt has %q, %v; .env exists: %v\n%s", text, err, p.Has(".env"), p.Dump())
			}
			if !fake.Heard(`\".env\" is what the rule is about. Command: *** Begin Patch`) {
				t.Errorf("the reason did not reach the model\n%s", p.Dump())
			}
			want := []string{"Patch: a.txt, .env", "Patch: a.txt", "Bash: touch .env"}[:len(calls)]
			if got := begun(ctx, t, p, id); strings.Join(got, "|") != strings.Join(want, "|") {
				t.Errorf("hooks reported %q, want %q", got, want)
			}
		})
	}
}

// TestReadsAndSubagents: rules about files hold for images, and a subagent is started by every model
// under a policy.
func TestReadsAndSubagents(t *testing.T) {
	for model, c := range map[string]struct {
		calls []fakeapi.Reply
		spawn string
	}{
		callingModel: {[]fakeapi.Reply{fakeapi.Tool("view_image", map[string]any{"path": "img.png"}),
			fakeapi.Tool("multi_agent_v1/spawn_agent", map[string]any{"message": toSubagent})}, `spawn_agent: {"message":"say hi"}`},
		scriptingModel: {[]fakeapi.Reply{fakeapi.Tool("exec", `text(await tools.view_image({path: "img.png"}))`),
			fakeapi.Tool("collaboration/spawn_agent", map[string]any{"task_name": "hi", "message": toSubagent})}, `spawn_agent: {"message":"say hi","task_name":"hi"}`},
	} {
		t.Run(model, func(t *testing.T) {
			ctx, p, fake, id := played(t, model, "[roles.dev]\ndeny = [\"Read(*.png)\"]\n", c.calls...)
			p.Answered(ctx, id, "that was all")
			if !fake.Heard(`\"img.png\" is what the rule is about`) || fake.Heard("invalid or unsupported image data") {
				t.Errorf("the image was read\n%s", p.Dump())
			}
			if fake.Heard("and nobody gave it") {
				t.Errorf("no subagent was started\n%s", p.Dump())
			}
			want := []string{"Read: img.png", c.spawn}
			if got := begun(ctx, t, p, id); len(got) < 2 || strings.Join(got[:2], "|") != strings.Join(want, "|") {
				t.Errorf("hooks reported %q, want %q", got, want)
			}
		})
	}
}

// TestTyped: Codex (0.169.0) calls no hook for what is typed into a program that runs. So a program
// that could take commands is asked about at its start; text for any other reaches it unseen.
func TestTyped(t *testing.T) {
	shell := func(cmd string) fakeapi.Reply {
		return fakeapi.Tool("exec_command", map[string]any{"cmd": cmd, "tty": true, "yield_time_ms": 1000})
	}
	text := map[string]any{"chars": "touch made\n", "yield_time_ms": 500}
	ctx, p, fake, id := played(t, callingModel, "[roles.dev]\ndeny = [\"Bash(rm *)\"]\n",
		shell("cat"), fakeapi.Tool("write_stdin", text), shell("sh"))
	q, _ := p.Request(ctx, id, 0)
	if q.Tool != api.ToolBash || string(q.Input) != `{"command":"sh"}` {
		t.Errorf("the request: %+v", q)
	}
	p.Run(ctx, "deny", q.ID)
	p.Answered(ctx, id, "that was all")
	if !fake.Heard(`touch made\r\ntouch made`) {
		t.Errorf("the text did not reach the program\n%s", p.Dump())
	}
	if got := begun(ctx, t, p, id); strings.Join(got, "|") != "Bash: cat|Bash: sh" {
		t.Errorf("hooks reported %q: if Codex reports what is typed now, agents/codex/describe.go and docs/policy.md say so", got)
	}
}

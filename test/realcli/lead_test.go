package realcli

import (
	"context"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// byFirst gives each conversation of the CLI the script that its first prompt names.
func byFirst(scripts map[string]fakeapi.Script) fakeapi.Script {
	var mu sync.Mutex
	of := map[string]fakeapi.Script{}
	return func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		if !r.Main() {
			return fakeapi.Echo(ctx, r)
		}
		mu.Lock()
		if script, ok := scripts[strings.TrimSpace(r.Prompt)]; ok && of[r.Session] == nil {
			of[r.Session] = script
		}
		script := of[r.Session]
		mu.Unlock()
		if script == nil {
			return fakeapi.Echo(ctx, r)
		}
		return script(ctx, r)
	}
}

// noted is a script that keeps what the tools brought.
type noted struct {
	mu   sync.Mutex
	text strings.Builder
}

func (n *noted) script(inner fakeapi.Script) fakeapi.Script {
	return func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		n.mu.Lock()
		for _, text := range r.Results {
			n.text.WriteString(text + "\n")
		}
		n.mu.Unlock()
		return inner(ctx, r)
	}
}

func (n *noted) has(part string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Contains(n.text.String(), part)
}

// spawnWorker is the call by which a lead starts a session.
func spawnWorker(agent string) fakeapi.Reply {
	return fakeapi.Tool("mcp__ccdir__session_spawn", map[string]any{"agent": agent, "name": "worker", "prompt": "work"})
}

// addConfig appends to config.toml.
func (p *Product) addConfig(text string) {
	p.t.Helper()
	data, err := os.ReadFile(p.Paths.ConfigFile())
	if err == nil {
		err = os.WriteFile(p.Paths.ConfigFile(), append(data, text...), 0o600)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// TestLeadByPolicy: with lead = "policy" what the lead's role may is allowed to the session
// that it started, without a message to it; the rest is for people.
func TestLeadByPolicy(t *testing.T) {
	t.Parallel()
	const rules = "[roles.dev]\nask = [\"Bash(touch *)\"]\n[roles.lead]\nallow = [\"mcp__ccdir__*\", \"Bash(touch led)\"]\n"
	ctx, p := policed(t, "default", rules, byFirst(map[string]fakeapi.Script{
		"lead": fakeapi.Connected(fakeapi.Turns(spawnWorker("claude"))),
		"work": fakeapi.Turns(bash("touch led"), bash("touch other")),
	}))
	p.addConfig("[mcp]\nlead = \"policy\"\n")
	lead := p.New(ctx, "--role", "lead", "-n", "boss")
	p.State(ctx, lead, api.StateIdle)
	p.Run(ctx, "send", lead, "lead")
	p.Event(ctx, lead, 0, "Stop", hookEvent("Stop"))
	r := requests(ctx, p, 1)[0]
	for strings.Contains(string(r.Input), "touch led") { // open until the lead's policy was applied
		r = requests(ctx, p, 1)[0]
	}
	if !strings.Contains(string(r.Input), "touch other") || r.SessionName != "worker" || !p.Has("led") {
		t.Fatalf("left to people is %+v\n%s", r, p.Dump())
	}
	p.Run(ctx, "approve", r.ID)
	p.Event(ctx, r.Session, 0, "Stop", hookEvent("Stop"))
	if got := strings.Join(p.ledger(ctx), ", "); !strings.Contains(got, "allow lead touch led") || !strings.Contains(got, "allow person touch other") || !p.Has("other") {
		t.Errorf("the ledger has %s", got)
	}
	if out := p.Run(ctx, "messages", "--session", lead, "--all"); strings.Contains(out, "Permission request") {
		t.Errorf("the lead was asked: %s", out)
	}
}

// inboxID finds a permission request's message in an inbox.
var inboxID = regexp.MustCompile(`"id":(\d+)[^{}]*"text":"Permission request`)

// planFile finds where the CLI wants an agent in plan mode to write its plan.
var planFile = regexp.MustCompile(`create your plan at ([^ "\\\\]+\.md)`)

// planner is the script of an agent in plan mode: it writes its plan and asks for approval, and
// at each refusal takes the next plan.
func planner(plans ...string) fakeapi.Script {
	file, written := "", false
	return func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		if m := planFile.FindSubmatch(r.Body); file == "" && m != nil {
			file = string(m[1])
		}
		switch {
		case written:
			written, plans = false, plans[1:]
			return fakeapi.Tool("ExitPlanMode", map[string]any{})
		case len(plans) > 0:
			written = true
			return fakeapi.Tool("Write", map[string]any{"file_path": file, "content": plans[0]})
		}
		return fakeapi.Echo(ctx, r)
	}
}

// TestLeadApprovesPlan: a plan is for the lead to read; it refuses the first and allows the second.
func TestLeadApprovesPlan(t *testing.T) {
	t.Parallel()
	var read, told noted
	replies, last := []string{"deny: say how", "allow"}, int64(0)
	boss := func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		switch {
		case strings.TrimSpace(r.Prompt) == "lead":
			return spawnWorker("planner")
		case len(r.Results) == 0: // told of a message, at the end of its turn or at rest
			return fakeapi.Tool("mcp__ccdir__message_inbox", map[string]any{})
		}
		for _, text := range r.Results {
			for _, m := range inboxID.FindAllStringSubmatch(text, -1) {
				id, _ := strconv.ParseInt(m[1], 10, 64)
				if id <= last || len(replies) == 0 {
					continue
				}
				last = id
				reply := fakeapi.Tool("mcp__ccdir__message_send", map[string]any{"to": "person", "text": replies[0], "reply": id})
				replies = replies[1:]
				return reply
			}
		}
		return fakeapi.Text("Done.")
	}
	ctx, p := policed(t, "default", "[roles.lead]\nallow = [\"mcp__ccdir__*\"]\n", byFirst(map[string]fakeapi.Script{
		"lead": fakeapi.Connected(read.script(boss)),
		"work": told.script(planner("# Vague zebra", "# Exact zebra")),
	}))
	p.addConfig("[agents.planner]\nkind = \"claude\"\ncommand = " + strconv.Quote(Claude(t)) + "\nargs = [\"--permission-mode\", \"plan\"]\n")
	lead := p.New(ctx, "--role", "lead", "-n", "boss")
	p.State(ctx, lead, api.StateIdle)
	p.Run(ctx, "send", lead, "lead")
	worker := p.Event(ctx, "", 0, "the worker's end", func(e api.Event) bool { return e.Session != lead && hookEvent("Stop")(e) }).Session
	if !read.has("has made a plan") || !read.has("Vague zebra") || !read.has("Exact zebra") {
		t.Errorf("the lead did not read the plans\n%s", p.Dump())
	}
	if !told.has("say how") {
		t.Errorf("the reason did not reach the worker\n%s", p.Dump())
	}
	rows, err := p.Client.Decisions(ctx, api.LedgerFilter{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		if r.Session == worker && r.Tool == "ExitPlanMode" {
			got = append(got, r.Decision+" "+r.By)
		}
	}
	if all := strings.Join(got, ", "); all != "deny lead, allow lead" {
		t.Errorf("the ledger has %q for the plans\n%s", all, p.Dump())
	}
}

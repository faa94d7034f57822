package web

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

func (p *place) Send(_ context.Context, ref string, prompt api.SendPrompt) (api.SendResult, error) {
	p.locked(func() { p.prompts = append(p.prompts, ref+": "+prompt.Text+" ("+prompt.ID+")") })
	return api.SendResult{Status: "delivered"}, nil
}

func (p *place) Kill(ctx context.Context, ref string, _ api.Kill) (api.Session, error) {
	p.locked(func() { p.prompts = append(p.prompts, ref+" ended") })
	return p.Get(ctx, ref)
}

func (p *place) Restart(ctx context.Context, ref string) (api.Session, error) {
	p.locked(func() { p.prompts = append(p.prompts, ref+" restarted") })
	return p.Get(ctx, ref)
}

func (p *place) Create(_ context.Context, n api.NewSession) (api.Session, error) {
	p.locked(func() { p.started = append(p.started, n) })
	return api.Session{ID: "new", Name: n.Name}, nil
}

func (p *place) Offers(_ context.Context, node string) ([]api.AgentInfo, []api.Directory, error) {
	if node == "away" {
		return nil, nil, api.Errorf(api.CodeUnavailable, "node away is offline")
	}
	return []api.AgentInfo{{Name: "claude", Path: "/bin/claude", Default: true, Models: []string{"opus"}}, {Name: "lacking"}}, []api.Directory{{Name: "src", Path: "/src/" + node}}, nil
}

func (p *place) Look() { p.locked(func() { p.looked++ }) }

func (p *place) List() []Node { return p.nodes }

func (p *place) Queue(node string) api.Queue { return api.Queue{Node: node, Mode: api.QueuePaused} }

func (p *place) Usage(_ context.Context, node string, by api.UsageBy, _ time.Time) (api.Usage, error) {
	return api.Usage{Rows: []api.UsageRow{{Key: string(by) + " of " + node}}, Prices: "2026-10-31"}, nil
}

func (p *place) Seen(context.Context, string) error { return nil }

func (p *place) Turns(_ context.Context, _ string, _ int, each func(api.Turn) error) error {
	p.mu.Lock()
	turns := slices.Clone(p.turns)
	p.mu.Unlock()
	for _, t := range turns {
		if err := each(t); err != nil {
			return err
		}
	}
	return nil
}

func (p *place) Diff(_ context.Context, _ string, q api.DiffQuestion) (api.ReviewDiff, error) {
	one := 1
	return api.ReviewDiff{Scope: q.Scope, Added: 1, Files: []api.ReviewFile{{Path: "a<b>.go", Status: api.FileChanged, Added: &one,
		Hunks: []api.ReviewHunk{{NewStart: 3, NewLines: 1, Lines: []api.ReviewLine{{Kind: api.LineAdded, Text: "</pre><script>x"}}}}}}}, nil
}

type pendingOf struct{ *place }

func (p pendingOf) Add(_ context.Context, ref string, n api.NewPending) (api.PendingPrompt, error) {
	p.locked(func() { p.prompts = append(p.prompts, ref+" later: "+n.Text) })
	return api.PendingPrompt{}, nil
}
func (p pendingOf) List(context.Context, string) ([]api.PendingPrompt, error) { return nil, nil }

// TestSession: a session's page has its conversation, and takes prompts from a device that may type.
func TestSession(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.session(api.Session{ID: "s1", Name: "one", State: api.StateIdle, Agent: "claude"})
	p.locked(func() {
		p.turns = []api.Turn{{Turn: 1, Prompt: "tidy <up>", State: api.TurnDone, Answer: "I did.",
			Tools: []api.TurnTool{{Name: "Bash", Argument: "ls", Input: []byte(`{"command":"ls"}`), Outcome: api.ToolOK, Result: "a\x1b[31mb"},
				{Name: "Task", Outcome: api.ToolOK, Agent: &api.Subagent{Turns: []api.Turn{{Prompt: "look there", Answer: "found"}}}}},
			Items: []api.TurnItem{{Kind: api.ItemThinking, Text: "hm"}, {Kind: api.ItemTool, Tool: 0}, {Kind: api.ItemTool, Tool: 1}, {Kind: api.ItemText, Text: "I did.</pre><script>"}}}}
	})
	b := p.paired(api.WebType, true)
	status, body := b.get("/sessions/s1")
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	for _, want := range []string{"tidy &lt;up&gt;", "<strong>Bash</strong>", "I did.&lt;/pre&gt;&lt;script&gt;", "look there", "found", "hm", `href="/sessions/s1/changes"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q:\n%s", want, body)
		}
	}
	if strings.Contains(body, "\x1b") || strings.Contains(body, "<script>") && strings.Count(body, "<script") > 1 {
		t.Error("what an agent wrote is not text")
	}
	if status, body := b.send("/sessions/s1", "/sessions/s1/prompt", "text", "go\r\non", "id", "7", "when", "now"); status != http.StatusOK || !strings.Contains(body, "The agent has it") {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := b.send("/sessions/s1", "/sessions/s1/prompt", "text", "and this", "when", "later"); status != http.StatusOK {
		t.Errorf("later: %d", status)
	}
	if status, _ := b.send("/sessions/s1", "/sessions/s1/prompt", "text", "  "); status != http.StatusBadRequest {
		t.Errorf("an empty prompt: %d", status)
	}
	if status, _ := b.send("/sessions/s1", "/sessions/s1/end"); status != http.StatusOK {
		t.Errorf("end: %d", status)
	}
	p.mu.Lock()
	prompts := p.prompts
	p.mu.Unlock()
	if len(prompts) != 3 || !strings.HasPrefix(prompts[0], "s1: go\non (page-") || !strings.HasSuffix(prompts[0], "-7)") || prompts[1] != "s1 later: and this" || prompts[2] != "s1 ended" {
		t.Errorf("%q", prompts)
	}
	if status, body := b.get("/sessions/s1/changes?scope=session"); status != http.StatusOK || !strings.Contains(body, "+ &lt;/pre&gt;&lt;script&gt;x") || !strings.Contains(body, "a&lt;b&gt;.go") {
		t.Errorf("%d %s", status, body)
	}
	seer := p.paired(api.WebApprove, false)
	if _, body := seer.get("/sessions/s1"); strings.Contains(body, "<textarea") {
		t.Error("a device that may not type has a composer")
	}
	for _, path := range []string{"/sessions/s1/prompt", "/sessions/s1/end", "/sessions/s1/restart"} {
		if status, _ := seer.send("/", path, "text", "x"); status != http.StatusForbidden {
			t.Errorf("%s: %d", path, status)
		}
	}
	if status, _ := b.get("/sessions/nobody"); status != http.StatusNotFound {
		t.Errorf("no such session: %d", status)
	}
	p.change(func() { p.sessions[0].State = api.StateExited })
	if _, body := b.get("/sessions/s1"); !strings.Contains(body, `action="/sessions/s1/restart"`) {
		t.Errorf("an ended session cannot be started again:\n%s", body)
	}
}

// TestStart: a device that may type starts, ends and restarts sessions, each with a second step; the
// page's own name of a session makes it once.
func TestStart(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.session(api.Session{ID: "gpu/s1", Name: "gpu/one", Node: "gpu", State: api.StateIdle, Agent: "claude", Task: "t7", LastTurn: &api.TurnDiff{Files: 2, Added: 3}, CostUSD: 1.5})
	p.session(api.Session{ID: "s2", Name: "two", State: api.StateExited, Agent: "codex"})
	p.nodes = []Node{{Name: "gpu", State: "online"}, {Name: "lab", State: "offline", Reason: "no route"}}
	b := p.paired(api.WebType, true)
	status, body := b.get("/")
	for _, want := range []string{`href="/sessions/gpu%2Fs1/end"`, `href="/sessions/gpu%2Fs1/restart"`, `href="/sessions/s2/restart"`, `href="/new"`, "2 files &#43;3", "$1.50", `href="/queue/t7"`, "no route", `<option>gpu</option>`, "1 of 2 sessions run"} {
		if status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%d, the overview lacks %q:\n%s", status, want, body)
		}
	}
	if strings.Contains(body, `href="/sessions/s2/end"`) {
		t.Error("a session without a process can be ended")
	}
	for query, want := range map[string]string{"?node=gpu": "gpu/one", "?agent=codex": ">two<", "?standing=ended": ">two<", "?q=ONE": "gpu/one"} {
		if _, body := b.get("/" + query); strings.Count(body, "<article") != 1 || !strings.Contains(body, want) {
			t.Errorf("%s shows:\n%s", query, body)
		}
	}
	for path, want := range map[string]string{"/sessions/gpu%2Fs1/end": `action="/sessions/gpu%2Fs1/end"`, "/sessions/s2/restart": `action="/sessions/s2/restart"`} {
		if status, body := b.get(path); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", path, status, body)
		}
		if status, body := b.send(path, path); status != http.StatusOK {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if _, body := b.get("/new"); !strings.Contains(body, "<option selected>claude</option>") || strings.Contains(body, "lacking") || !strings.Contains(body, `value="/src/"`) {
		t.Errorf("what can be started:\n%s", body)
	}
	if status, body := b.get("/new?node=away"); status != http.StatusServiceUnavailable || !strings.Contains(body, "node away is offline") {
		t.Errorf("of a node that is away: %d %s", status, body)
	}
	if status, body := b.send("/new", "/new", "agent", "claude", "cwd", "/src", "text", "go\r\non", "id", "9", "name", "api", "node", "gpu"); status != http.StatusOK || !strings.Contains(body, "Started: api") {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := b.send("/new", "/new", "agent", "claude", "cwd", "src"); status != http.StatusBadRequest {
		t.Errorf("a directory that is none: %d", status)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.started) != 1 || p.started[0].Prompt != "go\non" || p.started[0].Node != "gpu" || !strings.HasSuffix(p.started[0].Request, "-9") || p.looked == 0 {
		t.Errorf("%+v, %d looks", p.started, p.looked)
	}
	if len(p.prompts) != 2 || !slices.Contains(p.prompts, "gpu/s1 ended") || !slices.Contains(p.prompts, "s2 restarted") {
		t.Errorf("%q", p.prompts)
	}
}

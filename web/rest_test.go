package web

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

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

func (p *place) Add(_ context.Context, ref string, n api.NewPending) (api.PendingPrompt, error) {
	p.locked(func() { p.prompts = append(p.prompts, ref+" later: "+n.Text) })
	return api.PendingPrompt{}, nil
}
func (p *place) List(context.Context, string) ([]api.PendingPrompt, error) { return nil, nil }

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

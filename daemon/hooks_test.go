package daemon

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
)

// agentSession starts a session whose agent has hooks, and calls none itself.
func (p *place) agentSession(name string) api.Session {
	p.t.Helper()
	return p.create(api.NewSession{Name: name, Agent: "claude", Argv: sh("exec sleep 1000")})
}

// hookJSON is a payload with what the state depends on.
func hookJSON(name, more string) string {
	if more != "" {
		more = "," + more
	}
	return fmt.Sprintf(`{"session_id":"conv-1","cwd":"/tmp","hook_event_name":%q%s}`, name, more)
}

func TestHookStates(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.agentSession("")
	if s.State != api.StateStarting || s.Agent != "claude" {
		t.Fatalf("created: %+v", s)
	}
	for i, step := range []struct {
		hook, more string
		want       api.State
		question   string
	}{
		{claude.HookSessionStart, `"source":"startup","model":"claude-opus-5-5"`, api.StateIdle, ""},
		{claude.HookUserPromptSubmit, `"prompt":"do it"`, api.StateWorking, ""},
		{claude.HookPreToolUse, `"tool_name":"Bash","tool_input":{"command":"ls"}`, api.StateWorking, ""},
		{claude.HookPermissionRequest, `"tool_name":"Bash","tool_input":{"command":"ls"}`, api.StatePermission, "Bash: ls"},
		{claude.HookNotification, `"notification_type":"permission_prompt","message":"needs you"`, api.StatePermission, "Bash: ls"},
		{claude.HookPostToolUse, `"tool_name":"Bash","tool_input":{"command":"ls"}`, api.StateWorking, ""},
		{claude.HookPermissionRequest, `"tool_name":"AskUserQuestion","tool_input":{"questions":[{"question":"Which?"}]}`, api.StateInput, "Which?"},
		{claude.HookPostToolUseFailure, `"tool_name":"AskUserQuestion","tool_input":{}`, api.StateWorking, ""},
		{claude.HookElicitation, `"mcp_server_name":"x","message":"Colour?"`, api.StateInput, "Colour?"},
		{claude.HookElicitationResult, `"mcp_server_name":"x","action":"accept"`, api.StateWorking, ""},
		{claude.HookStop, ``, api.StateIdle, ""},
		{claude.HookSessionEnd, `"reason":"clear"`, api.StateIdle, ""},
		{claude.HookSessionStart, `"source":"clear"`, api.StateIdle, ""},
		{claude.HookSessionEnd, `"reason":"prompt_input_exit"`, api.StateExiting, ""},
	} {
		if err := p.hook(s, step.hook, fmt.Sprint("id", i), hookJSON(step.hook, step.more)); err != nil {
			t.Fatal(step.hook, err)
		}
		got := p.get(s.ID)
		if step.hook == claude.HookUserPromptSubmit && got.Prompt != "do it" {
			t.Errorf("the prompt: %q", got.Prompt)
		}
		if got.State != step.want || got.Question != step.question {
			t.Errorf("after %s: %s %q, want %s %q", step.hook, got.State, got.Question, step.want, step.question)
		}
	}
	got := p.get(s.ID)
	if got.Prompt != "" || got.Conversation != "conv-1" || got.Model != "claude-opus-5-5" || !got.Unread {
		t.Errorf("session: %+v", got)
	}
	p.call("POST", "/v1/sessions/"+s.ID+"/seen", nil, nil)
	if p.get(s.ID).Unread {
		t.Error("seen, and still unread")
	}
	var x api.Explanation
	p.call("GET", "/v1/sessions/"+s.ID+"/explain", nil, &x)
	if x.Winner == nil || x.Winner.Name != claude.HookSessionEnd || x.Rule != "hook-session-end" || x.Reason == "" || len(x.Changes) == 0 {
		t.Errorf("explanation: %+v", x)
	}
	// Every hook is an event with the states around it.
	from := api.StateStarting
	for _, e := range p.events() {
		if e.Source == "hook" {
			if e.StateFrom != from {
				t.Errorf("%s: from %s, want %s", e.Type, e.StateFrom, from)
			}
			from = e.StateTo
		}
	}
}

func TestHookRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.agentSession("")
	other := p.agentSession("")
	stop := hookJSON(claude.HookStop, "")
	var e *api.Error
	for _, c := range []struct {
		session, token, payload string
		code                    api.Code
	}{
		{"nobody00", p.token(s), stop, api.CodeForbidden},
		{s.ID, "", stop, api.CodeForbidden},
		{s.ID, p.token(other), stop, api.CodeForbidden},
		{s.ID, p.token(s), "not json", api.CodeInvalid},
		{s.ID, p.token(s), `"` + strings.Repeat("x", 17<<20) + `"`, api.CodeTooLarge},
	} {
		if err := p.hookWith(c.session, c.token, claude.HookStop, "x", c.payload); !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%.20s: got %v, want %s", c.payload, err, c.code)
		}
	}
	if got := p.get(s.ID); got.State != api.StateStarting {
		t.Errorf("refused hooks changed the state to %s", got.State)
	}
	// Nobody waits for these events to be durable; too large is refused before
	// anybody looks.
	until(t, "4 events hook.rejected", func() bool { return strings.Count(p.eventTypes(""), "hook.rejected") == 4 })
	// A flood of refused calls does not flood the log: of those at once some are
	// there, then one a second.
	began := time.Now()
	for range 200 {
		p.hookWith(s.ID, "wrong", claude.HookStop, "", stop)
	}
	most := 30 + int(time.Since(began).Seconds())
	if n := strings.Count(p.eventTypes(""), "hook.rejected"); n > most {
		t.Errorf("%d events hook.rejected after a flood, more than %d", n, most)
	}
	// 10 MB of JSON are taken, and shortened in the log.
	big := hookJSON(claude.HookUserPromptSubmit, fmt.Sprintf(`"prompt":%q`, strings.Repeat("y", 10<<20)))
	if err := p.hook(s, claude.HookUserPromptSubmit, "big", big); err != nil {
		t.Error(err)
	}
	events := p.events()
	if last := events[len(events)-1]; last.Type != claude.HookUserPromptSubmit || len(last.Data) > 128<<10 {
		t.Errorf("the big hook: %s with %d bytes of data", last.Type, len(last.Data))
	}
}

// TestHookOnce: the same call again is no second event, also on another daemon
// and from the spool.
func TestHookOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.spawn()
	s := p.agentSession("")
	prompt := hookJSON(claude.HookUserPromptSubmit, `"prompt":"once"`)
	for range 3 {
		if err := p.hook(s, claude.HookUserPromptSubmit, "0001-id", prompt); err != nil {
			t.Fatal(err)
		}
	}
	p.kill9()
	p.spool(s, "0001-id", claude.HookUserPromptSubmit, prompt, p.token(s))
	p.spool(s, "0002-id", claude.HookPreToolUse, hookJSON(claude.HookPreToolUse, `"tool_name":"Bash"`), p.token(s))
	p.spool(s, "0003-id", claude.HookStop, hookJSON(claude.HookStop, ""), p.token(s))
	p.spool(s, "0004-id", claude.HookUserPromptSubmit, prompt, "wrong")
	if err := os.WriteFile(filepath.Join(p.spoolDir(s), "0005-id.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.spawn()
	if err := p.hook(s, claude.HookUserPromptSubmit, "0001-id", prompt); err != nil {
		t.Fatal(err)
	}
	if got := p.get(s.ID).State; got != api.StateIdle {
		t.Errorf("state after the spool: %s", got)
	}
	types := p.eventTypes(s.ID)
	if want := "session.created UserPromptSubmit PreToolUse Stop hook.rejected hook.rejected spool.drained session.adopted"; types != want {
		t.Errorf("events: %s\nwant:   %s", types, want)
	}
	if left, _ := os.ReadDir(p.spoolDir(s)); len(left) != 0 {
		t.Errorf("left in the spool: %v", left)
	}
}

func (p *place) spoolDir(s api.Session) string {
	return filepath.Join(p.paths.SessionDir(s.ID), "spool")
}

// spool leaves a call as a hook process without a daemon does.
func (p *place) spool(s api.Session, id, hook, payload, token string) {
	p.t.Helper()
	if err := os.MkdirAll(p.spoolDir(s), 0o700); err != nil {
		p.t.Fatal(err)
	}
	call := toJSON(p.t, api.SpooledHook{ID: id, Hook: hook, At: time.Now().UTC().Format(time.RFC3339Nano), Token: token, Payload: []byte(payload)})
	if err := os.WriteFile(filepath.Join(p.spoolDir(s), id+".json"), []byte(call), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// TestHooksThroughKills: real hook processes run all the time while the daemon
// is killed again and again. Each call is one event.
func TestHooksThroughKills(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.spawn()
	s := p.agentSession("")
	env := append(os.Environ(), "CCDIR_SESSION="+s.ID, "CCDIR_TOKEN="+p.token(s),
		"CCDIR_SOCKET="+p.paths.Socket(), "CCDIR_DIR="+p.paths.SessionDir(s.ID))
	const callers, each, kills = 4, 50, 6
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for i := range each {
				cmd := exec.Command(shimPath, "hook", claude.HookUserPromptSubmit)
				cmd.Env = env
				cmd.Stdin = strings.NewReader(hookJSON(claude.HookUserPromptSubmit, fmt.Sprintf(`"prompt":"call %d-%d."`, c, i)))
				if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
					t.Errorf("hook: %v %s", err, out)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for range kills {
		p.kill9()
		p.spawn()
	}
	<-done
	// What was spooled while the last daemon began is drained by then.
	counts := map[string]int{}
	until(t, "all calls", func() bool {
		clear(counts)
		for _, e := range p.events() {
			if e.Type == claude.HookUserPromptSubmit {
				counts[e.Message]++
			}
		}
		return len(counts) == callers*each
	})
	for message, n := range counts {
		if n != 1 {
			t.Errorf("%s: %d events", message, n)
		}
	}
}

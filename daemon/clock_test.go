package daemon

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
)

// TestClockJumps: hooks come with times a day ahead and a day behind, as after a
// clock was set, and with times that cannot be. The state follows what came last, is
// shown and saved, and the log stays in order.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.agentSession("agent")
	from := func(jump time.Duration) func() string {
		return func() string { return time.Now().Add(jump).UTC().Format(time.RFC3339Nano) }
	}
	at := func(text string) func() string { return func() string { return text } }
	for i, step := range []struct {
		hook, more string
		at         func() string
		want       api.State
	}{
		{claude.HookSessionStart, `"source":"startup"`, from(0), api.StateIdle},
		{claude.HookUserPromptSubmit, `"prompt":"one"`, from(24 * time.Hour), api.StateWorking},
		{claude.HookStop, "", from(-24 * time.Hour), api.StateIdle},
		{claude.HookUserPromptSubmit, `"prompt":"two"`, from(0), api.StateWorking},
		{claude.HookStop, "", from(time.Hour), api.StateIdle},
		// Times that JSON or the database cannot write.
		{claude.HookUserPromptSubmit, `"prompt":"three"`, at("0000-01-01T00:00:00+10:00"), api.StateWorking},
		{claude.HookStop, "", at("9999-12-31T23:59:59-10:00"), api.StateIdle},
		{claude.HookUserPromptSubmit, `"prompt":"four"`, at("0001-01-01T00:00:00Z"), api.StateWorking},
		{claude.HookStop, "", at("1600-01-01T00:00:00Z"), api.StateIdle},
	} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", "http://ccdir/v1/hook", strings.NewReader(hookJSON(step.hook, step.more)))
		if err != nil {
			t.Fatal(err)
		}
		for key, value := range map[string]string{api.HeaderSession: s.ID, api.HeaderToken: p.token(s), api.HeaderHook: step.hook,
			api.HeaderHookID: fmt.Sprint(i), api.HeaderAt: step.at()} {
			req.Header.Set(key, value)
		}
		resp, err := p.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		until(t, fmt.Sprintf("%s after %s", step.want, step.hook), func() bool { return p.get("agent").State == step.want })
	}
	for _, e := range p.events() { // fails on a gap
		if since := time.Since(e.At); since.Abs() > 48*time.Hour {
			t.Errorf("%s at %s", e.Type, e.At)
		}
	}
	p.stopDaemon()
	p.run()
	if got := p.get("agent"); got.State != api.StateIdle || got.Prompt != "four" {
		t.Errorf("after a restart: %+v", got)
	}
}

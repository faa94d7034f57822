package daemon

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"ccdir/internal/api"
)

// TestClockJumps: hooks come with times a day ahead and a day behind, as after a
// clock was set. The state follows what came last, and the log stays in order.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.agentSession("agent")
	for i, step := range []struct {
		hook, more string
		jump       time.Duration
		want       api.State
	}{
		{"SessionStart", `"source":"startup"`, 0, api.StateIdle},
		{"UserPromptSubmit", `"prompt":"one"`, 24 * time.Hour, api.StateWorking},
		{"Stop", "", -24 * time.Hour, api.StateIdle},
		{"UserPromptSubmit", `"prompt":"two"`, 0, api.StateWorking},
		{"Stop", "", time.Hour, api.StateIdle},
	} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", "http://ccdir/v1/hook", strings.NewReader(hookJSON(step.hook, step.more)))
		if err != nil {
			t.Fatal(err)
		}
		for key, value := range map[string]string{api.HeaderSession: s.ID, api.HeaderToken: p.token(s), api.HeaderHook: step.hook,
			api.HeaderHookID: fmt.Sprint(i), api.HeaderAt: time.Now().Add(step.jump).UTC().Format(time.RFC3339Nano)} {
			req.Header.Set(key, value)
		}
		resp, err := p.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		until(t, fmt.Sprintf("%s after %s", step.want, step.hook), func() bool { return p.get("agent").State == step.want })
	}
	p.events() // fails on a gap
	p.stopDaemon()
	p.run()
	if got := p.get("agent"); got.State != api.StateIdle || got.Prompt != "two" {
		t.Errorf("after a restart: %+v", got)
	}
}

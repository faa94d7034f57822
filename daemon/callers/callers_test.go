package callers_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/api"
	"ccdir/internal/tune/ratelimit"
	"ccdir/mcpserver"
)

// TestPermit: a process inside may what its session may over MCP: the role has the tool, and the
// policy does not deny it. The policy is asked about the session as it is.
func TestPermit(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nowhere)
	for _, c := range []struct {
		session, tool string
		denied        bool
		want          string
	}{
		{"one", "session_send", false, ""},
		{"one", "session_send", true, "a rule denies it"},
		{"one", "session_spawn", false, "its role has not the tool session_spawn"},
		{"two", "session_spawn", false, ""},
		{"three", "session_send", false, "there is no session three"},
	} {
		err := p.Permit(t.Context(), api.Origin{Inside: true, Session: c.session, Role: "lead"}, c.tool, map[string]any{"denied": c.denied})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	one, two := mcpserver.Caller{Session: "one", Name: "first", Role: "dev", Dir: "/first"}, mcpserver.Caller{Session: "two", Name: "second", Role: "lead", Dir: "/second"}
	if got, want := fmt.Sprint(p.decided), fmt.Sprint([]mcpserver.Caller{one, one, two}); got != want {
		t.Errorf("the policy was asked about %s, want %s", got, want)
	}
}

// TestAnswer: a lead answers as itself, whoever it says to be; nobody else does.
func TestAnswer(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nowhere)
	a := api.Answer{Behavior: api.AnswerAllow, Lead: "person", Client: "grid"}
	for session, ref := range map[string]string{"one": "k3", "two": "k4", "": "k3"} {
		if _, err := p.Callers.Answer(t.Context(), api.Origin{Inside: true, Session: session}, ref, a); err == nil {
			t.Errorf("session %q answers %s", session, ref)
		}
	}
	if len(p.answered) > 0 {
		t.Errorf("answered %+v", p.answered)
	}
	d, err := p.Callers.Answer(t.Context(), api.Origin{Inside: true, Session: "two"}, "k3", a)
	if err != nil || d.Request.ID != "k3vfa" || d.By != api.ByLead {
		t.Errorf("%+v, %v", d, err)
	}
	if len(p.answered) != 1 || p.answered[0].Lead != "two" || p.answered[0].Client != "" || p.answered[0].Behavior != api.AnswerAllow {
		t.Errorf("answered %+v", p.answered)
	}
}

// TestRefused: each refusal is a row and an event of the session that called; of a loop some are
// kept, and the next one says how many were not.
func TestRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlace(t, nowhere)
		for range ratelimit.Burst + 5 {
			p.Refused(api.Origin{Inside: true, Session: "one"}, "POST /v1/tasks", "it is\nfor the person")
		}
		e := p.events[0]
		if e.Session != "one" || e.Type != api.EventCallRefused || e.Source != "daemon" || e.Message != "POST /v1/tasks: it is␊for the person" ||
			e.StateFrom != api.StateWorking || e.StateTo != api.StateWorking || !e.At.Equal(time.Now()) {
			t.Errorf("event %+v", e)
		}
		if rows := p.refused(); len(rows) != ratelimit.Burst || rows[0] != (row{"one", "POST /v1/tasks", "it is\nfor the person"}) {
			t.Errorf("%d rows, %q", len(rows), rows[0])
		}
		time.Sleep(time.Second)
		p.Refused(api.Origin{}, "GET /mcp", "unknown")
		if e := p.events[0]; e.Session != "" || e.StateTo != "" {
			t.Errorf("event %+v", e)
		}
		if rows := p.refused(); len(rows) != 1 || rows[0].why != "unknown (and 5 more calls)" {
			t.Errorf("rows %q", rows)
		}
	})
}

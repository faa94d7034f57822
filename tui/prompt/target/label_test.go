package target

import (
	"strconv"
	"testing"

	"ccdir/api"
	"ccdir/tui/paint"
)

// session is an idle agent; shell one that is no agent.
func session(id, name string, st api.State) api.Session {
	return api.Session{ID: id, Name: name, Agent: "claude", State: st, CWD: "/work"}
}

func shell(id, name string) api.Session {
	v := session(id, name, api.StateIdle)
	v.Agent, v.Plain = "command", api.PlainShell
	return v
}

// TestCountOf: what does not fit is counted, and that a shell is among them is said at
// any width.
func TestCountOf(t *testing.T) {
	var agents []api.Session
	for i := range 12 {
		agents = append(agents, session("id"+strconv.Itoa(i), "frontend-"+strconv.Itoa(i), api.StateIdle))
	}
	sh, vim := shell("s", "sh"), shell("v", "vim")
	for _, tt := range []struct {
		to   []api.Session
		room int
		want string
	}{
		{agents[:2], 60, "2 sessions: frontend-0, frontend-1"},
		{agents, 60, "12 sessions: frontend-0, frontend-1, frontend-2, 9 more"},
		{agents, 24, "12 sessions"},
		{agents[:1], 15, "1 session"},
		{append(agents[:2:2], sh), 60, "3 sessions: frontend-0, frontend-1 and sh, a shell"},
		{append(agents[:12:12], sh), 60, "13 sessions: frontend-0, frontend-1, 10 more and sh, a shell"},
		{append(agents[:12:12], sh), 32, "13 sessions with sh, a shell"},
		{append(agents[:2:2], sh, vim), 80, "4 sessions: frontend-0, frontend-1 and sh, vim, which are no agents"},
		{[]api.Session{sh, vim}, 60, "2 sessions: sh, vim, which are no agents"},
		{append(agents[:2:2], sh, vim, sh, vim, sh, vim), 80, "8 sessions: frontend-0, frontend-1 and sh, vim, sh, 3 more, which are no agents"},
		{append(agents[:2:2], sh, vim, sh, vim, sh, vim), 60, "8 sessions: frontend-0, frontend-1 and 6 shells or commands"},
	} {
		got := countOf(tt.to, "session", tt.room)
		if got != tt.want {
			t.Errorf("%d in %d columns: %q instead of %q", len(tt.to), tt.room, got, tt.want)
		}
		if tt.room >= 60 && paint.Width(got) > tt.room {
			t.Errorf("%q is wider than %d", got, tt.room)
		}
	}
}

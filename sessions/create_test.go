package sessions

import (
	"strings"
	"testing"

	"ccdir/agents"
	"ccdir/api"
)

// TestNoExecutable: a command that the caller gave is missing by its own name, whatever
// agent it was given for; an agent's own with the way to install it.
func TestNoExecutable(t *testing.T) {
	r, _ := newTestRegistry(t, &fakeHost{t: t})
	for _, c := range []struct {
		argv []string
		want string
	}{
		{[]string{"no-such-command", "-x"}, "no-such-command"},
		{nil, "claude is not installed"},
	} {
		_, err := r.Create(t.Context(), api.NewSession{Agent: agents.KindClaude, Argv: c.argv, CWD: "/", Env: []string{"PATH=/nowhere"}})
		if api.CodeOf(err) != api.CodeNoAgent || !strings.Contains(err.Error(), c.want) || c.argv != nil && strings.Contains(err.Error(), "installed") {
			t.Errorf("%v: %v", c.argv, err)
		}
	}
}

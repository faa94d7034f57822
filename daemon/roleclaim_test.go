package daemon

import (
	"os/exec"
	"strings"
	"testing"

	"ccdir/agents/claude"
	"ccdir/api"
)

// TestRoleOfTheEnvironment: a role that a session's environment claims is recorded
// once, and gives nothing.
func TestRoleOfTheEnvironment(t *testing.T) {
	p := newPlace(t)
	p.policy(testPolicy)
	p.run()
	s := p.agentSession("one")
	hook := func(role, command string) string {
		cmd := exec.Command(shimPath, "hook", claude.HookPreToolUse)
		cmd.Stdin = strings.NewReader(bashUse(command))
		cmd.Env = []string{api.EnvSession + "=" + s.ID, api.EnvToken + "=" + p.token(s), api.EnvSocket + "=" + p.paths.Socket(), api.EnvDir + "=" + p.paths.SessionDir(s.ID), api.EnvRole + "=" + role}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return decision(string(out))
	}
	for _, c := range []struct{ role, command, want string }{
		{"", "git status", "allow"}, {"dev", "git status", "allow"}, {"lead", "make", ""}, {"lead", "make", ""}, {"lead", "git push", "ask"}, {"person", "rm x", "deny"},
	} {
		if got := hook(c.role, c.command); got != c.want {
			t.Errorf("%s as %q: %q, want %q", c.command, c.role, got, c.want)
		}
	}
	rows := p.decisions("decision=refused")
	if len(rows) != 2 || rows[0].Session != s.ID || rows[0].Hook != "role" || !strings.Contains(rows[0].Reason, "claims the role lead") || !strings.Contains(rows[1].Reason, "person") {
		t.Errorf("rows %+v", rows)
	}
}

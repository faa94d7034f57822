package daemon

import (
	"strings"
	"testing"

	"ccdir/api"
)

// TestScreenRules: the patterns of config.toml tell the state of a command that
// says nothing itself, through a restart of the daemon, and `explain` says so.
func TestScreenRules(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config(`
[agents.tool]
kind = "generic"
[[agents.tool.screen]]
state = "idle"
match = '^tool> $|^tool>$'

[[agents.command.screen]]
state = "waiting_for_permission"
match = '^(?P<question>.*\?) \[y/N\]'
lines = 2
[[agents.command.screen]]
state = "working"
match = 'building$'
lines = 1
`)
	p.run()
	script := `stty -echo; echo building; read a; printf 'Delete it? [y/N] '; read b; printf '\nstill\nbuilding\n'; read c; echo all done; read d`
	s := p.create(api.NewSession{Argv: sh(script)})
	other := p.create(api.NewSession{Agent: "tool", Argv: sh(`stty -echo; printf 'tool> '; read a; echo; echo thinking; read b`)})
	p.wait(s.ID, api.StateWorking)
	until(t, "the prompt", func() bool { return strings.Contains(p.screen(other.ID), "tool>") })
	p.wait(other.ID, api.StateIdle)
	enter := func(id string) {
		t.Helper()
		p.call("POST", "/v1/sessions/"+id+"/input/raw", api.RawInput{Keys: []string{"Enter"}}, nil)
	}
	enter(other.ID)
	p.wait(other.ID, api.StateWorking) // what is not idle is working, with a rule for idle only

	enter(s.ID)
	asked := p.wait(s.ID, api.StatePermission)
	if asked.Question != "Delete it? (answer in the pane)" || !asked.AnswerInPane {
		t.Errorf("it asks %q, in the pane: %v", asked.Question, asked.AnswerInPane)
	}
	var x api.Explanation
	p.call("GET", "/v1/sessions/"+s.ID+"/explain", nil, &x)
	if x.Rule != "screen" || x.Winner == nil || !strings.Contains(x.Winner.Detail, "Delete it?") {
		t.Errorf("explained by %+v", x)
	}

	p.stopDaemon()
	p.run()
	if now := p.get(s.ID); now.State != api.StatePermission || now.Question != asked.Question {
		t.Errorf("after a restart: %s, %q", now.State, now.Question)
	}
	enter(s.ID)
	p.wait(s.ID, api.StateWorking)
	enter(s.ID)
	p.wait(s.ID, api.StateIdle) // no rule fits

	states := ""
	for _, e := range p.events() {
		if e.Session == s.ID && e.StateTo != "" && !strings.HasSuffix(states, string(e.StateTo)+" ") {
			states += string(e.StateTo) + " "
		}
	}
	if want := "idle working waiting_for_permission working idle "; states != want {
		t.Errorf("states %q, want %q", states, want)
	}
}

package state

import (
	"testing"
	"time"

	"ccdir/api"
)

// TestInterrupted: what ended a turn, by hooks, keys, the screen and the agent's file.
func TestInterrupted(t *testing.T) {
	keys := func(k string) step {
		return step{source: api.SourceKeys, name: "keys", fields: "keys=" + k}
	}
	prompt, ends := hook(api.KindPrompt, working, "", working), hook(api.KindTurnEnds, idle, "", idle)
	for name, c := range map[string]struct {
		steps []step
		want  bool
	}{
		"a turn that ends":                      {[]step{prompt, ends}, false},
		"Escape, then the status":               {[]step{prompt, psp("state=working", working, working), keys("Escape"), psp("state=idle", idle, idle)}, true},
		"the status without a key":              {[]step{prompt, psp("state=working", working, working), psp("state=idle", idle, idle)}, false},
		"a dialog answered with no":             {[]step{prompt, hook(api.KindDialog, permission, "tool=Bash", permission), psp("state=idle", idle, idle)}, true},
		"Escape, and the turn ends by itself":   {[]step{prompt, keys("Escape"), ends}, false},
		"Escape, and the next turn ends":        {[]step{prompt, keys("Escape"), psp("state=idle", idle, idle), prompt, ends}, false},
		"Escape at the prompt":                  {[]step{prompt, ends, keys("Escape"), psp("state=idle", idle, idle)}, false},
		"Escape, and its end arrives late":      {[]step{prompt, keys("Escape"), psp("state=idle", idle, idle), ends}, false},
		"the agent reports it":                  {[]step{prompt, hook(api.KindTurnInterrupted, idle, "", idle)}, true},
		"a subagent reports it":                 {[]step{prompt, hook(api.KindTurnInterrupted, "", "agent_id=a", working)}, false},
		"its conversation was cleared since":    {[]step{prompt, hook(api.KindTurnInterrupted, idle, "", idle), hook(api.KindConversationBegins, idle, "cleared=yes", idle)}, false},
		"a prompt that arrives after its end":   {[]step{hook(api.KindTurnInterrupted, idle, "", idle), {source: api.SourceHook, kind: api.KindPrompt, says: working, at: 500 * time.Millisecond}}, true},
		"Escape with a prompt queued runs that": {[]step{prompt, prompt, keys("Escape"), ends}, false},
	} {
		f := NewFold(true, foldStart)
		for i, s := range c.steps {
			at := s.at
			if at == 0 {
				at = time.Duration(i+1) * time.Second
			}
			f = f.Apply(s.evidence(at))
		}
		if f.Interrupted != c.want {
			t.Errorf("%s: interrupted is %t (%s by %s)", name, f.Interrupted, f.State, f.Rule)
		}
	}
}

// TestFromFile: turns of the agent's file, of which some are not the last one.
func TestFromFile(t *testing.T) {
	at := func(s int) time.Time { return foldStart.Add(time.Duration(s) * time.Second) }
	turn := func(state api.TurnState, ended int) api.Turn { return api.Turn{State: state, Ended: at(ended)} }
	prompted := NewFold(true, foldStart).Apply(hook(api.KindPrompt, working, "", working).evidence(10 * time.Second))
	cut := prompted.Apply(hook(api.KindTurnInterrupted, idle, "", idle).evidence(20 * time.Second))
	for name, c := range map[string]struct {
		fold              Fold
		turn              api.Turn
		last, interrupted bool
	}{
		"of an earlier prompt":        {prompted, turn(api.TurnDone, 5), false, false},
		"it runs":                     {prompted, api.Turn{State: api.TurnRunning}, false, false},
		"it is done":                  {prompted, turn(api.TurnDone, 15), true, false},
		"it was interrupted":          {prompted, turn(api.TurnInterrupted, 15), true, true},
		"the one before interruption": {cut, turn(api.TurnDone, 15), false, true},
		"the same interruption":       {cut, turn(api.TurnInterrupted, 21), true, true},
		"it went on":                  {cut, turn(api.TurnDone, 25), true, false},
	} {
		if f, last := c.fold.FromFile(&c.turn); last != c.last || f.Interrupted != c.interrupted {
			t.Errorf("%s: last %t, interrupted %t", name, last, f.Interrupted)
		}
	}
}

package confirm

import (
	"context"
	"slices"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// killer is a client that notes what it is to end.
type killer struct {
	ui.Client
	calls *[]string
}

func (k killer) KillSession(_ context.Context, id string, _ api.Kill) (api.Session, error) {
	*k.calls = append(*k.calls, "kill "+id)
	return api.Session{ID: id}, nil
}

func TestKill(t *testing.T) {
	env := uitest.Env(60, 12)
	v := api.Session{ID: "aaaa1111", Name: "api", State: api.StateWorking}
	env.Sessions, env.Names["aaaa1111"] = []api.Session{v}, "api"
	d := Kill(env.Sessions)
	uitest.Everywhere(t, env, d, "kill")
	if _, effects := uitest.Press(env, d, "n"); !slices.Equal(effects, []ui.Effect{ui.Close{}}) {
		t.Errorf("no: %v", effects)
	}
	var calls []string
	_, effects := uitest.Press(env, d, "y")
	_, learnt := uitest.Answer(env, d, killer{calls: &calls}, effects)
	if !slices.Equal(calls, []string{"kill aaaa1111"}) || len(learnt) != 1 || effects[0] != (ui.Close{}) {
		t.Errorf("yes: %v, calls %v, then %v", effects, calls, learnt)
	}
	early := env
	early.Early = true
	if _, effects := uitest.Press(early, d, "y"); len(effects) > 0 {
		t.Errorf("a yes from before the question: %v", effects)
	}
}

// TestStale: a question about a session that has gone asks no more, and stays for the
// key that is on its way.
func TestStale(t *testing.T) {
	env := uitest.Env(60, 12)
	env.Names["aaaa1111"] = "api"
	d, _ := uitest.Refresh(env, Kill([]api.Session{{ID: "aaaa1111", Name: "api", State: api.StateWorking}}), nil)
	if dump := uitest.Picture(env, d).Dump(); !strings.Contains(dump, "api was removed meanwhile.") {
		t.Errorf("it still asks:\n%s", dump)
	}
	if _, effects := uitest.Press(env, d, "y"); !slices.Equal(effects, []ui.Effect{ui.Close{}}) {
		t.Errorf("yes: %v", effects)
	}
}

func TestKillSeveral(t *testing.T) {
	for want, all := range map[string][]api.Session{
		"Kill 2 sessions?":                             {{ID: "a"}, {ID: "b"}},
		"Remove 2 sessions from the list?":             {{ID: "a", State: api.StateExited}, {ID: "b", State: api.StateExited}},
		"Kill 1 session and remove 1 that have ended?": {{ID: "a"}, {ID: "b", State: api.StateExited}},
	} {
		if got := Kill(all).Question; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

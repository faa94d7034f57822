package fleetpage

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// fleeted is a client that reaches a fleet.
type fleeted struct {
	ui.Client
	fleet api.Fleet
	open  []api.Task
	more  bool
	err   error
}

func (c fleeted) Fleet(context.Context) (api.Fleet, []api.Task, bool, error) {
	return c.fleet, c.open, c.more, c.err
}

// TestAlone: machines, what runs where and why something waits; what was known stays where the fleet does not answer.
func TestAlone(t *testing.T) {
	env := uitest.Env(80, 40)
	shows := func(d ui.Component, words ...string) {
		t.Helper()
		dump := uitest.Picture(env, d).Dump()
		for _, w := range words {
			if !strings.Contains(dump, w) {
				t.Errorf("%q is nowhere:\n%s", w, dump)
			}
		}
	}
	d, _ := uitest.Refresh(env, New(), fleeted{err: errors.New("this machine is in no fleet")})
	shows(d, "this machine is in no fleet", "ccdir-fleet")
	env.Now = env.Now.Add(askEvery)
	d, _ = uitest.Refresh(env, d, fleeted{fleet: api.Fleet{Leader: "hub"}})
	shows(d, "none has joined", "`ccdir task add --fleet`", "hub")

	used, ends := 42.0, env.Now.Add(2*time.Hour)
	place := api.Task{ID: "t2", NewTask: api.NewTask{Prompt: "train the model"}, State: api.TaskRunning, Place: "gpu1"}
	client := fleeted{more: true, open: []api.Task{
		{ID: "t3", NewTask: api.NewTask{Prompt: "explain\nthe loss"}, State: api.TaskQueued, Reason: "no machine has a free place"}, place},
		fleet: api.Fleet{Leader: "hub", Queue: api.Queue{Counts: map[api.TaskState]int{api.TaskRunning: 1, api.TaskQueued: 1}}, Nodes: []api.FleetNode{
			{Name: "gpu1", Labels: []string{"claude", "gpu"}, Slots: 1, Used: 1, Version: api.Version, Limited: []string{"codex"},
				Windows: []api.UsageWindow{{Agent: "claude", Account: "default", Name: "5h", UsedPercent: &used, ResetsAt: &ends, At: env.Now}}},
			{Name: "gpu2", Slots: 4, Version: "0.0.9", Away: env.Now.Add(-5 * time.Minute)},
		}}}
	env.Now = env.Now.Add(askEvery)
	d, _ = uitest.Refresh(env, d, client)
	shows(d, "gpu1", "1 of 1", "claude gpu", "claude/default", "42%", "takes no task of: codex", "away for 5m", "t2", "train the model", "explain the loss", "no machine has a free place", "there are more")
	if dump := uitest.Picture(env, d).Dump(); strings.Index(dump, "t2 ") > strings.Index(dump, "t3 ") {
		t.Errorf("what runs does not stand first:\n%s", dump)
	}
	uitest.Everywhere(t, env, d, "fleet")
	if _, effects := d.(ui.Refresher).Refresh(env); len(effects) > 0 {
		t.Error("it asks again at once")
	}
	env.Now = env.Now.Add(askEvery)
	d, _ = uitest.Refresh(env, d, fleeted{err: errors.New("the fleet does not answer")})
	shows(d, "the fleet does not answer", "gpu1")
	if _, effects := uitest.Press(env, d, "F"); len(effects) != 1 || effects[0] != (ui.Close{All: true}) {
		t.Errorf("its own key: %v", effects)
	}
}

package nodes

import (
	"context"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// far is a client that notes what is ended.
type far struct {
	ui.Client
	ui.Nodes
	down *[]string
}

func (f far) DisconnectNode(_ context.Context, node string) error {
	*f.down = append(*f.down, node)
	return nil
}

func TestNodes(t *testing.T) {
	env := uitest.Env(110, 20)
	uitest.Everywhere(t, env, New(), "no-nodes")
	env.Nodes = []ui.Node{
		{Name: "gpu1", Target: "gpu1", State: ui.NodeOnline, Version: "0.9.0", Round: 23456 * time.Microsecond, Seen: env.Now},
		{Name: "lab", Target: "you@lab.example", State: ui.NodeOffline, Version: "0.9.0", Reason: "No route to host", Next: env.Now.Add(20 * time.Second), Seen: env.Now.Add(-90 * time.Second)},
		{Name: "pi", Target: "pi", State: ui.NodeAsks, Reason: "Permission denied (publickey,password)"},
	}
	env.Sessions = []api.Session{{ID: "gpu1/a", Node: "gpu1", State: api.StateWorking}, {ID: "gpu1/b", Node: "gpu1", State: api.StateInput}, {ID: "c", State: api.StateIdle}}
	down := []string{}
	r := uitest.NewRig(t, env, far{down: &down}, New())
	uitest.Everywhere(t, env, r.C, "nodes")
	r.Shows("23.5 ms", "2 sessions, 1 asks", "No route to host, again in 20 s")
	if r.Do("Enter"); !r.Asks(ui.Do{Action: keymap.List, Arg: "gpu1/"}) {
		t.Errorf("Enter on a node that is online: %v", r.Asked)
	}
	if r.Do("d"); len(down) != 1 || down[0] != "gpu1" {
		t.Errorf("ended: %v", down)
	}
	r.Do("Down", "i")
	r.Shows("you@lab.example", "1m ago", "ccdir node doctor lab")
	r.Do("Escape", "Down", "Enter")
	if _, ok := r.Asked[len(r.Asked)-1].(ui.Open); !ok {
		t.Errorf("Enter on a node that asks: %v", r.Asked)
	}
}

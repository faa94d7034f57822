package api_test

import (
	"testing"
	"time"

	"ccdir/api"
)

// TestFleetHold: what keeps a task of a fleet from starting is said in words.
func TestFleetHold(t *testing.T) {
	now := time.Now()
	node := func(name string, used int, labels ...string) api.FleetNode {
		return api.FleetNode{Name: name, Labels: labels, Slots: 1, Used: used}
	}
	away, limited := node("gpu1", 0, "claude", "gpu"), node("gpu1", 0, "claude", "gpu")
	away.Away, limited.Limited = now, []string{"claude"}
	for _, c := range []struct {
		want  string
		place api.Placement
		nodes []api.FleetNode
	}{
		{"no machine has joined", api.Placement{}, nil},
		{"no machine is called gpu1", api.Placement{Node: "gpu1"}, []api.FleetNode{node("n1", 0, "claude")}},
		{"gpu1 has no gpu", api.Placement{Node: "gpu1", Needs: []string{"gpu"}}, []api.FleetNode{node("gpu1", 0, "claude"), node("gpu2", 0, "claude", "gpu")}},
		{"no machine has claude, gpu", api.Placement{Needs: []string{"gpu"}}, []api.FleetNode{node("n1", 0, "claude"), node("n2", 0, "gpu")}},
		{"no machine that fits has a free place", api.Placement{Needs: []string{"gpu"}}, []api.FleetNode{node("n1", 0, "claude"), node("n2", 1, "claude", "gpu")}},
		{"gpu1 is away", api.Placement{Needs: []string{"gpu"}}, []api.FleetNode{node("n1", 0, "claude"), away}},
		{"usage limit of claude on gpu1", api.Placement{Needs: []string{"gpu"}}, []api.FleetNode{limited}},
		{"", api.Placement{Needs: []string{"gpu"}}, []api.FleetNode{away, node("gpu2", 0, "claude", "gpu")}},
	} {
		f := api.Fleet{Nodes: c.nodes, Queue: api.Queue{Mode: api.QueueAuto, Limit: 9}}
		task := api.Task{NewTask: api.NewTask{Agent: "claude", Fleet: &c.place}, State: api.TaskQueued}
		if got := f.Hold(task, nil, now); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if task.State = api.TaskRunning; f.Hold(task, nil, now) != "" {
			t.Errorf("one that runs waits: %q", f.Hold(task, nil, now))
		}
	}
	paused := api.Fleet{Queue: api.Queue{Mode: api.QueuePaused, Limit: 9}}
	if got := paused.Hold(api.Task{State: api.TaskQueued}, nil, now); got != "the queue is paused" {
		t.Errorf("paused: %q", got)
	}
}

package queue

import (
	"context"
	"slices"
	"testing"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// keeper is a client that notes what is asked of its queue.
type keeper struct {
	ui.Queue
	calls *[]string
}

func (k keeper) MoveTask(_ context.Context, id, before string) (api.Task, error) {
	*k.calls = append(*k.calls, "move "+id+" before "+before)
	return api.Task{ID: id}, nil
}

func (k keeper) ClearTasks(context.Context) ([]api.Task, error) {
	*k.calls = append(*k.calls, "clear")
	return nil, nil
}

func (k keeper) AddTasks(_ context.Context, list []api.NewTask) ([]api.Task, error) {
	*k.calls = append(*k.calls, "add "+list[0].Prompt+" in "+list[0].CWD)
	return nil, nil
}

func world(cols, rows int) ui.Env {
	env := uitest.Env(cols, rows)
	task := func(id string, st api.TaskState) api.Task {
		return api.Task{ID: id, State: st, Since: uitest.Epoch, NewTask: api.NewTask{Prompt: "prompt of " + id}}
	}
	env.Work = ui.Work{
		Tasks: []api.Task{task("t1", api.TaskRunning), task("t2", api.TaskQueued), task("t3", api.TaskQueued), task("t4", api.TaskFailed)},
		Queue: &api.Queue{Mode: api.QueueAuto, Limit: 2, Counts: map[api.TaskState]int{api.TaskQueued: 2}},
	}
	return env
}

func TestKeys(t *testing.T) {
	env := world(90, 20)
	uitest.Golden(t, env, New("/src", nil), "queue-90x20")
	for _, tt := range []struct{ keys, want []string }{
		{[]string{"a", "f", "i", "x", "Enter"}, []string{"add fix in /src"}},
		{[]string{"a", "x", "Escape"}, nil},
		{[]string{"Down", "Down", "K"}, []string{"move t3 before t2"}},
		{[]string{"Down", "K"}, nil}, // it is the first
		{[]string{"C", "y"}, []string{"clear"}},
		{[]string{"C", "n"}, nil},
	} {
		var calls []string
		_, effects := uitest.Press(env, New("/src", nil), tt.keys...)
		for _, e := range effects {
			if call, ok := e.(ui.QueueCall); ok {
				if run := call.Plan(env.Work); run != nil {
					_, _, _ = run(context.Background(), keeper{calls: &calls})
				}
			}
		}
		if !slices.Equal(calls, tt.want) {
			t.Errorf("%q: %q, want %q", tt.keys, calls, tt.want)
		}
	}
}

// TestClearIsAskedAnew: a y that was typed before the question was on the screen does
// not answer it.
func TestClearIsAskedAnew(t *testing.T) {
	env := world(90, 20)
	d, effects := uitest.Press(env, New("/src", nil), "C")
	if len(effects) != 1 || effects[0] != (ui.Anew{}) {
		t.Errorf("the question: %v", effects)
	}
	env.Early = true
	if d, effects = uitest.Press(env, d, "y"); len(effects) > 0 {
		t.Errorf("a key in flight: %v", effects)
	}
	env.Early = false
	if _, effects = uitest.Press(env, d, "y"); len(effects) != 1 {
		t.Errorf("yes: %v", effects)
	}
}

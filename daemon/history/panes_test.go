package history

import (
	"testing"
	"time"

	"ccdir/api"
	"ccdir/config"
)

// TestKeeps: which ended sessions of tasks stay in the list.
func TestKeeps(t *testing.T) {
	zero, one := 0, 1
	task := func(state api.TaskState, session string, code *int) *api.Task {
		return &api.Task{ID: "t1", State: state, Session: session, Result: api.TaskResult{ExitCode: code}}
	}
	for _, tt := range []struct {
		name   string
		mode   string
		task   *api.Task
		code   *int
		looked time.Duration
		keep   bool
		left   time.Duration
	}{
		{"done", config.PanesFailed, task(api.TaskDone, "s1", &zero), &zero, 0, false, 0},
		{"done, its end not read", config.PanesFailed, task(api.TaskDone, "s1", nil), &zero, 0, true, 0},
		{"lost, without a code", config.PanesNone, task(api.TaskFailed, "s1", nil), nil, 0, false, 0},
		{"cancelled", config.PanesFailed, task(api.TaskCancelled, "s1", &zero), &zero, 0, false, 0},
		{"failed, unseen", config.PanesFailed, task(api.TaskFailed, "s1", &one), &one, 0, true, 0},
		{"failed, just seen", config.PanesFailed, task(api.TaskFailed, "s1", &one), &one, time.Minute, true, lookedAt - time.Minute},
		{"failed, seen before", config.PanesFailed, task(api.TaskTimedOut, "s1", &one), &one, lookedAt, false, 0},
		{"failed, none kept", config.PanesNone, task(api.TaskFailed, "s1", &one), &one, 0, false, 0},
		{"done, all kept", config.PanesAll, task(api.TaskDone, "s1", &zero), &zero, time.Hour, true, 0},
		{"between attempts", config.PanesFailed, task(api.TaskQueued, "s1", &one), &one, 0, true, 0},
		{"the next attempt has no session yet", config.PanesFailed, task(api.TaskStarting, "", nil), &one, 0, true, 0},
		{"an earlier attempt", config.PanesFailed, task(api.TaskRunning, "s2", nil), &one, 0, false, 0},
		{"an earlier attempt, all kept", config.PanesAll, task(api.TaskRunning, "s2", nil), &one, 0, true, 0},
		{"forgotten", config.PanesAll, nil, &zero, 0, false, 0},
	} {
		s := api.Session{ID: "s1", Task: "t1", State: api.StateExited, ExitCode: tt.code}
		if keep, left := keeps(tt.mode, s, tt.task, tt.looked); keep != tt.keep || left != tt.left {
			t.Errorf("%s: %v %s, want %v %s", tt.name, keep, left, tt.keep, tt.left)
		}
	}
}

package task

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/cli/verb"
)

// teller is an app that prints to out; told is what it says on standard error.
func teller(t *testing.T, out *bytes.Buffer) (a *verb.App, told func() string) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "told"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return &verb.App{Out: out, Process: verb.Process{Stderr: f}}, func() string {
		data, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
}

// TestFleetTable: the fleet's tasks have a head row, and none has none.
func TestFleetTable(t *testing.T) {
	var out bytes.Buffer
	a, _ := teller(t, &out)
	printPlaced(a, []api.Task{{ID: "t5", NewTask: api.NewTask{Prompt: "train"}, State: api.TaskQueued, Reason: "no machine"}})
	head, row, _ := strings.Cut(out.String(), "\n")
	for column, value := range map[string]string{"TASK": "t5", "STATE": "queued", "MACHINE": "-", "PROMPT": "train", "REASON": "no machine"} {
		if at := strings.Index(head, column); at < 0 || !strings.HasPrefix(row[min(at, len(row)):], value) {
			t.Errorf("%s is not above %q:\n%s", column, value, out.String())
		}
	}
	out.Reset()
	if printPlaced(a, nil); out.Len() > 0 {
		t.Errorf("of no task: %q", out.String())
	}
}

// TestFollowQueued: a task of the fleet that has not begun is waited for, which is said once; what is no task, or has
// ended without having begun, is an error.
func TestFollowQueued(t *testing.T) {
	for name, c := range map[string]struct {
		states []api.TaskState
		out    string
		fails  bool
	}{
		"begins":    {[]api.TaskState{api.TaskQueued, api.TaskStarting, api.TaskRunning, api.TaskDone}, "text\n", false},
		"cancelled": {[]api.TaskState{api.TaskQueued, api.TaskCancelled}, "", true},
		"none":      {nil, "", true},
	} {
		var out bytes.Buffer
		a, told := teller(t, &out)
		looks := c.states
		ask := func(_ context.Context, r api.FleetRequest) (api.FleetReply, error) {
			if len(looks) == 0 {
				return api.FleetReply{}, errors.New("no such task")
			}
			now := api.Task{ID: "t1", State: looks[0], Reason: "no machine has gpu"}
			begun := now.State == api.TaskRunning || now.State == api.TaskDone
			switch {
			case r.Op == api.FleetTask:
				looks = looks[1:]
			case !begun:
				return api.FleetReply{}, errors.New("t1 has not begun")
			default:
				looks = looks[1:]
				return api.FleetReply{Tasks: []api.Task{now}, Text: "text\n"[min(r.From, 5):]}, nil
			}
			return api.FleetReply{Tasks: []api.Task{now}}, nil
		}
		err := followLog(t.Context(), a, fleetLog(t.Context(), a, api.FleetLogs, "t1", ask))
		if (err != nil) != c.fails || out.String() != c.out {
			t.Errorf("%s: %v, %q", name, err, out.String())
		}
		if c.states != nil && (strings.Count(told(), "t1") != 1 || !strings.Contains(told(), "no machine has gpu")) {
			t.Errorf("%s: told %q", name, told())
		}
	}
}

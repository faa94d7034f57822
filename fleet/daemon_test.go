package fleet_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ccdir/api"
	"ccdir/client"
)

// daemon is a machine's daemon: it runs what it gets until the test ends it, and takes a request once.
type daemon struct {
	mu     sync.Mutex
	tasks  []api.Task
	began  map[string]int // by request
	auto   bool           // tasks are done at once
	change chan api.Task
	asked  atomic.Int32 // calls of waiter.StartTask
}

func newDaemon(auto bool) *daemon {
	return &daemon{began: map[string]int{}, auto: auto, change: make(chan api.Task, 1000)}
}

func (d *daemon) AddTasks(_ context.Context, list []api.NewTask) ([]api.Task, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.tasks {
		if t.Request == list[0].Request {
			return []api.Task{t}, nil
		}
	}
	if list[0].Fleet != nil || len(list[0].Request) > 64 {
		return nil, api.Errorf(api.CodeInvalid, "not for a daemon")
	}
	d.began[list[0].Request]++
	t := api.Task{ID: fmt.Sprintf("t%d", len(d.tasks)+1), NewTask: list[0], State: api.TaskRunning, Session: "s"}
	if d.auto {
		t.State, t.Result.Message = api.TaskDone, "done: "+t.Prompt
	}
	d.tasks = append(d.tasks, t)
	d.change <- t
	return []api.Task{t}, nil
}

func (d *daemon) find(ref string) (int, error) {
	for i, t := range d.tasks {
		if t.ID == ref {
			return i, nil
		}
	}
	return 0, api.Errorf(api.CodeNotFound, "no task %s", ref)
}

func (d *daemon) Tasks(context.Context) ([]api.Task, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]api.Task{}, d.tasks...), nil
}

func (d *daemon) Task(_ context.Context, ref string) (api.Task, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i, err := d.find(ref)
	if err != nil {
		return api.Task{}, err
	}
	return d.tasks[i], nil
}

func (d *daemon) end(ref string, state api.TaskState) (api.Task, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i, err := d.find(ref)
	if err != nil {
		return api.Task{}, err
	}
	if !d.tasks[i].State.Ended() {
		d.tasks[i].State, d.tasks[i].Result.Message = state, "ended: "+d.tasks[i].Prompt
		d.change <- d.tasks[i]
	}
	return d.tasks[i], nil
}

// endOf ends the newest task of a prompt.
func (d *daemon) endOf(t *testing.T, prompt string) {
	t.Helper()
	list, _ := d.Tasks(t.Context())
	for _, task := range slices.Backward(list) {
		if task.Prompt == prompt {
			if _, err := d.end(task.ID, api.TaskDone); err != nil {
				t.Error(err)
			}
			return
		}
	}
	t.Errorf("no task %q", prompt)
}

func (d *daemon) CancelTask(_ context.Context, ref string) (api.Task, error) {
	return d.end(ref, api.TaskCancelled)
}

func (d *daemon) StartTask(ctx context.Context, ref string) (api.Task, error) {
	return d.Task(ctx, ref)
}

func (d *daemon) Agents(context.Context) ([]api.AgentInfo, error) {
	return []api.AgentInfo{{Name: "claude", Kind: "claude", Path: "/bin/claude"}, {Name: "codex", Kind: "codex"}}, nil
}
func (d *daemon) Diff(_ context.Context, session string, q api.DiffQuestion) (out api.ReviewDiff, err error) {
	if q.Scope != api.DiffSession || !q.Patch {
		err = fmt.Errorf("the question is %+v", q)
	}
	out.Files = []api.ReviewFile{{Path: "huge.bin", LeftOut: api.LeftOutLarge}, {Path: "go.sum", LeftOut: api.LeftOutGenerated}}
	out.Patch = append(bytes.Repeat([]byte{0xff, '\n'}, 400_000), session...)
	return out, err
}

func (d *daemon) TaskLogs(ctx context.Context, ref string) (api.TaskLogs, error) {
	t, err := d.Task(ctx, ref)
	return api.TaskLogs{Task: t.ID, Stdout: strings.Repeat("é", 300_000) + t.Prompt, Stderr: "oh"}, err
}
func (d *daemon) Queue(context.Context) (api.Queue, error) { return api.Queue{}, nil }

func (d *daemon) Watch(ctx context.Context, w client.Watcher) error {
	w.Message(api.WatchMessage{Snapshot: &api.Snapshot{Limits: &api.Limits{Windows: []api.UsageWindow{{Agent: "claude", Account: "default", Name: "5h"}}}}})
	for {
		select {
		case t := <-d.change:
			w.Message(api.WatchMessage{Task: &t})
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

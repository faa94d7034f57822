package tui

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// queueFake is a daemon with a queue.
type queueFake struct{ *fakeClient }

func (c queueFake) AddTasks(_ context.Context, list []api.NewTask) ([]api.Task, error) {
	return nil, c.note("add-task %s in %s", list[0].Prompt, list[0].CWD)
}

func (c queueFake) Task(_ context.Context, ref string) (api.Task, error) {
	t := api.Task{ID: ref, State: api.TaskDone, NewTask: api.NewTask{Prompt: "the prompt"}}
	t.Result = api.TaskResult{Message: "the answer\x1b[31m", Turns: 3, Tokens: 400, Files: []string{"a.go"}}
	return t, c.note("show-task %s", ref)
}

func (c queueFake) StartTask(_ context.Context, ref string) (api.Task, error) {
	return api.Task{}, c.note("start-task %s", ref)
}

func (c queueFake) CancelTask(_ context.Context, ref string) (api.Task, error) {
	return api.Task{}, c.note("cancel-task %s", ref)
}

func (c queueFake) EditTask(_ context.Context, ref string, _ api.EditTask) (api.Task, error) {
	return api.Task{}, c.note("edit-task %s", ref)
}

func (c queueFake) MoveTask(_ context.Context, ref, before string) (api.Task, error) {
	return api.Task{}, c.note("move-task %s before %q", ref, before)
}

func (c queueFake) ClearTasks(context.Context, string) ([]api.Task, error) {
	return nil, c.note("clear-tasks")
}

func (c queueFake) SeenTasks(_ context.Context, ids ...string) ([]api.Task, error) {
	return nil, c.note("seen-tasks %v", ids)
}

func (c queueFake) ChangeQueue(_ context.Context, q api.QueueChange) (api.Queue, error) {
	switch {
	case q.Limit != nil:
		return api.Queue{}, c.note("queue limit %d", *q.Limit)
	case q.Paused != nil:
		return api.Queue{}, c.note("queue paused %v", *q.Paused)
	}
	return api.Queue{}, c.note("queue mode %s", q.Mode)
}

// queued is a model with a queue of four tasks: t1 runs, t2 and t3 wait, t4 failed.
func queued(t *testing.T) (*model, *fakeClient) {
	t.Helper()
	m, c := clientModel(t, fourSessions...)
	m.opts.Client, m.opts.Dir = queueFake{c}, "/src"
	task := func(id string, state api.TaskState, rank int64) api.Task {
		v := api.Task{ID: id, State: state, Rank: rank, Since: epoch, NewTask: api.NewTask{Prompt: "prompt of " + id, Request: "r"}}
		if state.Ended() {
			v.Ended, v.Reason = epoch, "it broke"
		}
		return v
	}
	running := task("t1", api.TaskRunning, 1)
	running.Session = "aaaa1111"
	queue := api.Queue{Mode: api.QueueAuto, Limit: 2, Counts: map[api.TaskState]int{api.TaskRunning: 1, api.TaskQueued: 2, api.TaskFailed: 1}}
	m.inbox.watch(api.WatchMessage{Snapshot: &api.Snapshot{Sessions: fourSessions, Queue: &queue,
		Tasks: []api.Task{task("t4", api.TaskFailed, 4), task("t3", api.TaskQueued, 3), running, task("t2", api.TaskQueued, 2)}}})
	m.Update(newsMsg{m.inbox.take()})
	return m, c
}

func TestQueuePanelShows(t *testing.T) {
	m, _ := queued(t)
	shows(t, m, "queue 1 runs, 2 queued")
	do(m, "C-b", "T")
	shows(t, m, "mode auto   limit 2   2 queued   1 running   1 failed", "failed (1)", "❯ t4", "it broke", "running (1)", "queued (2)")
	// It follows what happens, and the selection stays with its task.
	do(m, "Down", "Down")
	done := api.Task{ID: "t1", State: api.TaskDone, Ended: epoch.Add(time.Second)}
	m.inbox.watch(api.WatchMessage{Task: &done})
	m.inbox.watch(api.WatchMessage{TaskGone: "t4"})
	m.Update(newsMsg{m.inbox.take()})
	shows(t, m, "❯ t2", "done (1)")
	if strings.Contains(m.picture().Dump(), "t4") {
		t.Error("a forgotten task is still listed")
	}
}

func TestQueuePanelKeys(t *testing.T) {
	for _, tt := range []struct {
		keys []string
		want string
	}{
		{[]string{"a", "f", "i", "x", "Enter"}, "add-task fix in /work"},
		{[]string{"a", "x", "Escape"}, ""},
		{[]string{"a", "Enter"}, ""},
		{[]string{"End", "Up", "s"}, "start-task t2"},
		{[]string{"Down", "x"}, "cancel-task t1"},
		{[]string{"End", "Up", "J"}, `move-task t2 before ""`},
		{[]string{"End", "K"}, `move-task t3 before "t2"`},
		{[]string{"End", "Up", "K"}, ""}, {[]string{"J"}, ""}, {[]string{"x"}, ""},
		{[]string{"m"}, "queue mode manual"},
		{[]string{"p"}, "queue paused true"},
		{[]string{"+"}, "queue limit 3"}, {[]string{"-"}, "queue limit 1"},
		{[]string{"C", "y"}, "clear-tasks"}, {[]string{"C", "n"}, ""}, {[]string{"C", "Enter"}, ""},
		{[]string{"Enter"}, "show-task t4"}, {[]string{"r"}, "show-task t4; add-task the prompt in "},
	} {
		m, c := queued(t)
		do(m, append([]string{"C-b", "T"}, tt.keys...)...)
		calls := slices.DeleteFunc(c.noted(), func(s string) bool {
			return !strings.Contains(s, "task") && !strings.HasPrefix(s, "queue")
		})
		if got := strings.Join(calls, "; "); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.keys, got, tt.want)
		}
	}
}

func TestQueueResultAndPane(t *testing.T) {
	m, _ := queued(t)
	do(m, "C-b", "T", "Down", "Enter")
	shows(t, m, "task t1", "3 turns, 400 tokens", "a.go", "the answer", "the prompt")
	if strings.Contains(m.picture().Dump(), "\x1b[31m") {
		t.Error("an escape sequence of the agent's is shown")
	}
	do(m, "Escape", "o")
	if m.overlay != nil || m.grid.Focus != "aaaa1111" {
		t.Errorf("focus %s", m.grid.Focus)
	}
	m.opts.ReadOnly = true
	do(m, "C-b", "T", "Down", "x")
	if c := m.opts.Client.(queueFake); slices.ContainsFunc(c.noted(), func(s string) bool { return strings.HasPrefix(s, "cancel") }) {
		t.Error("cancelled read-only")
	}
}

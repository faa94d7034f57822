package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// keeper is a client that notes what is asked of its queue.
type keeper struct {
	ui.Queue
	calls *[]string
	err   error // of what is added
}

func (k keeper) MoveTask(_ context.Context, id, before string) (api.Task, error) {
	*k.calls = append(*k.calls, "move "+id+" before "+before)
	return api.Task{ID: id}, nil
}

func (k keeper) Task(_ context.Context, id string) (api.Task, error) {
	return api.Task{ID: id, NewTask: api.NewTask{Prompt: "prompt of " + id, CWD: "/of/" + id}}, nil
}

func (k keeper) EditTask(_ context.Context, id string, c api.EditTask) (api.Task, error) {
	text, _ := json.Marshal(c)
	*k.calls = append(*k.calls, "edit "+id+" "+string(text))
	return api.Task{ID: id}, nil
}

func (k keeper) ClearTasks(_ context.Context, node string) ([]api.Task, error) {
	*k.calls = append(*k.calls, strings.TrimSuffix("clear "+node, " "))
	return nil, nil
}

func (k keeper) ChangeQueue(_ context.Context, q api.QueueChange) (api.Queue, error) {
	*k.calls = append(*k.calls, strings.TrimSpace(fmt.Sprint("mode ", q.Mode, " ", q.Node)))
	return api.Queue{Node: q.Node}, nil
}

func (k keeper) AddTasks(_ context.Context, list []api.NewTask) ([]api.Task, error) {
	n := list[0]
	text := "add " + n.Prompt + " in " + n.CWD
	if n.Node != "" {
		text += " on " + n.Node
	}
	if n.Worktree != "" {
		text += " on " + n.Worktree + " of " + n.Base
	}
	if n.Role+n.Sandbox != "" || n.Review {
		text += fmt.Sprintf(" as %s in %s, review %v", n.Role, n.Sandbox, n.Review)
	}
	if n.Agent != "" || n.Priority != 0 || n.Retries != 0 || n.After != nil {
		text += fmt.Sprint(" ", n.Agent, " ", n.Model, " ", n.Priority, " ", n.Retries, " ", n.After)
	}
	*k.calls = append(*k.calls, text)
	return nil, k.err
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

// day is a queue with every kind of task.
func day(cols, rows int) ui.Env {
	env := world(cols, rows)
	task := func(n int, st api.TaskState, prompt string, change func(*api.Task)) api.Task {
		t := api.Task{ID: fmt.Sprint("t", n), State: st, Since: uitest.Epoch, Attempt: 1, NewTask: api.NewTask{Prompt: prompt, Agent: "claude"}}
		change(&t)
		return t
	}
	same := func(*api.Task) {}
	env.Sessions = []api.Session{{ID: "s1", Name: "t1", State: api.StateInput, Task: "t1"}, {ID: "s3", Name: "t3", State: api.StateWorking, Progress: "3 of 7 files", Task: "t3"}}
	env.Work.Tasks = []api.Task{
		task(1, api.TaskWaiting, "delete the old tables", func(t *api.Task) { t.Session, t.Reason = "s1", "Delete the old tables? (yes / no)" }),
		task(2, api.TaskWaiting, "make the tests pass", func(t *api.Task) {
			t.Attempt, t.Reason = 2, "failed twice in a row (exit 1): `ccdir task start` tries again"
		}),
		task(3, api.TaskRunning, "port the parser", func(t *api.Task) { t.Session = "s3" }),
		task(4, api.TaskQueued, "write the release notes", func(t *api.Task) { t.Attempt, t.After = 0, []api.TaskAfter{{Task: "t3"}} }),
		task(5, api.TaskQueued, "update the dependencies", func(t *api.Task) {
			t.NotBefore, t.Reason = uitest.Epoch.Add(11*time.Minute), "API Error: overloaded"
		}),
		task(6, api.TaskQueued, "sweep the logs", func(t *api.Task) { t.Attempt = 0 }),
		task(7, api.TaskQueued, "rename the package", func(t *api.Task) { t.Attempt = 0 }),
		task(8, api.TaskDone, "explain the build", func(t *api.Task) { t.Result.Message = "The build has three steps.\nFirst …" }),
		task(9, api.TaskTimedOut, "find the leak", func(t *api.Task) { t.Reason = "it did not end within 30m0s" }),
		task(10, api.TaskCancelled, "never mind", same),
	}
	env.Work.Queue.Limit = 3
	env.Work.Queue.Counts = map[api.TaskState]int{api.TaskWaiting: 2, api.TaskRunning: 1, api.TaskQueued: 4, api.TaskDone: 1, api.TaskTimedOut: 1, api.TaskCancelled: 1}
	return env
}

// TestShows: those that need somebody come first, each with its answer or the reason why
// it does not run.
func TestShows(t *testing.T) {
	for _, size := range [][2]int{{40, 10}, {80, 24}, {120, 36}} {
		uitest.Golden(t, day(size[0], size[1]), New("/src", nil), fmt.Sprintf("queue-%dx%d", size[0], size[1]))
	}
}

// TestWhyNothingRuns: why no task starts is told in words, with the key that changes it.
func TestWhyNothingRuns(t *testing.T) {
	queued := api.Task{ID: "t6", State: api.TaskQueued, NewTask: api.NewTask{Prompt: "x", Agent: "claude"}}
	behind, again := queued, queued
	behind.After = []api.TaskAfter{{Task: "t3"}}
	again.NotBefore, again.Attempt = uitest.Epoch.Add(11*time.Minute), 1
	other := api.Task{ID: "t3", State: api.TaskWaiting}
	for _, tt := range []struct {
		queue api.Queue
		tasks []api.Task
		want  string
	}{
		{api.Queue{Mode: api.QueueManual, Limit: 2}, []api.Task{queued}, "mode is manual: s starts the chosen task, m lets all start by themselves"},
		{api.Queue{Mode: api.QueuePaused, Limit: 2}, []api.Task{queued}, "the queue is paused: p lets it go on"},
		{api.Queue{Mode: api.QueueAuto, Limit: 1, Counts: map[api.TaskState]int{api.TaskWaiting: 1}}, []api.Task{queued}, "limit of 1 reached: + lets one more run"},
		{api.Queue{Mode: api.QueueAuto, Limit: 2}, []api.Task{other, behind}, "nothing runs: t6: waits for t3"},
		{api.Queue{Mode: api.QueueAuto, Limit: 2}, []api.Task{again}, "nothing runs: t6: back-off until " + uitest.Epoch.Add(11*time.Minute).Local().Format("15:04")},
		{api.Queue{Mode: api.QueueAuto, Limit: 2, Parked: map[string]time.Time{"claude": uitest.Epoch.Add(time.Hour)}}, []api.Task{queued}, "nothing runs: t6: usage limit of claude until "},
		{api.Queue{Mode: api.QueueAuto, Limit: 2, Counts: map[api.TaskState]int{api.TaskRunning: 1}}, []api.Task{behind}, ""},
		{api.Queue{Mode: api.QueueManual, Limit: 2}, nil, ""},
	} {
		env := world(90, 20)
		env.Work = ui.Work{Tasks: tt.tasks, Queue: &tt.queue}
		if got := why(env, ""); !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestKeysOfRow: the last line names the keys that do something for the chosen task, and
// others say why they do nothing.
func TestKeysOfRow(t *testing.T) {
	env := day(120, 36)
	for id, want := range map[string]string{
		"t1": "result pane cancel", "t2": "result go on cancel", "t3": "result pane cancel", "t4": "result edit hold cancel down",
		"t6": "result start edit hold cancel up down", "t7": "result start edit hold cancel up", "t8": "result run again", "t9": "result run again",
	} {
		var words []string
		for _, k := range rowKeys(env, task(env, id), false) {
			words = append(words, k.Word)
		}
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
	_, effects := uitest.Press(env, At("/src", nil, "t1", false), "H")
	if len(effects) != 1 || effects[0] != (ui.Warn{Text: "task t1 is waiting: only queued tasks can be held back"}) {
		t.Errorf("%#v", effects)
	}
	_, effects = uitest.Press(env, New("/src", nil), "End", "x")
	if len(effects) != 1 || effects[0] != (ui.Warn{Text: "task t10 is cancelled: there is nothing to cancel"}) {
		t.Errorf("x on what has ended: %v", effects)
	}
}

func TestKeys(t *testing.T) {
	env := world(90, 20)
	for _, tt := range []struct{ keys, want []string }{
		{[]string{"a", "f", "i", "x", "Enter"}, []string{"add fix in /src"}},
		{[]string{"a", "x", "Escape"}, nil},
		{[]string{"End", "K"}, []string{"move t3 before t2"}},
		{[]string{"End", "Up", "K"}, nil}, // it is the first
		{[]string{"r"}, []string{"add prompt of t4 in /of/t4"}},
		{[]string{"End", "r"}, nil},
		{[]string{"C", "y"}, []string{"clear"}},
		{[]string{"C", "n"}, nil},
	} {
		_, effects := uitest.Press(env, New("/src", nil), tt.keys...)
		calls := made(env, effects)
		if !slices.Equal(calls, tt.want) {
			t.Errorf("%q: %q, want %q", tt.keys, calls, tt.want)
		}
	}
}

// twoMachines is a queue here and one of a node, whose tasks come after.
func twoMachines(cols, rows int) ui.Env {
	env := world(cols, rows)
	for _, t := range env.Work.Tasks[1:] {
		t.ID, t.Node = "gpu1/"+t.ID, "gpu1"
		env.Work.Tasks = append(env.Work.Tasks, t)
	}
	env.Work = env.Work.With(api.Queue{Node: "gpu1", Mode: api.QueuePaused, Limit: 4, Counts: map[api.TaskState]int{api.TaskQueued: 2}})
	return env
}

// TestMachines: a task is held, moved, run again and told of by the queue of its own machine, and
// the keys of the queue are for the machine of the chosen task.
func TestMachines(t *testing.T) {
	env := twoMachines(100, 24)
	far := *task(env, "gpu1/t2")
	if hold, _ := held(env, far); hold != api.HoldPaused {
		t.Errorf("a task of a paused queue: %v", hold)
	}
	if hold, _ := held(env, *task(env, "t2")); hold == api.HoldPaused {
		t.Error("a task here is held by another machine's queue")
	}
	if got := head(env.Work, "gpu1"); !strings.HasPrefix(got, "gpu1:   mode paused   limit 4   2 queued") {
		t.Errorf("the line of gpu1: %s", got)
	}
	if got := head(env.Work, ""); !strings.HasPrefix(got, "here:   mode auto") {
		t.Errorf("the line of this machine: %s", got)
	}
	if got := why(env, "gpu1"); got != "the queue is paused: p lets it go on" {
		t.Errorf("why nothing runs there: %s", got)
	}
	if got := env.Work.Counts(); got != "queue 4 queued" {
		t.Errorf("the status line: %s", got)
	}
	if before, ok := env.Work.Neighbour("t3", 1); ok {
		t.Errorf("the last task here can be moved before %s", before)
	}
	rig := uitest.NewRig(t, env, nil, New("/src", nil))
	rig.Do("/", "g", "p", "u", "1", "Enter")
	rig.Shows("gpu1/t2", "gpu1:   mode paused")
	rig.Env.Nodes = []ui.Node{{Name: "gpu1"}}
	form, _ := uitest.Press(rig.Env, rig.C, "a")
	if dump := uitest.Picture(rig.Env, form).Dump(); !strings.Contains(dump, "new task here") {
		t.Errorf("the form does not say for which machine it is:\n%s", dump)
	}
	for _, tt := range []struct{ keys, want []string }{
		{[]string{"m"}, []string{"mode auto gpu1"}},
		{[]string{"C", "y"}, []string{"clear gpu1"}},
		{[]string{"Home", "r"}, []string{"add prompt of gpu1/t4 in /of/gpu1/t4 on gpu1"}},
	} {
		var calls []string
		_, effects := uitest.Press(env, rig.C, tt.keys...)
		for _, e := range effects {
			if call, ok := e.(ui.QueueCall); ok {
				_, _, _ = call.Plan(env.Work)(context.Background(), keeper{calls: &calls})
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

// planner is a client that knows schedules.
type planner struct {
	ui.Client
	list []api.Schedule
}

func (p planner) Schedules(context.Context) ([]api.Schedule, error) { return p.list, nil }

// TestDueNext: the list says what adds a task next, and when.
func TestDueNext(t *testing.T) {
	env := uitest.Env(100, 30)
	for _, c := range []struct {
		after time.Duration
		form  string
	}{{time.Minute, "15:04"}, {3 * 24 * time.Hour, "Mon 15:04"}, {30 * 24 * time.Hour, "Jan 2 15:04"}} {
		at := env.Now.Add(c.after)
		d, _ := uitest.Refresh(env, New("/src", nil), planner{list: []api.Schedule{{ID: "s1", Prompt: "triage"}, {ID: "s2", Prompt: "look at\nthe night", Next: &at}, {ID: "s3", Prompt: "x", Next: &at}}})
		want := "due next: " + at.Local().Format(c.form) + "  look at"
		if dump := uitest.Picture(env, d).Dump(); !strings.Contains(dump, want) || !strings.Contains(dump, "and 1 more") || strings.Contains(dump, "triage") {
			t.Errorf("%q is nowhere:\n%s", want, dump)
		}
	}
}

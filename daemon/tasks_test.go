package daemon

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/daemon/queue"
	"ccdir/sessions/delivery"
)

// demoConfig makes the demo agent quick, and keeps the sessions of ended tasks in the list.
const demoConfig = "ended_task_panes = \"all\"\n" + demoAgents

const demoAgents = "[agents.demo]\nkind = \"demo\"\nargs = [\"-delay\", \"30ms\"]\n[agents.limited]\nkind = \"demo\"\n"

// addTasks adds tasks for the demo agent.
func (p *place) addTasks(list ...api.NewTask) []api.Task {
	p.t.Helper()
	var out []api.Task
	p.call("POST", "/v1/tasks", p.fillTasks(list), &out)
	return out
}

func (p *place) fillTasks(list []api.NewTask) []api.NewTask {
	for i := range list {
		if list[i].Agent == "" {
			list[i].Agent = "demo"
		}
		if list[i].CWD == "" {
			list[i].CWD = p.paths.Home
		}
		list[i].Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.paths.Home}
	}
	return list
}

func (p *place) task(id string) api.Task {
	p.t.Helper()
	var task api.Task
	p.call("GET", "/v1/tasks/"+id, nil, &task)
	return task
}

func (p *place) waitTask(id string, state api.TaskState) api.Task {
	p.t.Helper()
	var task api.Task
	p.call("GET", "/v1/tasks/"+id+"/wait?timeout="+patience.String()+"&state="+string(state), nil, &task)
	if task.State != state {
		p.t.Fatalf("task %s is %s (%s), wanted %s", id, task.State, task.Reason, state)
	}
	return task
}

func (p *place) queue(c api.QueueChange) api.Queue {
	p.t.Helper()
	var q api.Queue
	p.call("POST", "/v1/queue", c, &q)
	return q
}

func newQueuePlace(t testing.TB) *place {
	t.Helper()
	p := newPlace(t)
	p.config(demoConfig)
	return p
}

func TestTasksRun(t *testing.T) {
	t.Parallel()
	p := newQueuePlace(t)
	p.run()
	list := p.addTasks(api.NewTask{Prompt: "say one"}, api.NewTask{Prompt: "say first", Steps: []string{"say second"}, Name: "two"},
		api.NewTask{Prompt: "say printed", Kind: api.TaskPrint}, api.NewTask{Prompt: " "},
		api.NewTask{Prompt: "say after", After: []api.TaskAfter{{Task: "two"}}})
	if len(list) != 5 || list[0].State != api.TaskQueued {
		t.Fatalf("%+v", list)
	}
	p.queue(api.QueueChange{Mode: api.QueueAuto})
	for i, want := range []string{"one", "second", "printed", "", "after"} {
		task := p.waitTask(list[i].ID, api.TaskDone)
		if task.Result.Message != want || task.Env != nil || task.Result.Missing != "" {
			t.Errorf("%s: %+v", task.ID, task)
		}
		if i == 3 {
			continue // nothing ran
		}
		s := p.wait(task.Session, api.StateExited)
		if s.Task != task.ID || s.Conversation != task.Result.Conversation {
			t.Errorf("the session of %s: %+v", task.ID, s)
		}
	}
	var logs api.TaskLogs
	p.call("GET", "/v1/tasks/t3/logs", nil, &logs)
	if !strings.Contains(logs.Stdout, `"result":"printed"`) {
		t.Errorf("%+v", logs)
	}
	p.call("GET", "/v1/tasks/t1/logs", nil, &logs)
	if !strings.Contains(logs.Screen, "one") {
		t.Errorf("%+v", logs)
	}
	// Every step is an event, in order.
	var steps []string
	for _, e := range p.events() {
		if e.Type == api.EventTaskState && strings.HasPrefix(e.Message, "task t1:") {
			steps = append(steps, e.Message)
		}
	}
	want := []string{"task t1: queued → starting", "task t1: starting → running", "task t1: running → done"}
	if !slices.Equal(steps, want) {
		t.Errorf("steps: %q", steps)
	}
	if left, _ := filepath.Glob(filepath.Join(p.paths.State, "sessions", "*", "print.json")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestTaskRefusals(t *testing.T) {
	t.Parallel()
	p := newQueuePlace(t)
	p.run()
	ok := func() api.NewTask { return p.fillTasks([]api.NewTask{{Prompt: "p"}})[0] }
	bad := func(change func(*api.NewTask)) []api.NewTask {
		n := ok()
		change(&n)
		return []api.NewTask{ok(), n} // all or none
	}
	p.wantCode(api.CodeNoAgent, "POST", "/v1/tasks", bad(func(n *api.NewTask) { n.Agent = "nobody" }))
	p.wantCode(api.CodeNoAgent, "POST", "/v1/tasks", bad(func(n *api.NewTask) { n.Agent = "shell" }))
	p.wantCode(api.CodeInvalid, "POST", "/v1/tasks", bad(func(n *api.NewTask) { n.CWD = "/does/not/exist" }))
	p.wantCode(api.CodeInvalid, "POST", "/v1/tasks", bad(func(n *api.NewTask) { n.Timeout = -1 }))
	p.wantCode(api.CodeInvalid, "POST", "/v1/tasks", bad(func(n *api.NewTask) { n.MaxCost = 1 }))
	p.wantCode(api.CodeNotFound, "POST", "/v1/tasks", bad(func(n *api.NewTask) { n.After = []api.TaskAfter{{Task: "t99"}} }))
	p.wantCode(api.CodeInvalid, "POST", "/v1/tasks", []api.NewTask{})
	p.wantCode(api.CodeInvalid, "POST", "/v1/tasks", []byte("{"))
	cycle := p.fillTasks([]api.NewTask{{Name: "a", Prompt: "p", After: []api.TaskAfter{{Task: "b"}}}, {Name: "b", Prompt: "p", After: []api.TaskAfter{{Task: "a"}}}})
	if err := p.try("POST", "/v1/tasks", cycle, nil); err == nil || !strings.Contains(err.Error(), "a → b → a") {
		t.Errorf("cycle: %v", err)
	}
	p.wantCode(api.CodeInvalid, "POST", "/v1/queue", api.QueueChange{Limit: new(-1)})
	p.wantCode(api.CodeInvalid, "POST", "/v1/queue", api.QueueChange{})
	p.wantCode(api.CodeInvalid, "POST", "/v1/queue", api.QueueChange{Limit: new(9), Mode: "fast"})
	var q api.Queue
	if p.call("GET", "/v1/queue", nil, &q); q.Limit != 4 {
		t.Errorf("half of a refused change was made: %+v", q)
	}
	p.wantCode(api.CodeInvalid, "POST", "/v1/sessions", api.NewSession{Agent: "demo", CWD: p.paths.Home, Resume: "--version"})
	p.wantCode(api.CodeNotFound, "POST", "/v1/tasks/t1/start", nil)
	p.wantCode(api.CodeInvalid, "GET", "/v1/tasks/t1/wait?state=maybe", nil)
	var list []api.Task
	if p.call("GET", "/v1/tasks", nil, &list); len(list) != 0 {
		t.Errorf("%d tasks were added", len(list))
	}
	request := p.fillTasks([]api.NewTask{{Prompt: "p", Request: "r"}, {Prompt: "q", Request: "r"}})
	var first, again []api.Task
	p.call("POST", "/v1/tasks", request, &first)
	p.call("POST", "/v1/tasks", request, &again)
	if len(again) != 2 || again[0].ID != first[0].ID || again[1].ID != first[1].ID {
		t.Errorf("repeated: %+v, %+v", first, again)
	}
	if q := p.queue(api.QueueChange{Paused: new(true)}); q.Mode != api.QueuePaused {
		t.Errorf("%+v", q)
	}
	if q := p.queue(api.QueueChange{Paused: new(false), Limit: new(7)}); q.Mode != api.QueueManual || q.Limit != 7 {
		t.Errorf("%+v", q)
	}
	p.call("POST", "/v1/tasks/t2/move", api.MoveTask{Before: "t1"}, nil)
	if p.call("GET", "/v1/tasks", nil, &list); list[0].ID != "t2" {
		t.Errorf("not moved: %s is first", list[0].ID)
	}
	if p.call("DELETE", "/v1/tasks", nil, &list); len(list) != 2 || list[0].State != api.TaskCancelled {
		t.Errorf("cleared: %+v", list)
	}
}

// TestTaskEnds: each way a task can end, or wait.
func TestTaskEnds(t *testing.T) {
	t.Parallel()
	p := newQueuePlace(t)
	p.run()
	p.queue(api.QueueChange{Mode: api.QueueAuto, Limit: new(20)})
	p.addTasks(
		api.NewTask{Prompt: "fail something broke"},
		api.NewTask{Prompt: "crash 3"},
		api.NewTask{Prompt: "ask Which? | A | B"},
		api.NewTask{Prompt: "spin", Timeout: api.Duration(time.Second)},
		api.NewTask{Prompt: "fail no", Kind: api.TaskPrint},
		api.NewTask{Prompt: "spin"},
		api.NewTask{Prompt: "fail no", Retries: 3},
		api.NewTask{Agent: "limited", Prompt: "fail You've hit your usage limit · resets in 2h"},
		api.NewTask{Prompt: "spin", Stall: api.Duration(time.Second), OnStall: api.StallStop},
		api.NewTask{Prompt: "background 1s\nsay later"},
	)
	p.waitTask("t1", api.TaskFailed)
	p.waitTask("t2", api.TaskFailed)
	if task := p.waitTask("t3", api.TaskWaiting); !strings.Contains(task.Reason, "Which?") {
		t.Errorf("waits for: %q", task.Reason)
	}
	p.waitTask("t4", api.TaskTimedOut)
	if task := p.waitTask("t5", api.TaskFailed); task.Result.ExitCode == nil || *task.Result.ExitCode != 1 {
		t.Errorf("%+v", task.Result)
	}
	s := p.waitTask("t6", api.TaskRunning).Session
	p.call("POST", "/v1/tasks/t6/cancel", nil, nil)
	p.waitTask("t6", api.TaskCancelled)
	p.wait(s, api.StateExited)
	if task := p.waitTask("t7", api.TaskWaiting); task.Attempt != 2 || !strings.Contains(task.Reason, "twice") {
		t.Errorf("%+v", task)
	}
	until(t, "t8 to be parked", func() bool { task := p.task("t8"); return task.State == api.TaskQueued && task.Attempt == 1 })
	var q api.Queue
	p.call("GET", "/v1/queue", nil, &q)
	if left := time.Until(q.Parked["limited"]); left < 100*time.Minute || left > 2*time.Hour {
		t.Errorf("parked: %v", q.Parked)
	}
	p.waitTask("t9", api.TaskFailed)
	if task := p.waitTask("t10", api.TaskDone); task.Result.Message != "later" {
		t.Errorf("ended before its background work: %+v", task.Result)
	}
	p.call("POST", "/v1/sessions/"+p.task("t3").Session+"/input/raw", api.RawInput{Keys: []string{"1"}}, nil)
	p.waitTask("t3", api.TaskDone)
}

var campaigns = flag.Int("campaigns", 1, "how often TestTasksKilled runs; each kills the daemon some ten times")

// killPoints are the named moments at which the daemon is killed.
var killPoints = []string{queue.PauseSaved, queue.PauseStart, queue.PauseStarted, queue.PauseTaken, queue.PauseEnd, delivery.PauseExpecting,
	delivery.PauseTyped, delivery.PauseTaken, delivery.PauseNoted}

// TestTasksKilled kills the daemon at named and at random moments while five
// tasks run two at a time: all are done in the end, each in one session that was
// given each prompt once.
func TestTasksKilled(t *testing.T) {
	t.Parallel()
	for n := range *campaigns {
		seed := uint64(n)
		if n > 0 {
			seed = rand.Uint64()
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) { killed(t, rand.New(rand.NewPCG(seed, 2))) })
	}
}

func killed(t *testing.T, r *rand.Rand) {
	p := newQueuePlace(t)
	p.spawn()
	p.queue(api.QueueChange{Limit: new(2)})
	prompts := map[string][]string{}
	for _, task := range p.addTasks(api.NewTask{Name: "alpha", Prompt: "say alpha"}, api.NewTask{Prompt: "say beta", Steps: []string{"say beta two"}},
		api.NewTask{Prompt: "say gamma", Kind: api.TaskPrint}, api.NewTask{Prompt: "think 300ms\nsay delta", After: []api.TaskAfter{{Task: "alpha"}}},
		api.NewTask{Prompt: "say epsilon", Kind: api.TaskPrint}) {
		prompts[task.ID] = append([]string{task.Prompt}, task.Steps...)
	}
	p.queue(api.QueueChange{Mode: api.QueueAuto})
	p.kill9()
	kills := 1
	for _, i := range r.Perm(len(killPoints)) {
		if !p.killedOnce(r, fmt.Sprintf("%s:%d", killPoints[i], 1+r.IntN(2))) {
			break
		}
		kills++
	}
	for range 3 {
		if !p.killedOnce(r, "") {
			break
		}
		kills++
	}
	p.spawn()
	for id := range prompts {
		task := p.waitTask(id, api.TaskDone)
		if task.Attempt != 1 {
			t.Errorf("%s took %d attempts: %s", id, task.Attempt, task.Reason)
		}
	}
	p.checkOnce(prompts)
	until(t, "the hosts to leave", func() bool {
		left, _ := filepath.Glob(filepath.Join(p.paths.Runtime, "h-*.sock"))
		return len(left) == 0
	})
	t.Logf("killed %d times", kills)
}

// killedOnce starts a daemon that dies at a point, or kills it after a random
// time. It reports false when all tasks were done before.
func (p *place) killedOnce(r *rand.Rand, point string) bool {
	if !p.spawnUnless(point) {
		p.cmd = nil
		if point == "" {
			p.t.Fatalf("the daemon did not start:\n%s", p.stderr)
		}
		return true
	}
	if point == "" {
		time.Sleep(time.Duration(r.IntN(1500)) * time.Millisecond) // any moment will do
		p.kill9()
		return true
	}
	for deadline := time.Now().Add(patience); ; {
		var list []api.Task
		if err := p.try("GET", "/v1/tasks", nil, &list); err != nil {
			p.died()
			return true
		}
		open := slices.ContainsFunc(list, func(t api.Task) bool { return !t.State.Ended() })
		if !open || time.Now().After(deadline) {
			p.kill9()
			return open
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// doneTask returns the task that the event says is done, "" for any other event.
func doneTask(e api.Event) string {
	if e.Type == api.EventTaskState && strings.Contains(string(e.Data), `"to":"done"`) {
		return strings.TrimSuffix(strings.Fields(e.Message)[1], ":")
	}
	return ""
}

// checkOnce looks in the log whether each prompt of each task was taken once, and
// whether every task has one session and went the whole way.
func (p *place) checkOnce(prompts map[string][]string) {
	p.t.Helper()
	var list []api.Session
	p.call("GET", "/v1/sessions", nil, &list)
	taskOf := map[string]string{}
	for _, s := range list {
		for other, task := range taskOf {
			if task == s.Task {
				p.t.Errorf("task %s has the sessions %s and %s", task, other, s.ID)
			}
		}
		taskOf[s.ID] = s.Task
	}
	taken := map[string]int{}
	ends := map[string]int{}
	var all []api.Event
	until(p.t, "the events of the tasks' ends", func() bool {
		all = p.events()
		clear(ends)
		for _, e := range all {
			if id := doneTask(e); id != "" {
				ends[id]++
			}
		}
		for id := range prompts {
			if ends[id] == 0 {
				return false
			}
		}
		return true
	})
	for _, e := range all {
		if e.Type == claude.HookUserPromptSubmit {
			taken[taskOf[e.Session]+" "+strings.ReplaceAll(e.Message, "⏎", " ")]++
		}
	}
	for id, texts := range prompts {
		if ends[id] != 1 {
			p.t.Errorf("task %s has %d events of its end", id, ends[id])
		}
		for _, text := range texts {
			n := 0
			for key, count := range taken {
				if strings.HasPrefix(key, id+" ") && strings.Join(strings.Fields(key)[1:], " ") == strings.Join(strings.Fields(text), " ") {
					n += count
				}
			}
			if n != 1 {
				p.t.Errorf("the prompt %q of %s was taken %d times: %v", text, id, n, taken)
			}
		}
	}
}

package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/orchestrator"
	"ccdir/sessions"
)

// tasks is the queue in the daemon: it joins the orchestrator with sessions,
// store and event log.
type tasks struct {
	d     *daemon
	queue *orchestrator.Queue
	hub   *taskHub
	envs  *taskEnvs
	steps stepLog // of the queue's goroutine
	// found are the sessions of tasks that there were at the start.
	found  []orchestrator.Found
	cancel context.CancelFunc
	ended  chan struct{}
}

// openTasks restores the queue and begins to work; the sessions have been taken
// over before.
func (d *daemon) openTasks(ctx context.Context) (*tasks, error) {
	t := &tasks{d: d, hub: newTaskHub(), envs: newTaskEnvs(d.store), ended: make(chan struct{})}
	t.steps.d = d
	if err := t.steps.replay(ctx); err != nil {
		return nil, err
	}
	core, err := t.restore(ctx)
	if err != nil {
		return nil, err
	}
	t.queue = orchestrator.NewQueue(core, orchestrator.Options{Store: t, Sessions: taskSessions{t}, Published: t.published, Logger: d.log})
	var list []api.Task
	for _, r := range core.List() {
		list = append(list, r.Brief())
	}
	d.events.LoadTasks(list, core.Queue())
	for _, s := range d.registry.TaskSessions(ctx) {
		// Ended ones too: how far they came is told when they are looked at.
		t.found = append(t.found, orchestrator.Found{Ref: orchestrator.Ref{Task: s.Run.Task, Attempt: s.Run.Attempt},
			Session: s.Session.ID, Conversation: s.Session.Conversation})
	}
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	t.cancel = cancel
	go t.run(run)
	return t, nil
}

func (t *tasks) run(ctx context.Context) {
	defer close(t.ended)
	var wg sync.WaitGroup
	wg.Go(func() { t.hub.run(ctx, t.d.events) })
	wg.Go(func() { t.retain(ctx) })
	wg.Go(func() { history{t.d, t}.run(ctx) })
	wg.Go(func() { t.d.endStale(ctx, cmp.Or(t.d.o.StaleLook, staleLook)) })
	t.queue.Run(ctx, t.found)
	wg.Wait()
}

// close stops the queue and waits. Sessions go on.
func (t *tasks) close() {
	t.cancel()
	<-t.ended
}

// restore makes the core from what was saved.
func (t *tasks) restore(ctx context.Context) (*orchestrator.Core, error) {
	rows, settings, err := t.d.store.Tasks(ctx)
	if err != nil {
		return nil, err
	}
	cfg := t.d.config.Load()
	set := orchestrator.Settings{Mode: api.QueueMode(cfg.Queue.Mode), Limit: cfg.Queue.Limit}
	if settings != nil {
		if err := json.Unmarshal(settings, &set); err != nil {
			return nil, fmt.Errorf("the queue's settings cannot be read: %w", err)
		}
	}
	records := make([]orchestrator.Record, 0, len(rows))
	used := map[string]bool{}
	for _, row := range rows {
		var r orchestrator.Record
		if err := json.Unmarshal(row.Record, &r); err != nil {
			t.d.log.Error("a task cannot be read and is left out", "task", row.ID, "error", err)
			continue
		}
		if len(r.Env) == 1 {
			used[r.Env[0]] = true
		}
		records = append(records, r)
	}
	if err := t.envs.load(ctx, used); err != nil {
		return nil, err
	}
	// Sessions may know of tasks that a lost database had: ids are not given twice.
	for _, s := range t.d.registry.TaskSessions(ctx) {
		if n, err := strconv.ParseInt(strings.TrimPrefix(s.Run.Task, "t"), 10, 64); err == nil {
			set.Next = max(set.Next, n+1)
		}
	}
	times := orchestrator.DefaultTimes()
	times.Stall = cfg.Queue.Stall
	if t.d.o.TaskTimes != nil {
		times = *t.d.o.TaskTimes
	}
	core := orchestrator.Restore(times, set, records)
	core.ResumeLost = cfg.Queue.ResumeLost
	return core, nil
}

// Add adds tasks, all or none. A task without Env has that of the one before it.
func (t *tasks) Add(ctx context.Context, list []api.NewTask) ([]api.Task, error) {
	var last []string
	for i := range list {
		if err := t.check(&list[i]); err != nil {
			if len(list) > 1 {
				return nil, api.Errorf(api.CodeOf(err), "task %d: %s", i+1, err)
			}
			return nil, err
		}
		if list[i].Env != nil {
			kept, err := t.envs.keep(list[i].Env)
			if err != nil {
				return nil, err
			}
			last = kept
		}
		list[i].Env = last
	}
	ids, err := t.queue.Command(ctx, orchestrator.Add{Tasks: list})
	if err != nil {
		return nil, err
	}
	return t.queue.Several(ctx, ids)
}

// check says what is wrong with a new task for this installation, and fills in
// the default agent.
func (t *tasks) check(n *api.NewTask) error {
	cfg := t.d.config.Load()
	if n.Agent == "" {
		n.Agent = cfg.DefaultAgent
	}
	agent, known := cfg.Agents[n.Agent]
	if !known {
		return api.Errorf(api.CodeNoAgent, "no agent is called %.64q: there are %s; add it to config.toml", n.Agent, strings.Join(cfg.AgentNames(), ", "))
	}
	adapter, ok := agents.Lookup(agent.Kind)
	if !ok || !adapter.Managed() {
		return api.Errorf(api.CodeNoAgent, "agent %q cannot run tasks: it does not tell when it is done", n.Agent)
	}
	if _, prints := adapter.(agents.Printer); n.Kind == api.TaskPrint && !prints {
		return api.Errorf(api.CodeInvalid, "agent %q has no one-shot mode: use kind interactive", n.Agent)
	}
	if n.MaxCost > 0 && n.Kind != api.TaskPrint {
		return api.Errorf(api.CodeInvalid, "max_cost needs kind print: in a pane agents do not tell their cost; use max_tokens")
	}
	if n.CWD == "" {
		return api.Errorf(api.CodeInvalid, "the task has no directory: name one with -C or dir")
	}
	return sessions.CheckDir(n.CWD)
}

// Tasks lists the tasks in the order of the queue.
func (t *tasks) Tasks(ctx context.Context) ([]api.Task, error) { return t.queue.Tasks(ctx) }

// Task returns one task by id or name.
func (t *tasks) Task(ctx context.Context, ref string) (api.Task, error) {
	task, err := t.queue.Task(ctx, ref)
	return t.withOutput(ctx, task, err)
}

// Start lets a task go on before all others.
func (t *tasks) Start(ctx context.Context, ref string) (api.Task, error) {
	return t.on(ctx, ref, orchestrator.StartNow{Task: ref})
}

// Cancel ends a task.
func (t *tasks) Cancel(ctx context.Context, ref string) (api.Task, error) {
	return t.on(ctx, ref, orchestrator.Cancel{Task: ref})
}

// Move gives a queued task another place.
func (t *tasks) Move(ctx context.Context, ref, before string) (api.Task, error) {
	return t.on(ctx, ref, orchestrator.Move{Task: ref, Before: before})
}

func (t *tasks) on(ctx context.Context, ref string, e orchestrator.Event) (api.Task, error) {
	task, err := t.queue.Task(ctx, ref) // a name is free once the task has ended
	if err != nil {
		return task, err
	}
	if _, err := t.queue.Command(ctx, e); err != nil {
		return task, err
	}
	return t.queue.Task(ctx, task.ID)
}

// Clear cancels what is queued.
func (t *tasks) Clear(ctx context.Context) ([]api.Task, error) {
	ids, err := t.queue.Command(ctx, orchestrator.Clear{})
	if err != nil {
		return nil, err
	}
	return t.queue.Several(ctx, ids)
}

// Queue describes the queue.
func (t *tasks) Queue(ctx context.Context) (api.Queue, error) { return t.queue.Queue(ctx) }

// ChangeQueue changes mode, limit or pause.
func (t *tasks) ChangeQueue(ctx context.Context, c api.QueueChange) (api.Queue, error) {
	if err := orchestrator.CheckQueue(c); err != nil {
		return api.Queue{}, err // before anything is changed
	}
	var events []orchestrator.Event
	if c.Limit != nil {
		events = append(events, orchestrator.SetLimit{Limit: *c.Limit})
	}
	if c.Mode != "" {
		events = append(events, orchestrator.SetMode{Mode: c.Mode})
	}
	if c.Paused != nil && *c.Paused {
		events = append(events, orchestrator.SetMode{Mode: api.QueuePaused})
	} else if c.Paused != nil {
		events = append(events, orchestrator.Unpause{})
	}
	for _, e := range events {
		if _, err := t.queue.Command(ctx, e); err != nil {
			return api.Queue{}, err
		}
	}
	return t.queue.Queue(ctx)
}

// Wait blocks until the task has ended, or is in one of the states.
func (t *tasks) Wait(ctx context.Context, ref string, states []api.TaskState) (api.Task, error) {
	first, err := t.queue.Task(ctx, ref)
	if err != nil {
		return first, err
	}
	w := t.d.events.Watch()
	defer w.Close()
	last := first
	for {
		messages, err := w.Next(ctx)
		if err != nil {
			return last, err
		}
		look := false
		for _, m := range messages {
			look = look || m.Snapshot != nil || m.Task != nil && m.Task.ID == first.ID || m.TaskGone == first.ID
		}
		if !look {
			continue
		}
		if last, err = t.queue.Task(ctx, first.ID); err != nil {
			return last, err
		}
		if last.State.Ended() || slices.Contains(states, last.State) {
			return t.withOutput(ctx, last, nil)
		}
	}
}

// now is a time of the API.
func (t *tasks) now() time.Time { return time.Now().UTC() }

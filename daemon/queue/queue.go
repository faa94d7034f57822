package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/config"
	"ccdir/daemon/journal"
	"ccdir/daemon/store"
	"ccdir/internal/contain"
	"ccdir/internal/tune/timer"
	"ccdir/orchestrator"
	"ccdir/sessions"
	"ccdir/sessions/launch"
	windows "ccdir/usage"
	"ccdir/wire"
)

// Store keeps tasks, their environments and their output: daemon/store. Its calls block
// for the disk.
type Store interface {
	// Tasks returns the tasks in the order of the queue, and the settings (nil: none).
	Tasks(ctx context.Context) (rows []store.TaskRow, settings []byte, err error)
	// CommitTasks saves rows, settings (nil: unchanged) and steps, deletes steps up to
	// the number done, all or nothing, and returns the number of the last step.
	CommitTasks(rows []store.TaskRow, settings []byte, steps [][]byte, done int64) (last int64, err error)
	TaskSteps(ctx context.Context) (ids []int64, steps [][]byte, err error)
	TaskEnvs(ctx context.Context) (map[string][]byte, error)
	SaveTaskEnv(hash string, env []byte) error
	DropTaskEnvs(hashes []string) error
	SaveOutput(task string, attempt int, stdout, stderr []byte) error
	Output(ctx context.Context, task string) (stdout, stderr []byte, err error)
	Decisions(ctx context.Context, f api.LedgerFilter) ([]api.LedgerRow, error)
}

// Journal publishes tasks and their events: daemon/journal.
type Journal interface {
	Append(msg api.WatchMessage, record []byte, key string) <-chan error
	KnownKey(ctx context.Context, session, key string) (bool, error)
	LoadTasks(tasks []api.Task, queue api.Queue)
	Watch() *journal.Watcher
}

// Sessions starts, observes and ends the sessions of tasks: sessions.Registry.
type Sessions interface {
	CreateTask(ctx context.Context, n api.NewSession, run launch.TaskRun) (api.Session, error)
	TaskSessions(ctx context.Context) []sessions.TaskSession
	TaskSession(ctx context.Context, id string) (sessions.TaskSession, error)
	Send(ctx context.Context, ref string, p api.SendPrompt) (api.SendResult, error)
	Input(ctx context.Context, ref string, in api.RawInput) error
	Buffer(ctx context.Context, ref string, p wire.OutputParams) (wire.OutputResult, error)
	Printed(ref string) (stdout, stderr []byte, err error)
	Kill(ctx context.Context, ref string, k api.Kill) (api.Session, error)

	// These are for sessions of no task, which go on after a usage limit.
	Get(ctx context.Context, ref string) (api.Session, error)
	Restart(ctx context.Context, ref string) (api.Session, error)
	SendClaimed(ctx context.Context, ref string, p api.SendPrompt, claim func(context.Context) error) (api.SendResult, error)
	SetLimit(ctx context.Context, id string, limit *api.SessionLimit) error
}

// Options configure a Queue.
type Options struct {
	Store    Store
	Journal  Journal
	Sessions Sessions
	// Archived returns the text that a removed session showed.
	Archived func(ctx context.Context, session string) (string, error)
	// Limits takes what one-shot agents say of their accounts' limits; nil: nobody does.
	Limits func(samples ...windows.Sample)
	// Windows are those of the accounts' limits; nil: none are known.
	Windows func() []api.UsageWindow
	// Spent sums up what was used, for budgets; nil: there are none.
	Spent Spent
	// Cost is the part of what a conversation has cost that is known, in US dollars; nil: nothing is.
	Cost func(conversation string) float64
	// ReadOn takes in what a session's agent has written by now, with what that cost; nil: nobody does.
	ReadOn func(ctx context.Context, session string)
	// CheckTree fails if no work tree with that branch and base can be made.
	CheckTree func(ctx context.Context, n api.NewWorktree) error
	// Config returns the configuration in force.
	Config func() *config.Loaded
	// SessionDir is the directory of a session's files.
	SessionDir func(session string) string
	Alarms     *timer.Clock
	// Times replaces the queue's times, for tests; nil: the default ones.
	Times *orchestrator.Times
	// Pause is called at the points named Pause…, for tests; nil: never.
	Pause  func(point string)
	Logger *slog.Logger
}

// Queue runs tasks in sessions. Make one with Open, end it with Close.
type Queue struct {
	o     Options
	queue *orchestrator.Queue
	hub   *hub
	envs  *environments
	steps stepLog // of the orchestrator's goroutine
	panes *panes
	quota *quota
	// found are the sessions of tasks that existed at the start.
	found  []orchestrator.Found
	cancel context.CancelCauseFunc
	ended  chan struct{}
}

// Open restores the queue and starts it. The registry has adopted the running sessions
// before.
func Open(ctx context.Context, o Options) (*Queue, error) {
	q := &Queue{o: o, hub: newHub(), envs: newEnvironments(o.Store), ended: make(chan struct{})}
	q.steps = stepLog{store: o.Store, journal: o.Journal, log: o.Logger}
	q.panes, q.quota = newPanes(q), &quota{q: q}
	if err := q.steps.replay(ctx); err != nil {
		return nil, err
	}
	core, err := q.restore(ctx)
	if err != nil {
		return nil, err
	}
	if held, err := q.quotas(ctx, nil); err == nil { // before the first task starts
		core.SetHolds(held)
	} else {
		o.Logger.Error("what budgets have spent cannot be read; tasks may start beyond them", "error", err)
	}
	q.queue = orchestrator.NewQueue(core, orchestrator.Options{Store: q, Sessions: worker{q}, Published: q.published, Logger: o.Logger})
	var list []api.Task
	for _, r := range core.List() {
		list = append(list, r.Brief())
	}
	o.Journal.LoadTasks(list, core.Queue())
	q.panes.know(core.Waiting())
	for _, s := range o.Sessions.TaskSessions(ctx) {
		// Ended ones too: their followers report how far they came.
		q.found = append(q.found, orchestrator.Found{Ref: orchestrator.Ref{Task: s.Run.Task, Attempt: s.Run.Attempt},
			Session: s.Session.ID, Conversation: s.Session.Conversation})
	}
	run, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	q.cancel = cancel
	contain.Go(o.Logger, func() { q.run(run) })
	return q, nil
}

func (q *Queue) run(ctx context.Context) {
	defer close(q.ended)
	wg := contain.Group{Log: q.o.Logger}
	wg.Keep(ctx, func(ctx context.Context) { q.hub.run(ctx, q.o.Journal) })
	wg.Keep(ctx, q.retain)
	wg.Keep(ctx, q.panes.run)
	wg.Keep(ctx, q.panes.shown)
	wg.Keep(ctx, q.quota.run)
	q.queue.Run(ctx, q.found)
	wg.Wait()
}

// Close stops the queue and waits. Sessions go on.
func (q *Queue) Close() {
	q.cancel(api.ErrStopping)
	<-q.ended
}

// LookAnew says that other things may be spent, or bounded, than before. It does not block.
func (q *Queue) LookAnew() { q.quota.news() }

// pause stops at a point that a test asks for.
func (q *Queue) pause(point string) {
	if q.o.Pause != nil {
		q.o.Pause(point)
	}
}

// restore makes the core from the saved tasks.
func (q *Queue) restore(ctx context.Context) (*orchestrator.Core, error) {
	rows, settings, err := q.o.Store.Tasks(ctx)
	if err != nil {
		return nil, err
	}
	cfg := q.o.Config()
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
			q.o.Logger.Error("a task cannot be read and is left out", "task", row.ID, "error", err)
			continue
		}
		if len(r.Env) == 1 {
			used[r.Env[0]] = true
		}
		records = append(records, r)
	}
	if err := q.envs.load(ctx, used); err != nil {
		return nil, err
	}
	// Sessions may have tasks of a lost database: their ids are not given again.
	for _, s := range q.o.Sessions.TaskSessions(ctx) {
		if n, err := strconv.ParseInt(strings.TrimPrefix(s.Run.Task, "t"), 10, 64); err == nil {
			set.Next = max(set.Next, n+1)
		}
	}
	times := orchestrator.DefaultTimes()
	times.Stall = cfg.Queue.Stall
	if q.o.Times != nil {
		times = *q.o.Times
	}
	core := orchestrator.Restore(times, set, records)
	core.ResumeLost = cfg.Queue.ResumeLost
	return core, nil
}

// Add adds tasks, all or none. A task without Env gets that of the task before it.
func (q *Queue) Add(ctx context.Context, list []api.NewTask) ([]api.Task, error) {
	return q.add(ctx, orchestrator.Add{Tasks: list})
}

// AddApproved is Add for tasks that also start in manual mode.
func (q *Queue) AddApproved(ctx context.Context, list []api.NewTask) ([]api.Task, error) {
	return q.add(ctx, orchestrator.Add{Tasks: list, Approved: true})
}

// Usable fails if such a task would be refused.
func (q *Queue) Usable(ctx context.Context, n api.NewTask) error {
	if err := orchestrator.Check(n); err != nil {
		return err
	}
	return q.check(ctx, &n)
}

func (q *Queue) add(ctx context.Context, e orchestrator.Add) ([]api.Task, error) {
	list := e.Tasks
	var last []string
	trees, again := treeChecks{}, q.added(ctx, list)
	for i := range list {
		err := q.check(ctx, &list[i])
		if err == nil && !again {
			err = trees.check(ctx, q, list[i])
		}
		if err != nil {
			if len(list) > 1 {
				return nil, api.Errorf(api.CodeOf(err), "task %d: %s", i+1, err)
			}
			return nil, err
		}
		if list[i].Env != nil {
			kept, err := q.envs.keep(list[i].Env)
			if err != nil {
				return nil, err
			}
			last = kept
		}
		list[i].Env = last
	}
	ids, err := q.queue.Command(ctx, e)
	if err != nil {
		return nil, err
	}
	return q.queue.Several(ctx, ids)
}

// check validates a new task for this installation, and fills in the default agent.
func (q *Queue) check(ctx context.Context, n *api.NewTask) error {
	cfg := q.o.Config()
	if n.Agent == "" {
		n.Agent = cfg.DefaultAgent
	}
	agent, known := cfg.Agents[n.Agent]
	if !known {
		return api.Errorf(api.CodeNoAgent, "no agent is called %.64q: there are %s; add it to config.toml", n.Agent, strings.Join(cfg.AgentNames(), ", "))
	}
	adapter, ok := adapters.Lookup(agent.Kind)
	if !ok || !adapter.Managed() {
		return api.Errorf(api.CodeNoAgent, "agent %q cannot run tasks: it does not tell when it is done", n.Agent)
	}
	if _, prints := adapter.(agents.Printer); n.Kind == api.TaskPrint && !prints {
		return api.Errorf(api.CodeInvalid, "agent %q has no one-shot mode: use kind interactive", n.Agent)
	}
	if n.PR && n.Worktree == "" {
		n.Worktree = "." // a pull request is made of a branch of its own
	}
	if n.MaxCost > 0 && n.Kind != api.TaskPrint {
		return api.Errorf(api.CodeInvalid, "max_cost needs kind print: in a pane agents do not tell their cost; use max_tokens")
	}
	if len(n.Accounts) == 0 {
		n.Accounts = launch.AccountsFor(ctx, cfg.Config, agent.Kind, n.Role, n.CWD)
	}
	n.Accounts = once(n.Accounts)
	for _, name := range n.Accounts {
		if err := launch.CheckAccount(cfg.Config, agent.Kind, name); err != nil {
			return err
		}
	}
	if err := cfg.Sandbox.Known(n.Sandbox); err != nil { // rather now than when it starts, at night
		return api.Errorf(api.CodeInvalid, "%s", err)
	}
	if n.CWD == "" {
		return api.Errorf(api.CodeInvalid, "the task has no directory: name one with -C or dir")
	}
	return launch.CheckDir(n.CWD)
}

// Tasks lists the tasks in the order of the queue.
func (q *Queue) Tasks(ctx context.Context) ([]api.Task, error) { return q.queue.Tasks(ctx) }

// Task returns one task by id or name.
func (q *Queue) Task(ctx context.Context, ref string) (api.Task, error) {
	task, err := q.queue.Task(ctx, ref)
	return q.withOutput(ctx, task, err)
}

// Lookup returns one task by id or name, without the output of a print task.
func (q *Queue) Lookup(ctx context.Context, ref string) (api.Task, error) {
	return q.queue.Task(ctx, ref)
}

// Several returns tasks by their ids.
func (q *Queue) Several(ctx context.Context, ids []string) ([]api.Task, error) {
	return q.queue.Several(ctx, ids)
}

// Start starts a task before all others, or continues one that is on hold.
func (q *Queue) Start(ctx context.Context, ref string) (api.Task, error) {
	return q.on(ctx, ref, orchestrator.StartNow{Task: ref})
}

// Cancel ends a task.
func (q *Queue) Cancel(ctx context.Context, ref string) (api.Task, error) {
	return q.on(ctx, ref, orchestrator.Cancel{Task: ref})
}

// Edit changes a queued task.
func (q *Queue) Edit(ctx context.Context, ref string, change api.EditTask) (api.Task, error) {
	task, err := q.queue.Task(ctx, ref)
	if err != nil {
		return task, err
	}
	if change.Agent != nil || change.Model != nil || change.CWD != nil || change.Worktree != nil || change.Base != nil {
		n := orchestrator.Edited(task.NewTask, change)
		if err := q.check(ctx, &n); err != nil {
			return task, err
		}
		if err := (treeChecks{}).check(ctx, q, n); err != nil {
			return task, err
		}
		change.Agent = &n.Agent // the default one for ""
	}
	return q.on(ctx, task.ID, orchestrator.Edit{Task: task.ID, Change: change})
}

// Move gives a queued task another place.
func (q *Queue) Move(ctx context.Context, ref, before string) (api.Task, error) {
	return q.on(ctx, ref, orchestrator.Move{Task: ref, Before: before})
}

func (q *Queue) on(ctx context.Context, ref string, e orchestrator.Event) (api.Task, error) {
	task, err := q.queue.Task(ctx, ref) // by id from here: the name is free once the task has ended
	if err != nil {
		return task, err
	}
	if _, err := q.queue.Command(ctx, e); err != nil {
		return task, err
	}
	return q.queue.Task(ctx, task.ID)
}

// Clear cancels all queued tasks.
func (q *Queue) Clear(ctx context.Context) ([]api.Task, error) {
	ids, err := q.queue.Command(ctx, orchestrator.Clear{})
	if err != nil {
		return nil, err
	}
	return q.queue.Several(ctx, ids)
}

// Seen notes that a person has looked at tasks, without ids at all of them, and returns those
// that were news.
func (q *Queue) Seen(ctx context.Context, ids []string) ([]api.Task, error) {
	seen, err := q.queue.Command(ctx, orchestrator.Seen{Tasks: ids})
	if err != nil {
		return nil, err
	}
	return q.queue.Several(ctx, seen)
}

// Queue returns mode, limit and counts of the queue.
func (q *Queue) Queue(ctx context.Context) (api.Queue, error) { return q.queue.Queue(ctx) }

// ChangeQueue changes mode, limit or pause.
func (q *Queue) ChangeQueue(ctx context.Context, c api.QueueChange) (api.Queue, error) {
	if err := orchestrator.CheckQueue(c); err != nil {
		return api.Queue{}, err // before the first of several changes
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
		if _, err := q.queue.Command(ctx, e); err != nil {
			return api.Queue{}, err
		}
	}
	return q.queue.Queue(ctx)
}

// Wait blocks until the task has ended, or is in one of the states.
func (q *Queue) Wait(ctx context.Context, ref string, states []api.TaskState) (api.Task, error) {
	first, err := q.queue.Task(ctx, ref)
	if err != nil {
		return first, err
	}
	w := q.o.Journal.Watch()
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
		if last, err = q.queue.Task(ctx, first.ID); err != nil {
			return last, err
		}
		if last.State.Ended() || slices.Contains(states, last.State) {
			return q.withOutput(ctx, last, nil)
		}
	}
}

// now is the present time as the API has it.
func (q *Queue) now() time.Time { return time.Now().UTC() }

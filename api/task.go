package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"
)

// TaskState is the state of a task of the queue.
type TaskState string

// The states of a task. The last five are ends: a task reaches exactly one of
// them and never leaves it.
const (
	// TaskQueued: not started, or to be started again after a failure.
	TaskQueued TaskState = "queued"
	// TaskStarting: its session is being made, or has not taken the prompt yet.
	TaskStarting TaskState = "starting"
	// TaskRunning: the agent took the prompt.
	TaskRunning TaskState = "running"
	// TaskWaiting: a person is needed; Task.Reason is the reason.
	TaskWaiting TaskState = "waiting"
	TaskDone    TaskState = "done"
	TaskFailed  TaskState = "failed"
	// TaskCancelled: a person ended it.
	TaskCancelled TaskState = "cancelled"
	// TaskTimedOut: its time limit passed.
	TaskTimedOut TaskState = "timed_out"
	// TaskBlocked: a task that it needed did not succeed.
	TaskBlocked TaskState = "blocked"
)

// TaskStates lists every state once, in the order of a task's life.
func TaskStates() []TaskState {
	return []TaskState{TaskQueued, TaskStarting, TaskRunning, TaskWaiting, TaskDone,
		TaskFailed, TaskCancelled, TaskTimedOut, TaskBlocked}
}

// Ended reports whether the state is an end.
func (s TaskState) Ended() bool {
	switch s {
	case TaskDone, TaskFailed, TaskCancelled, TaskTimedOut, TaskBlocked:
		return true
	}
	return false
}

// TaskKind is how a task's agent is run.
type TaskKind string

// Kinds of tasks.
const (
	// TaskInteractive runs in a pane; done at the settled end of a turn.
	TaskInteractive TaskKind = "interactive"
	// TaskPrint is the agent's one-shot mode; done when the agent has reported success
	// and its process has ended.
	TaskPrint TaskKind = "print"
)

// QueueMode is how the queue starts tasks.
type QueueMode string

// Modes of the queue.
const (
	// QueueManual: a task waits until it is started by name.
	QueueManual QueueMode = "manual"
	// QueueAuto: the queue fills up to its limit.
	QueueAuto QueueMode = "auto"
	// QueuePaused: no task starts; running ones go on.
	QueuePaused QueueMode = "paused"
)

// StallAction is what happens to a task without progress.
type StallAction string

// Actions on a stall; the task is flagged in each case.
const (
	StallFlag      StallAction = "flag"
	StallInterrupt StallAction = "interrupt"
	StallStop      StallAction = "stop"
)

// Duration is a time.Duration that is text in JSON: "1h30m", "45s".
type Duration time.Duration

// MarshalText returns d as time.Duration prints it.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText parses what time.ParseDuration takes.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is no duration: write it like 45s, 30m or 1h30m", text)
	}
	*d = Duration(v)
	return nil
}

// TaskAfter is a dependency.
type TaskAfter struct {
	// Task is an id, a name, or a name in the same request.
	Task string `json:"task"`
	// Always: the task may start after any end of the other one. Otherwise it starts
	// after done only, and another end blocks it.
	Always bool `json:"always,omitempty"`
}

// NewTask is what a task is made from: one element of POST /v1/tasks.
type NewTask struct {
	// Name can be used instead of the id; unique among tasks that have not ended. Letters,
	// digits, '-', '_' and '.', not all digits after a 't'.
	Name string `json:"name,omitempty"`
	// Prompt is the first prompt. Blank and without steps: the task does
	// nothing and is done when its turn comes.
	Prompt string `json:"prompt"`
	// Steps are further prompts in the same conversation, each delivered when the one
	// before is done.
	Steps []string `json:"steps,omitempty"`
	// Manual: each step waits for a person to start it (autoplay off).
	Manual bool     `json:"manual,omitempty"`
	Kind   TaskKind `json:"kind,omitempty"`
	// Agent is one of config.toml; "" is the default one.
	Agent string `json:"agent,omitempty"`
	// Accounts are those that it may use, as in NewSession.Account: an attempt uses the first one
	// with room, and goes on with its conversation in the same one. None: those that the
	// configuration has for its directory.
	Accounts []string `json:"accounts,omitempty"`
	// Model and Args are those of NewSession.
	Model string   `json:"model,omitempty"`
	Args  []string `json:"args,omitempty"`
	// Role is as in NewSession.
	Role string `json:"role,omitempty"`
	// Sandbox is as in NewSession.
	Sandbox string `json:"sandbox,omitempty"`
	// CWD is absolute.
	CWD string `json:"cwd,omitempty"`
	// Worktree and Base are those of NewSession; "." is a branch of the task's name or id,
	// which all its attempts share.
	Worktree string `json:"worktree,omitempty"`
	Base     string `json:"base,omitempty"`
	// Env is the caller's environment, for the session. ExtraEnv are further K=V pairs, which
	// become part of it when the task is added: they are never shown, either.
	Env      []string `json:"env,omitempty"`
	ExtraEnv []string `json:"extra_env,omitempty"`
	// ResumeAfterLimit says what becomes of it when it has met a usage limit: ResumeOn ("" too) has it go on
	// afterwards, ResumeAsk waits for a person (`ccdir task start`), with ResumeOff it has failed.
	ResumeAfterLimit ResumeMode `json:"resume_after_limit,omitempty"`
	// Priority is -100 to 100, greater first. One step is worth a thousand
	// places in the queue, so that every task has its turn in the end.
	Priority int         `json:"priority,omitempty"`
	After    []TaskAfter `json:"after,omitempty"`
	// Timeout bounds one attempt; 0 is no bound.
	Timeout Duration `json:"timeout,omitempty"`
	// MaxTurns, MaxTokens and MaxCost (US dollars) bound one attempt; 0: no bound.
	MaxTurns  int     `json:"max_turns,omitempty"`
	MaxTokens int64   `json:"max_tokens,omitempty"`
	MaxCost   float64 `json:"max_cost,omitempty"`
	// MaxCostAll bounds what all tasks of the call cost together, with all their attempts, in US dollars: once it is
	// reached, none of them starts any more by itself. 0: no bound. It is the same in all of them.
	MaxCostAll float64 `json:"max_cost_all,omitempty"`
	// Retries is how often a failed attempt is repeated, 0 to 100. After two
	// failures in a row the task waits for a person.
	Retries int `json:"retries,omitempty"`
	// Idempotent: a print task that was lost may run again.
	Idempotent bool `json:"idempotent,omitempty"`
	// Stall is the time without progress after which the task is flagged; 0 is the
	// configured time, negative never. OnStall is a further action then.
	Stall       Duration    `json:"stall,omitempty"`
	OnStall     StallAction `json:"on_stall,omitempty"`
	StallPrompt string      `json:"stall_prompt,omitempty"`
	// Continue is a task whose conversation this one continues, after that task;
	// Conversation is the agent's id of a conversation to continue. "": a new one.
	Continue     string `json:"continue,omitempty"`
	Conversation string `json:"conversation,omitempty"`
	// Review: when its last step has ended it waits for a person's ok (`ccdir task start`). Prompts that its session gets until
	// then, such as comments on its work, are further steps. Interactive tasks only.
	Review bool `json:"review,omitempty"`
	// PR: when its last step has ended, the project's checks run, then its branch is pushed and its pull request made (Draft: as
	// a draft) and followed until it is merged or closed. What fails, and what reviewers say, are further steps of the task, Rounds
	// (0: 3) of them in a row at most. It has a work tree of its own: without Worktree that is ".". Interactive tasks only.
	PR     bool `json:"pr,omitempty"`
	Draft  bool `json:"draft,omitempty"`
	Rounds int  `json:"rounds,omitempty"`
	// Keep leaves the session open when the task is done.
	Keep   bool     `json:"keep,omitempty"`
	Labels []string `json:"labels,omitempty"`
	// Request, the same in all tasks of a call, makes the call idempotent: while its
	// tasks exist, a retry returns them and adds none.
	Request string `json:"request,omitempty"`
	// Fleet says on which machines of a fleet it may run; nil: any, and none in the queue of one machine.
	Fleet *Placement `json:"fleet,omitempty"`
	// Node is the machine whose queue takes it, for clients of several; "" is this one.
	Node string `json:"-"`
}

// Task is one task, as `ccdir task ls --json` prints it. Env is never shown.
type Task struct {
	ID string `json:"id"`
	NewTask
	State TaskState `json:"state"`
	// Since is when State was entered.
	Since time.Time `json:"since"`
	// Reason says why it is in that state, for people.
	Reason  string    `json:"reason,omitempty"`
	Created time.Time `json:"created"`
	// Rank orders the queue: smaller first.
	Rank int64 `json:"rank"`
	// Account is that of the attempt that runs or ran last, AccountDefault for the agent's own; "" if
	// it has no Accounts, and while it may start with any of them.
	Account string `json:"account,omitempty"`
	// Place is the machine of a fleet to which the last attempt was given; "" without a fleet.
	Place string `json:"place,omitempty"`
	// Session is the session of the last attempt.
	Session string `json:"session"`
	// Attempt counts the attempts begun; Failures those that failed since a
	// person last started it.
	Attempt  int `json:"attempt"`
	Failures int `json:"failures,omitempty"`
	// Step is the prompt that runs, from 0.
	Step int `json:"step"`
	// Stage is where it is on its way out, "" if it is not; Stages counts those that it began, Round the steps in a row that
	// came of what failed there.
	Stage  TaskStage `json:"stage,omitempty"`
	Stages int       `json:"stages,omitempty"`
	Round  int       `json:"round,omitempty"`
	// Pull is its pull request (PR), as it was seen last.
	Pull *PullRequest `json:"pull_request,omitempty"`
	// Hold: a person keeps it from beginning by itself (EditTask.Hold).
	Hold bool `json:"hold,omitempty"`
	// NotBefore is when it begins at the earliest (back-off, usage limit).
	NotBefore time.Time `json:"not_before,omitzero"`
	// Started is when the last attempt began, Ended when the task ended.
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	// Stalled: no progress for longer than Stall.
	Stalled bool `json:"stalled,omitempty"`
	// Unseen: it has ended by itself, and nobody has looked since (POST /v1/queue/seen). The
	// queue owns it.
	Unseen bool       `json:"unseen,omitempty"`
	Result TaskResult `json:"result"`
}

// TaskStage is a stage of the way out of a task whose last step has ended.
type TaskStage string

// Stages, in this order.
const (
	StageChecks TaskStage = "checks"       // the project's checks run
	StageReview TaskStage = "review"       // a person's ok is missing
	StagePush   TaskStage = "push"         // its branch is pushed, and its pull request made
	StageOpen   TaskStage = "pull_request" // that is open
)

// Version is the task's version for preconditions (IfMatch): its id, its state and when
// that was entered.
func (t Task) Version() string {
	return fmt.Sprintf("%s/%s/%d", t.ID, t.State, t.Since.UnixNano())
}

// Branch is the branch of the work tree in which the task runs, "" without one.
func (t Task) Branch() string {
	if t.Worktree == "." {
		return cmp.Or(t.Name, t.ID)
	}
	return t.Worktree
}

// TaskResult is the result of the last attempt, as far as it is known. The session may
// still be ending when the task has ended: its exit code and cost come later.
type TaskResult struct {
	ExitCode *int `json:"exit_code"`
	// Message is the agent's last one.
	Message      string `json:"message"`
	Conversation string `json:"conversation"`
	// Duration is how long the attempt took; 0 while it runs.
	Duration Duration `json:"duration"`
	// Turns are answers of the model, Tokens input (cache included) and output
	// together, those of subagents included; Cost is in US dollars.
	Turns  int     `json:"turns"`
	Tokens int64   `json:"tokens"`
	Cost   float64 `json:"cost"`
	// Denials are the permissions that were refused.
	Denials Denials `json:"denials"`
	// CWD is where the attempt ran: the folder of its session when that was made.
	CWD string `json:"cwd,omitempty"`
	// Setup says what became of the setup command of a work tree that was made for the attempt; ""
	// if there was none.
	Setup string `json:"setup,omitempty"`
	// Sandbox are the walls around the attempt: the profile's name, or why there are none; "" if none were asked for.
	Sandbox string `json:"sandbox,omitempty"`
	// Files are the changed files, relative to the top of the repository; nil without a
	// repository.
	Files []string `json:"files,omitzero"`
	// Missing is the evidence of the end that did not come in time: "hook" or "exit"; ""
	// if none is missing.
	Missing string `json:"missing,omitempty"`
	// Stdout and Stderr are what a print task wrote, at most the last
	// MaxResultOutput bytes of each. Only answers about a single task have them;
	// GET /v1/tasks/ID/logs has all of it.
	Stdout string `json:"stdout,omitempty"`
	Stderr string `json:"stderr,omitempty"`
}

// Denial is a refused permission, in the format of Claude Code's one-shot mode.
type Denial struct {
	Tool string `json:"tool_name"`
	ID   string `json:"tool_use_id,omitempty"`
	// Input is the tool's, left out where it is long.
	Input json.RawMessage `json:"tool_input,omitempty"`
	// By is policy, lead or person; "" if the agent does not report it.
	By     string `json:"by,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Denials is a list of refused permissions.
type Denials []Denial

// MarshalJSON returns a list, also for nil.
func (d Denials) MarshalJSON() ([]byte, error) {
	if d == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]Denial(d))
}

// UnmarshalJSON takes a list. Other values are an empty list: earlier versions wrote them
// in place of a long one.
func (d *Denials) UnmarshalJSON(data []byte) error {
	var list []Denial
	if json.Unmarshal(data, &list) != nil || len(list) == 0 {
		list = nil
	}
	*d = list
	return nil
}

// MaxResultOutput bounds Stdout and Stderr of a TaskResult, in bytes.
const MaxResultOutput = 64 << 10

// Queue is the queue's settings: GET /v1/queue.
type Queue struct {
	Mode  QueueMode `json:"mode"`
	Limit int       `json:"limit"`
	// Counts are the tasks by state.
	Counts map[TaskState]int `json:"counts"`
	// Parked are those that reached a usage limit (LimitClass), with the time until which they wait.
	Parked map[string]time.Time `json:"parked,omitempty"`
	// Held is why tasks that fit wait, besides limits that were met.
	Held []QueueHold `json:"held,omitempty"`
	// Node is the machine whose queue it is, "" this one; clients of several set it.
	Node string `json:"-"`
}

// QueueChange is the body of POST /v1/queue: nil and "" leave a setting.
type QueueChange struct {
	Mode  QueueMode `json:"mode,omitempty"`
	Limit *int      `json:"limit,omitempty"`
	// Paused true is mode paused, false the mode before the queue was paused.
	Paused *bool `json:"paused,omitempty"`
	// Node is the machine whose queue is changed, for clients of several; "" is this one.
	Node string `json:"-"`
}

// EditTask is the body of POST /v1/tasks/ID/edit: what is nil stays. Prompt, Agent, Model and CWD
// of a task that goes on with a conversation of its own cannot be changed any more.
type EditTask struct {
	Prompt *string `json:"prompt,omitempty"`
	Agent  *string `json:"agent,omitempty"`
	Model  *string `json:"model,omitempty"`
	// CWD is absolute.
	CWD *string `json:"cwd,omitempty"`
	// Worktree and Base are those of NewTask.
	Worktree *string `json:"worktree,omitempty"`
	Base     *string `json:"base,omitempty"`
	// Priority also gives the task the place that a new task of that priority would have.
	Priority *int `json:"priority,omitempty"`
	Retries  *int `json:"retries,omitempty"`
	// After replaces all that the task comes after; an empty list: nothing.
	After *[]TaskAfter `json:"after,omitempty"`
	// Hold keeps it from beginning by itself, whatever the queue's mode, until it is started by name, or lets it.
	Hold *bool `json:"hold,omitempty"`
}

// SeenTasks is the body of POST /v1/queue/seen: a person has looked at these tasks.
type SeenTasks struct {
	// Tasks are ids; none means all.
	Tasks []string `json:"tasks,omitempty"`
}

// MoveTask is the body of POST /v1/tasks/ID/move.
type MoveTask struct {
	// Before is another queued task; "" is the end of the queue.
	Before string `json:"before,omitempty"`
}

// TaskLogs is GET /v1/tasks/ID/logs: what the last attempt wrote. Control
// characters are as the agent wrote them.
type TaskLogs struct {
	Task    string `json:"task"`
	Session string `json:"session"`
	// Stdout and Stderr are a print task's; Screen is the text, with history, of
	// an interactive one.
	Stdout string `json:"stdout,omitempty"`
	Stderr string `json:"stderr,omitempty"`
	Screen string `json:"screen,omitempty"`
}

// Bounds of tasks in the watch stream; GET /v1/tasks has all of them whole.
const (
	// MaxWatchTasks is how many tasks a snapshot holds: those that have not
	// ended first, in the order of the queue, then the newest ended ones.
	MaxWatchTasks = 1000
	// MaxWatchText bounds prompt and message, in runes.
	MaxWatchText = 500
)

// Brief returns the task as the watch stream has it: long texts are cut, and Prompt is
// the step that runs, without the others.
func (t Task) Brief() Task {
	if t.Step > 0 && t.Step <= len(t.Steps) {
		t.Prompt = t.Steps[t.Step-1]
	}
	t.Env, t.Steps, t.StallPrompt, t.Result.Denials = nil, nil, "", nil
	t.Prompt, t.Result.Message = brief(t.Prompt), brief(t.Result.Message)
	t.Result.Files = t.Result.Files[:min(len(t.Result.Files), 20)]
	return t
}

func brief(s string) string {
	if len(s) <= MaxWatchText {
		return s
	}
	if r := []rune(s); len(r) > MaxWatchText {
		return string(r[:MaxWatchText-1]) + "…"
	}
	return s
}

// Types of events of tasks.
const (
	EventTaskAdded   = "task.added"
	EventTaskState   = "task.state"
	EventTaskStalled = "task.stalled"
	EventTaskParked  = "task.parked"
	EventTaskStage   = "task.stage"
	EventQueue       = "queue"
)

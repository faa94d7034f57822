package orchestrator

import (
	"slices"
	"strings"
	"time"

	"ccdir/api"
)

// Record is a task with the core's own knowledge of it. Its JSON is what the store
// saves: the tags are those of databases in use.
type Record struct {
	api.Task
	// Env is the environment of the task's sessions, or one word that stands for it; nil:
	// the daemon's.
	Env []string `json:"env,omitempty"`
	// Seq is the number of the task in the order of adding, from 1; ids are made of it.
	Seq int64 `json:"seq"`
	// CostBefore is what the attempts before the last one cost, in US dollars, without those whose conversation
	// it goes on with: that has their cost.
	CostBefore float64 `json:"cost_before,omitempty"`
	Admission
	Occupancy
	Evidence
	Resumption
	Repetitions
}

// Admission decides when the scheduler may start a queued task. add, startNow and requeue
// set it.
type Admission struct {
	// Approved: the task may start in manual mode. A person started it, or an earlier
	// attempt did.
	Approved bool `json:"released,omitempty"`
	// First: it starts before all others, whatever its rank; until it starts.
	First bool `json:"forced,omitempty"`
	// Unmet are the dependencies that have not ended; nil: none.
	Unmet []api.TaskAfter `json:"pending,omitempty"`
}

// Occupancy says what the task occupies, and whether it waits for a person.
type Occupancy struct {
	// HasSlot: the task counts against the limit, from start until its session has ended.
	HasSlot bool `json:"slot,omitempty"`
	// Ending: the attempt is over and its session is being ended. Implies HasSlot.
	Ending bool `json:"closing,omitempty"`
	// OnHold: `ccdir task start` is needed, before the next step of a manual task (with
	// HasSlot) or after repeated failures (without a session).
	OnHold bool `json:"held,omitempty"`
	// UnderReview: all steps have ended and a person's ok is missing (Task.Review). It is TaskWaiting, or TaskRunning while the
	// agent works on what a person said. Without HasSlot its session has ended.
	UnderReview bool `json:"under_review,omitempty"`
	// Okayed: a person has said ok to its work. Reworked: the agent has worked since its checks passed.
	Okayed   bool `json:"okayed,omitempty"`
	Reworked bool `json:"reworked,omitempty"`
	// Dealt are the keys of what came back to it from outside (Staged.Keys), newest last.
	Dealt []string `json:"dealt,omitempty"`
	// Claimed: the machine of a fleet to which the attempt was given (Task.Place) has claimed it.
	Claimed bool `json:"claimed,omitempty"`
	// PromptPending: the agent waits for a person and has not taken the prompt yet.
	PromptPending bool `json:"untaken,omitempty"`
}

// Evidence has the reports of the current attempt. A start resets it.
type Evidence struct {
	// Progress is when the session last did something.
	Progress time.Time `json:"progress,omitzero"`
	// TurnEnd is when the turn of the current step ended; zero: it has not.
	TurnEnd time.Time `json:"turn_end,omitzero"`
	// Exit is when the process ended or the start failed; zero: it runs.
	Exit time.Time `json:"exit,omitzero"`
	// Background: the agent left work running behind the turn that ended.
	Background bool `json:"background,omitempty"`
	// ReportDue: such work has ended, and the turn of its report has not begun.
	ReportDue bool `json:"owed,omitempty"`
}

// Resumption is how the next attempt starts.
type Resumption struct {
	// Resume is the conversation that it continues; "": a new one.
	Resume string `json:"resume,omitempty"`
	// ResumePrompt replaces the prompt of the current step until it is delivered, because
	// the agent has that already; "": the step's own.
	ResumePrompt string `json:"again,omitempty"`
	// Answered: the agent answered the current prompt in the conversation to resume.
	Answered bool `json:"begun,omitempty"`
}

// Repetitions count what happened in a row; a step that succeeds resets them.
type Repetitions struct {
	// LostAttempts ended without an exit code.
	LostAttempts int `json:"lost,omitempty"`
	// LimitHits are attempts that met a usage limit.
	LimitHits int `json:"parks,omitempty"`
	// Interruptions are those of the current step because of stalls.
	Interruptions int `json:"stalls,omitempty"`
}

// Settings are the saved state of the queue itself.
type Settings struct {
	Mode api.QueueMode `json:"mode"`
	// Limit is the number of slots.
	Limit int `json:"limit"`
	// Before is the mode before the queue was paused; "": it never was.
	Before api.QueueMode `json:"before,omitempty"`
	// Next is the Seq of the next task.
	Next int64 `json:"next"`
	// Limits are the usage limits that were met, by api.LimitClass; Panes the sessions besides
	// tasks' that rest because of them, by id. NextGoing is the last number of Pane.Going.
	Limits    map[string]Limit `json:"limits,omitempty"`
	Panes     map[string]Pane  `json:"panes,omitempty"`
	NextGoing int64            `json:"going,omitempty"`
	// Told are the notices that were told and are not over, by Notice.Key.
	Told map[string]Told `json:"told,omitempty"`
	// LimitedUntil is what earlier versions knew of Limits: when they end.
	LimitedUntil map[string]time.Time `json:"gates,omitempty"`
}

// Text is the text by which a task is found: its own and its result's.
func (r Record) Text() string {
	return strings.Join(slices.Concat([]string{r.Name, r.Prompt}, r.Steps, r.Labels, []string{r.Reason, r.Result.Message}, r.Result.Files), "\n")
}

// CurrentPrompt is the prompt of the current step.
func (r Record) CurrentPrompt() string { return prompts(r.NewTask)[r.Step] }

// nextPrompt is the text that the session gets for the current step.
func nextPrompt(r *Record) string {
	if r.ResumePrompt != "" {
		return r.ResumePrompt
	}
	return r.CurrentPrompt()
}

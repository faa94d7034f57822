package orchestrator

import (
	"time"

	"ccdir/api"
)

// Event is one of the types below.
type Event interface{ event() }

// Commands of callers. Each can be refused with an error.
type (
	// Add adds tasks, all or none. Approved: they also start in manual mode.
	Add struct {
		Tasks    []api.NewTask
		Approved bool
	}
	// StartNow puts a task first, also in manual mode, ends its back-off, and continues
	// one that is on hold. A paused queue refuses it.
	StartNow struct{ Task string }
	// Cancel ends a task.
	Cancel struct{ Task string }
	// Clear cancels every queued task.
	Clear struct{}
	// Move puts a queued task before another queued one, or last ("").
	Move struct{ Task, Before string }
	// Edit changes a queued task.
	Edit struct {
		Task   string
		Change api.EditTask
	}
	// SetMode and SetLimit change the queue.
	SetMode  struct{ Mode api.QueueMode }
	SetLimit struct{ Limit int }
	// Unpause returns to the mode before the queue was paused.
	Unpause struct{}
	// Forget removes those of the tasks that have ended.
	Forget struct{ Tasks []string }
	// Seen notes that a person has looked at tasks that have ended; without any at all of them.
	Seen struct{ Tasks []string }
	// Tick lets time pass; NextWake returns when one is needed.
	Tick struct{}
)

// Ref identifies an attempt. Reports of others than the current one are ignored.
type Ref struct {
	Task    string
	Attempt int
}

func (r Ref) ref() Ref { return r }

// reported is an event about an attempt, with an embedded Ref.
type reported interface {
	Event
	ref() Ref
}

// Reports about effects and sessions.
type (
	// Started: the session exists. Setup, CWD and Sandbox are those of api.TaskResult.
	Started struct {
		Ref
		Session, Conversation, Setup, CWD, Sandbox string
	}
	// Delivered: the agent took the prompt of a step.
	Delivered struct {
		Ref
		Step int
	}
	// Failed: start, delivery or turn failed.
	Failed struct {
		Ref
		Kind   FailureKind
		Reason string
		// Reset is when a usage limit ends; zero: unknown.
		Reset time.Time
	}
	// Observed is the session's state, or a sign of progress in the same state.
	Observed struct {
		Ref
		State    api.State
		Question string
	}
	// TurnEnded: the turn of a step's prompt is over, which the agent has therefore taken. For
	// another step than the current one it is late and ignored.
	TurnEnded struct {
		Ref
		Step    int
		Message string
		// Background: the agent left work running behind its turn. ReportDue: such work has
		// ended, and its report, which begins a turn, has not come.
		Background, ReportDue bool
	}
	// Used is the consumption of the attempt so far.
	Used struct {
		Ref
		Turns  int
		Tokens int64
		Cost   float64
		// Denials and Files replace those of the result; nil: no change.
		Denials api.Denials
		Files   []string
		// Message and Conversation replace those of the result; "": no change.
		Message, Conversation string
	}
	// Staged is what became of a stage of a task's way out.
	Staged struct {
		Task string
		// Stage and Stages are those of the task when the stage began: about another one it is late.
		Stage   api.TaskStage
		Stages  int
		Outcome StageOutcome
		// Reason says why it did not pass; Text is the agent's next step then (StageBack). What has only Keys that came back
		// before does not come back again.
		Reason, Text string
		Keys         []string
		// Pull is the task's pull request as it is now; nil: as before.
		Pull *api.PullRequest
	}
	// Exited: the session's process ended. Code nil: it was lost.
	Exited struct {
		Ref
		Code   *int
		Reason string
	}
)

// StageOutcome is what became of a stage.
type StageOutcome string

// Outcomes of stages.
const (
	StagePassed StageOutcome = "passed" // the next one follows
	StageBack   StageOutcome = "back"   // the agent gets Text
	StageStuck  StageOutcome = "stuck"  // a person is needed
	// The others are of StageOpen.
	StageSeen   StageOutcome = "seen"   // Pull has changed
	StageMerged StageOutcome = "merged" // the task is done
	StageClosed StageOutcome = "closed" // it is cancelled
)

// FailureKind classifies failures by their remedy.
type FailureKind string

// Kinds of failures.
const (
	// FailTask: the attempt failed; retried as the task says.
	FailTask FailureKind = "task"
	// FailUsage: a usage limit or an overloaded service; retried later, not counted.
	FailUsage FailureKind = "usage"
	// FailCapacity: no session can be started now; retried, not counted.
	FailCapacity FailureKind = "capacity"
	// FailInvalid: it can never work (no such agent or directory); not retried.
	FailInvalid FailureKind = "invalid"
)

func (Add) event()       {}
func (StartNow) event()  {}
func (Cancel) event()    {}
func (Clear) event()     {}
func (Move) event()      {}
func (Edit) event()      {}
func (SetMode) event()   {}
func (SetLimit) event()  {}
func (Unpause) event()   {}
func (Forget) event()    {}
func (Seen) event()      {}
func (Tick) event()      {}
func (Started) event()   {}
func (Delivered) event() {}
func (Failed) event()    {}
func (Observed) event()  {}
func (TurnEnded) event() {}
func (Used) event()      {}
func (Exited) event()    {}
func (Staged) event()    {}

// EffectKind is the action of an effect.
type EffectKind string

// Kinds of effects. Each is idempotent for the same Ref and Step.
const (
	DoStart     EffectKind = "start"     // start the session; report Started or Failed
	DoDeliver   EffectKind = "deliver"   // type Text; report Delivered or Failed
	DoEnd       EffectKind = "end"       // end the session; report Exited
	DoInterrupt EffectKind = "interrupt" // interrupt the turn, then type Text
)

// Effect is an action to carry out for an attempt.
type Effect struct {
	Kind EffectKind
	Ref
	Session string
	// Step and Text are those of the prompt. DoStart has them too: print tasks get their
	// prompt at the start.
	Step int
	Text string
	// Going is that of the pane, for DoGoOn, which concerns no task.
	Going int64
	// Place is the machine of a fleet that is to do it; "": this one.
	Place string
	// Resume is the conversation to continue, for DoStart; "": a new one.
	Resume string
}

// Transition is a change that becomes an event of the log.
type Transition struct {
	Task string
	// Task is "" for a change of the queue. Session is the attempt's; "": none yet.
	Session  string
	From, To api.TaskState
	Reason   string
	// Note is one of api.EventTask…; EventTaskState for a change of state.
	Note string
}

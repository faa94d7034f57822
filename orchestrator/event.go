package orchestrator

import (
	"time"

	"ccdir/api"
)

// Event is what happened: one of the types below.
type Event interface{ event() }

// Commands of people; each can be refused.
type (
	// Add adds tasks, all or none.
	Add struct{ Tasks []api.NewTask }
	// StartNow puts a task first in line, whatever the mode but paused, takes
	// it out of back-off, and lets a waiting one go on.
	StartNow struct{ Task string }
	// Cancel ends a task.
	Cancel struct{ Task string }
	// Clear cancels every queued task.
	Clear struct{}
	// Move puts a queued task before another queued one, or last ("").
	Move struct{ Task, Before string }
	// SetMode and SetLimit change the queue.
	SetMode  struct{ Mode api.QueueMode }
	SetLimit struct{ Limit int }
	// Unpause goes back to the mode before the queue was paused.
	Unpause struct{}
	// Forget removes ended tasks; others among them stay.
	Forget struct{ Tasks []string }
	// Tick lets time pass; NextWake says when one is needed.
	Tick struct{}
)

// Ref names an attempt; reports of another attempt than the current one are
// ignored.
type Ref struct {
	Task    string
	Attempt int
}

func (r Ref) ref() Ref { return r }

// reported is a report: an event about an attempt, which it embeds the Ref of.
type reported interface {
	Event
	ref() Ref
}

// Reports of what became of effects and sessions.
type (
	// Started: the session exists.
	Started struct {
		Ref
		Session, Conversation string
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
		// Reset is when a usage limit ends; zero if not told.
		Reset time.Time
	}
	// Observed: the session's state, or a sign of life.
	Observed struct {
		Ref
		State    api.State
		Question string
	}
	// TurnEnded: the turn of a step's prompt is over; of another step than the
	// present one it is late and ignored.
	TurnEnded struct {
		Ref
		Step    int
		Message string
		// Background: the agent left work running behind its turn. ReportDue: such work has
		// ended, and its report, which begins a turn, has not come.
		Background, ReportDue bool
	}
	// Used: what the attempt used so far.
	Used struct {
		Ref
		Turns  int
		Tokens int64
		Cost   float64
		// Denials and Files replace those of the result unless they are nil.
		Denials api.Denials
		Files   []string
		// Message and Conversation replace those of the result unless they are "".
		Message, Conversation string
	}
	// Exited: the session's process ended; Code nil: it is lost.
	Exited struct {
		Ref
		Code   *int
		Reason string
	}
)

// FailureKind sorts failures by what helps.
type FailureKind string

// Kinds of failures.
const (
	// FailTask: the attempt failed; retried as the task says.
	FailTask FailureKind = "task"
	// FailUsage: a usage limit or an overloaded service; parked, not counted.
	FailUsage FailureKind = "usage"
	// FailCapacity: no room for a session now; tried again, not counted.
	FailCapacity FailureKind = "capacity"
	// FailInvalid: it cannot work (no such agent or directory); not retried.
	FailInvalid FailureKind = "invalid"
)

func (Add) event()       {}
func (StartNow) event()  {}
func (Cancel) event()    {}
func (Clear) event()     {}
func (Move) event()      {}
func (SetMode) event()   {}
func (SetLimit) event()  {}
func (Unpause) event()   {}
func (Forget) event()    {}
func (Tick) event()      {}
func (Started) event()   {}
func (Delivered) event() {}
func (Failed) event()    {}
func (Observed) event()  {}
func (TurnEnded) event() {}
func (Used) event()      {}
func (Exited) event()    {}

// EffectKind is what has to be done.
type EffectKind string

// Kinds of effects. Each is idempotent for the same Ref and Step.
const (
	DoStart     EffectKind = "start"     // make the session; report Started or Failed
	DoDeliver   EffectKind = "deliver"   // type Text; report Delivered or Failed
	DoEnd       EffectKind = "end"       // end the session; report Exited
	DoInterrupt EffectKind = "interrupt" // interrupt the turn, then type Text
)

// Effect is something to do for an attempt.
type Effect struct {
	Kind EffectKind
	Ref
	Session string
	// Step and Text are the prompt's; for DoStart too: print tasks get it then.
	Step int
	Text string
	// Resume is the conversation to go on with, for DoStart.
	Resume string
}

// Transition is a step of a task's life, for the event log.
type Transition struct {
	Task string
	// Session is that of the attempt, "" before there is one.
	Session  string
	From, To api.TaskState
	Reason   string
	// Note is one of api.EventTask…; EventTaskState for a change of state.
	Note string
}

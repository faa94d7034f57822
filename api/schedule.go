package api

import "time"

// EventSchedule: a schedule was made, changed, removed, or ran or did not; Data is a Schedule.
const EventSchedule = "schedule"

// Schedule adds a task, or keeps a prompt for a session, at times of a calendar: one element of GET
// /v1/schedules.
type Schedule struct {
	// ID is "s" and a number, or the name of one of the configuration.
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
	// When is a cron expression of five fields or one of its names (@daily), or the time of one that
	// is due once, in RFC 3339.
	When string `json:"when"`
	// Zone is the time zone of When, "" that of the daemon.
	Zone string `json:"zone,omitempty"`
	// Next is the next due time; nil while it is paused, and after the last one.
	Next *time.Time `json:"next"`
	// Prompt is the prompt of its task, or for its session.
	Prompt string `json:"prompt"`
	// To is the id of the session that gets the prompt; "": it adds tasks.
	To string `json:"to"`
	// Missed says what becomes of due times at which no daemon ran.
	Missed Missed `json:"missed"`
	// Overlap: it also runs while the task or prompt of an earlier run is not done.
	Overlap bool          `json:"overlap,omitempty"`
	State   ScheduleState `json:"state"`
	// Reason says why it is in that state, "" for what a person did.
	Reason string `json:"reason,omitempty"`
	// Source is where it is written: "" made by a call, "config" for config.toml.
	Source string `json:"source,omitempty"`
	// Task is what its tasks are made from, without its environment; nil with To.
	Task    *NewTask  `json:"task,omitempty"`
	Created time.Time `json:"created"`
	// Last is the newest run, nil before the first.
	Last *ScheduleRun `json:"last"`
}

// Missed says what becomes of due times at which no daemon ran.
type Missed string

// Values of Missed.
const (
	MissedOnce Missed = "once" // one run makes up for all of them
	MissedSkip Missed = "skip"
)

// ScheduleState is whether a schedule runs.
type ScheduleState string

// States of a schedule.
const (
	ScheduleOn     ScheduleState = "on"
	SchedulePaused ScheduleState = "paused"
	// ScheduleDone: it was due once, and that is over.
	ScheduleDone ScheduleState = "done"
	// ScheduleFaulty: what its file says of it cannot be used; Reason says why.
	ScheduleFaulty ScheduleState = "faulty"
)

// ScheduleRun is what became of a due time.
type ScheduleRun struct {
	// At is when it was dealt with, Due the due time (for a run by hand: At).
	At  time.Time `json:"at"`
	Due time.Time `json:"due"`
	// Outcome is one of the Run… constants.
	Outcome string `json:"outcome"`
	// Task is the task that was added, Pending the prompt that was kept, "" for none.
	Task    string `json:"task"`
	Pending string `json:"pending,omitempty"`
	// Missed is how many due times it makes up for, or that were skipped because no daemon ran.
	Missed int `json:"missed,omitempty"`
	// Reason says why it did not run, or ran late; "" otherwise.
	Reason string `json:"reason,omitempty"`
}

// Outcomes of a due time.
const (
	RunStarted = "started" // a task was added, or a prompt kept
	RunSkipped = "skipped" // the run before is not over
	RunMissed  = "missed"  // no daemon ran
	RunFailed  = "failed"  // the task or prompt was refused
)

// NewSchedule is the body of POST /v1/schedules.
type NewSchedule struct {
	Name string `json:"name,omitempty"`
	// When or At says when it is due. At is a time as Moment of orchestrator/calendar reads it.
	When string `json:"when,omitempty"`
	At   string `json:"at,omitempty"`
	Zone string `json:"zone,omitempty"`
	// Missed is MissedOnce for "".
	Missed  Missed `json:"missed,omitempty"`
	Overlap bool   `json:"overlap,omitempty"`
	// To is a session (id, unique prefix of one, or name) that gets Task.Prompt; of Task nothing else
	// counts then.
	To   string  `json:"to,omitempty"`
	Task NewTask `json:"task"`
	// Request makes the call idempotent; it never comes over the wire.
	Request string `json:"-"`
}

// EditSchedule is the body of POST /v1/schedules/ID/edit: what is nil stays.
type EditSchedule struct {
	Name    *string `json:"name,omitempty"`
	When    *string `json:"when,omitempty"`
	At      *string `json:"at,omitempty"`
	Zone    *string `json:"zone,omitempty"`
	Missed  *Missed `json:"missed,omitempty"`
	Overlap *bool   `json:"overlap,omitempty"`
	// To gives it another session.
	To *string `json:"to,omitempty"`
	// Task changes the tasks that it adds from then on; Prompt is also that for its session.
	Task EditTask `json:"task,omitzero"`
}

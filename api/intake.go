package api

import "time"

// EventReactionFailed: a command of a reaction failed, which is told once, until it has worked
// again; Data is a Reaction.
const EventReactionFailed = "reaction.failed"

// Reaction is a command that events of the log start, written in config.toml: one element of GET
// /v1/reactions.
type Reaction struct {
	// Number is its place in the file, from 1.
	Number int `json:"number"`
	// Events are names of events, as docs/events.md lists them.
	Events []string `json:"events"`
	// If is a condition on its input, "" none.
	If string `json:"if,omitempty"`
	// Run is a line for sh.
	Run string `json:"run"`
	// Timeout bounds a run.
	Timeout Duration `json:"timeout"`
	// Fault is why it cannot be used, "" if it can.
	Fault string `json:"fault,omitempty"`
	// Runs and Failures count since the daemon's start.
	Runs     int `json:"runs"`
	Failures int `json:"failures"`
	// Last is the newest run since then, nil before the first.
	Last *ReactionRun `json:"last"`
}

// ReactionRun is a run of a reaction's command.
type ReactionRun struct {
	// Number is that of the reaction, Name the event's name among its Events.
	Number int    `json:"number"`
	Name   string `json:"name"`
	// Seq is the event's number, 0 for a sample.
	Seq int64     `json:"seq"`
	At  time.Time `json:"at"`
	// MS is how long it took, in milliseconds.
	MS int64 `json:"ms"`
	// Error is why it failed, "" if it did not. Output is the beginning of what it said.
	Error  string `json:"error,omitempty"`
	Output string `json:"output"`
}

// ReactionTest is the body of POST /v1/reactions/test.
type ReactionTest struct {
	// Event is the name of an event.
	Event string `json:"event"`
	// Number selects one reaction; 0: all of that event.
	Number int `json:"number,omitempty"`
}

// ReactionInput is what the command of a reaction reads, and what its condition sees.
type ReactionInput struct {
	// Name is the event's name.
	Name  string `json:"name"`
	Event Event  `json:"event"`
	// Task is the event's task as it is now, Session its session; left out if it has none.
	Task    *Task    `json:"task,omitempty"`
	Session *Session `json:"session,omitempty"`
}

// What Data of events has, where that is no other type of this package.
type (
	// TaskStep is Data of task.added, task.state, task.stalled and task.parked.
	TaskStep struct {
		// From is "" for a new task, and the same as To where the state stays.
		From TaskState `json:"from"`
		// Reason is why, for people.
		Reason string    `json:"reason"`
		Task   string    `json:"task"`
		To     TaskState `json:"to"`
	}
	// SessionBegan is Data of session.created and session.started.
	SessionBegan struct {
		Agent string `json:"agent"`
		// Argv is the command, without secrets.
		Argv []string `json:"argv"`
		CWD  string   `json:"cwd"`
		Name string   `json:"name"`
		// Sandbox are the walls around it, null for none.
		Sandbox *Sandbox `json:"sandbox"`
	}
	// SessionEnded is Data of session.exited, where its host saw the end.
	SessionEnded struct {
		Code int `json:"code"`
		// Signal is the one that ended it, "" for none.
		Signal string `json:"signal"`
	}
	// RequestStep is Data of permission.open and permission.ended.
	RequestStep struct {
		// AlwaysRule is the rule that "always" would make.
		AlwaysRule string         `json:"always_rule,omitempty"`
		Kind       RequestKind    `json:"kind"`
		Outcome    RequestOutcome `json:"outcome,omitempty"`
		// By, Behavior and Always tell the answer of one that was answered.
		By        string         `json:"by,omitempty"`
		Behavior  AnswerBehavior `json:"behavior,omitempty"`
		Always    *bool          `json:"always,omitempty"`
		Request   string         `json:"request"`
		Tool      string         `json:"tool"`
		ToolUseID string         `json:"tool_use_id,omitempty"`
	}
)

// EventWatch: an issue was taken as a task, or a watch cannot look; Data is a WatchItem, or a Watch.
const EventWatch = "watch"

// Watch makes tasks of issues, as config.toml says: one element of GET /v1/watches.
type Watch struct {
	Name string `json:"name"`
	// Of says which issues, in words; Dir is the directory of its tasks.
	Of  string `json:"of"`
	Dir string `json:"dir"`
	// Every is how often it looks, Limit how many issues it takes a day.
	Every Duration `json:"every"`
	Limit int      `json:"limit"`
	// Paused by a person: it does not look by itself.
	Paused bool `json:"paused"`
	// Problem is why it could not look, or take something, "" for nothing.
	Problem string `json:"problem,omitempty"`
	// Looked is when it last looked, zero before; Today counts what it took that day.
	Looked time.Time `json:"looked,omitzero"`
	Today  int       `json:"today"`
	// Taken are the newest issues that it took, the newest first.
	Taken []WatchItem `json:"taken"`
}

// WatchItem is an issue that a watch took, or would take. Its texts are foreign, and made harmless.
type WatchItem struct {
	Watch string `json:"watch"`
	// ID is the number, or what a command calls it.
	ID    string `json:"id"`
	Title string `json:"title"`
	URL   string `json:"url,omitempty"`
	// Task is the task, "" for none yet.
	Task string    `json:"task"`
	At   time.Time `json:"at,omitzero"`
	// Left is why it is not taken, "" if it is.
	Left string `json:"left,omitempty"`
}

// RunWatch is the body of POST /v1/watches/NAME/run.
type RunWatch struct {
	// Dry: it says what it would take.
	Dry bool `json:"dry,omitempty"`
}

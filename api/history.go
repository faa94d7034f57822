package api

import (
	"cmp"
	"slices"
	"time"
)

// HistoryEntry is a session that ended, or a task that did: one element of GET
// /v1/history, newest first.
type HistoryEntry struct {
	// Kind is "session" or "task".
	Kind string `json:"kind"`
	// ID is the session's or the task's.
	ID    string `json:"id"`
	Name  string `json:"name,omitempty"`
	Agent string `json:"agent,omitempty"`
	CWD   string `json:"cwd,omitempty"`
	// Task is a session's task, Session a task's last session; "" if none.
	Task    string `json:"task,omitempty"`
	Session string `json:"session,omitempty"`
	// State is exited or lost, or a task's end.
	State    string    `json:"state"`
	ExitCode *int      `json:"exit_code"`
	Started  time.Time `json:"started"`
	Ended    time.Time `json:"ended"`
	// Text is the last prompt of a session, the prompt of a task.
	Text string `json:"text,omitempty"`
	// Conversation is the agent's id of the conversation, with which it can be resumed;
	// "" if it is not known.
	Conversation string `json:"conversation,omitempty"`
	// Bytes is the size of the archived transcript, compressed; 0 without one.
	Bytes int64 `json:"bytes,omitempty"`
	// Node is the machine whose history it is in, "" this one; clients of several set it.
	Node string `json:"-"`
}

// HistoryPlace is a place in the order of GET /v1/history: by the end, the newest
// first, then by kind and id, the greatest first. The zero value is the beginning;
// with Kind "" it is behind all that ended at that time.
type HistoryPlace struct {
	Ended    time.Time
	Kind, ID string
}

// Place returns the entry's place in the order of the list.
func (e HistoryEntry) Place() HistoryPlace { return HistoryPlace{e.Ended, e.Kind, e.ID} }

// After compares two places: negative if p comes before q in the list.
func (p HistoryPlace) After(q HistoryPlace) int {
	return cmp.Or(q.Ended.Compare(p.Ended), cmp.Compare(q.Kind, p.Kind), cmp.Compare(q.ID, p.ID))
}

// Follows reports whether an entry at p comes after q, where a list goes on.
func (p HistoryPlace) Follows(q HistoryPlace) bool {
	return q.Ended.IsZero() || p.After(q) > 0
}

// String is the place as a parameter: TIME, or TIME,KIND,ID.
func (p HistoryPlace) String() string {
	text := p.Ended.Format(time.RFC3339Nano)
	if p.Kind != "" {
		text += "," + p.Kind + "," + p.ID
	}
	return text
}

// Transcript is GET /v1/history/ID: what a session showed until it ended, with
// its history and styles (SGR sequences), as far as it was kept.
type Transcript struct {
	HistoryEntry
	ANSI string `json:"ansi"`
}

// SearchHit is a place where all words of a search were found: one element of
// GET /v1/search.
type SearchHit struct {
	// Kind is "turn" (in a conversation: what was said, done or returned), "task", "session" (in
	// what it showed), "pane" (a running session shows it), "event", or "left_out": what was
	// not searched or is not listed; Line says it.
	Kind string `json:"kind"`
	// ID is the task's, the session's, or the event's number.
	ID string    `json:"id"`
	At time.Time `json:"at"`
	// Session is where it happened, "" if nowhere; Name is its name, if it has one.
	Session string `json:"session,omitempty"`
	Name    string `json:"name,omitempty"`
	// Conversation, Turn, Part and Place are of a turn: the agent's id of the conversation,
	// the turn's number in the session, what of the turn it is, and its place in the turn's
	// list of items, or of tools for a tool's input or result.
	Conversation string   `json:"conversation,omitempty"`
	Turn         int      `json:"turn,omitempty"`
	Part         SaidPart `json:"part,omitempty"`
	Place        int      `json:"place,omitempty"`
	// Line is the line found, made harmless.
	Line string `json:"line"`
}

// SaidPart is a part of a turn.
type SaidPart string

// The parts of turns that are searched.
const (
	SaidPrompt   SaidPart = "prompt"
	SaidAnswer   SaidPart = "answer"
	SaidThinking SaidPart = "thinking"
	SaidNote     SaidPart = "note"
	SaidInput    SaidPart = "input"    // of a tool
	SaidResult   SaidPart = "result"   // of a tool
	SaidSubagent SaidPart = "subagent" // what a tool's subagent was told, said and did
)

// Kinds of hits in conversations and in running sessions.
const (
	HitTurn    = "turn"
	HitPane    = "pane"
	HitLeftOut = "left_out"
)

// HistoryRows returns the entries of a list without the sessions of tasks that are in it:
// one row for each task.
func HistoryRows(list []HistoryEntry) []HistoryEntry {
	tasks := map[string]bool{}
	for _, e := range list {
		if e.Kind == "task" {
			tasks[e.ID] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(e HistoryEntry) bool { return e.Kind == "session" && tasks[e.Task] })
}

// PastSession is the record by which a session is started again after a reboot: everything
// but its environment.
type PastSession struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Agent string `json:"agent"`
	Role  string `json:"role,omitempty"`
	// Sandbox is the name of its profile, "" for none.
	Sandbox string `json:"sandbox,omitempty"`
	CWD     string `json:"cwd"`
	// Conversation is the agent's, "" for none.
	Conversation string `json:"conversation,omitempty"`
	// Prompt is the beginning of the last prompt; "" if there was none, and so nothing to
	// resume.
	Prompt string `json:"prompt,omitempty"`
	// Argv is set for bare commands alone: an agent's is built again at its start.
	Argv []string `json:"argv,omitempty"`
	// Args and Model are what was chosen for an agent at its start.
	Args  []string `json:"args,omitempty"`
	Model string   `json:"model,omitempty"`
	// Account is the session's; "" is the sign-in that the agent has by itself.
	Account string    `json:"account,omitempty"`
	Cols    int       `json:"cols"`
	Rows    int       `json:"rows"`
	Created time.Time `json:"created"`
}

// Resumes reports whether a new start continues the conversation.
func (p PastSession) Resumes() bool { return p.Conversation != "" && p.Prompt != "" }

// Reasons of a RestoreOffer.
const (
	RestoreReboot = "reboot" // the machine was restarted
	RestoreLost   = "lost"   // hosts died
	RestoreAsked  = "asked"  // a generation was asked for by its number
)

// RestoreOffer is GET /v1/restore: sessions that ran before and do not run now.
type RestoreOffer struct {
	// Reason is one of the Restore… constants, "" when nothing is offered.
	Reason string `json:"reason"`
	// At is when the sessions were last seen running.
	At       time.Time         `json:"at,omitzero"`
	Sessions []OfferedSession  `json:"sessions"`
	Kept     []KeptArrangement `json:"kept"`
}

// OfferedSession is one session of an offer.
type OfferedSession struct {
	PastSession
	// State is its present state; "" if it was removed from the list of sessions.
	State State `json:"state,omitempty"`
	// Resume: its conversation is continued.
	Resume bool `json:"resume"`
	// Problem is why it cannot be started now; "" if it can.
	Problem string `json:"problem,omitempty"`
}

// KeptArrangement is one saved generation of running sessions. Its number is for GET
// /v1/restore?from=NUMBER.
type KeptArrangement struct {
	Number   int       `json:"number"`
	At       time.Time `json:"at"`
	Sessions []string  `json:"sessions"` // names
	// Boot: it was saved since the last boot of the machine.
	Boot bool `json:"boot"`
}

// Restore is the body of POST /v1/restore.
type Restore struct {
	// From is the number of a generation; 0: the present offer.
	From int `json:"from,omitempty"`
	// Sessions are ids or names; none: all.
	Sessions []string `json:"sessions,omitempty"`
	// Env is the caller's environment, for sessions that were removed and their
	// environment with them.
	Env []string `json:"env,omitempty"`
	// Request is the id of a call with an idempotency key. Before is what could be
	// restored when its first attempt began, in a retry whose first attempt has an unknown
	// outcome; nil otherwise.
	Request string `json:"-"`
	Before  []byte `json:"-"`
}

// Restored is one entry of the answer to Restore.
type Restored struct {
	// ID and Name are those of before.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Session is the running one: with the same id, unless the old one had been
	// removed. Nil when it failed.
	Session *Session `json:"session"`
	Error   string   `json:"error,omitempty"`
}

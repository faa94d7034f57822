package api

import (
	"encoding/json"
	"time"
)

// Event is one row of the event log, as `ccdir events --json` prints it. Seq has no gaps
// in the log; a watcher that sees a gap was too slow and has to ask for a snapshot.
type Event struct {
	Seq     int64     `json:"seq"`
	At      time.Time `json:"at"`
	Session string    `json:"session"`
	// Type is the agent's own word (the name of a hook) for events of source "hook",
	// otherwise one of the Event… constants.
	Type string `json:"type"`
	// Kind says what an agent reported, the same for every agent; "" for events of other
	// sources and for reports that ccdir does not know.
	Kind EventKind `json:"kind,omitempty"`
	// Source is "hook", "host", "daemon", "cli", "tui" or "mcp".
	Source string `json:"source"`
	// StateFrom and StateTo are equal when the event changed no state; both are
	// empty for events without a session.
	StateFrom State `json:"state_from"`
	StateTo   State `json:"state_to"`
	// Message is one line for people, control characters made visible.
	Message string `json:"message"`
	// Data is the event's own JSON object (a hook's payload, shortened where
	// large), or null.
	Data json.RawMessage `json:"data"`
	// Node is the machine whose log has it, for clients of several; "" is this one.
	Node string `json:"-"`
}

// Types of events that are not hooks.
const (
	EventSessionCreated  = "session.created"
	EventSessionStarted  = "session.started"
	EventSessionState    = "session.state"
	EventSessionExited   = "session.exited"
	EventSessionLost     = "session.lost"
	EventSessionRenamed  = "session.renamed"
	EventSessionRemoved  = "session.removed"
	EventSessionFocus    = "session.focus"
	EventSessionAdopted  = "session.adopted"
	EventSessionSnoozed  = "session.snoozed" // snoozed, or no longer
	EventSessionParked   = "session.parked"
	EventSessionStale    = "session.stale"
	EventSessionModel    = "session.model" // another model was chosen
	EventPrompt          = "prompt"
	EventDaemonStarted   = "daemon.started"
	EventDaemonStopped   = "daemon.stopped"
	EventConfigError     = "config.error"
	EventRestoreOffered  = "restore.offered" // sessions of before a reboot can be begun again
	EventStoreMoved      = "store.moved"
	EventStoreHeld       = "store.held" // the reserve keeps what the database refuses, or no more
	EventHookRejected    = "hook.rejected"
	EventHookFailed      = "hook.failed"     // calls did not run, because the hook that decides failed or was late
	EventCallRefused     = "call.refused"    // a session's process called what is for the person
	EventSandboxRefused  = "sandbox.refused" // walls refused something, or a tool's result reads so; Data is a SandboxRefusal
	EventSpoolDrained    = "spool.drained"
	EventPolicyError     = "policy.error"   // a policy file is faulty, the last good policy stays
	EventPolicyLoaded    = "policy.loaded"  // all policy files are well again
	EventSessionPolicy   = "session.policy" // role or override of a session changed, or no policy holds for it, or one does again
	EventPermissionOpen  = "permission.open"
	EventPermissionEnded = "permission.ended"
	EventMCPCall         = "mcp.call" // Data is a ToolCall
	EventWeb             = "web"      // the page was turned on or off; a browser was paired, or no more
	EventWorktree        = "worktree" // one was made, removed, restored or merged
	EventMessage         = "message"  // one that a mailbox took; Data is a Message
	EventNode            = "node"     // another machine is reached, or not; grids tell it, no log has it
	EventReview          = "review"   // comments on a session's work were sent, replied to, or their fates are known
	EventPending         = "pending"  // a pending prompt was made, changed, cancelled, delivered, or failed; Data is a PendingPrompt
)

// Evidence is one observation of a session, from which its state is derived.
type Evidence struct {
	// Source is where the observation was made.
	Source EvidenceSource `json:"source"`
	At     time.Time      `json:"at"`
	// Name is the observation in the source's words: a hook's name, "psp", "exit",
	// "key", "title", …
	Name string `json:"name"`
	// Kind says what the agent reported, of source "hook", and KindTurnInterrupted of a
	// session.state by which a person ended a turn; "" for others.
	Kind EventKind `json:"kind,omitempty"`
	// Says is the state that the observation indicates; "" if none by itself.
	Says State `json:"says,omitempty"`
	// Detail is for people: a tool's name, a title, a key.
	Detail string `json:"detail,omitempty"`
	// Fields are the parts that rules look at (tool, agent_id, code, signal, id, …).
	Fields map[string]string `json:"fields,omitempty"`
}

// EvidenceSource is the origin of evidence.
type EvidenceSource string

// Origins of evidence.
const (
	SourceHook     EvidenceSource = "hook"    // the agent's hooks
	SourcePSP      EvidenceSource = "psp"     // OSC 7501
	SourceKeys     EvidenceSource = "keys"    // keys that a person typed
	SourceProcess  EvidenceSource = "process" // start, exit, signal
	SourceFile     EvidenceSource = "file"    // the CLI's own session file
	SourceTitle    EvidenceSource = "title"   // OSC 0/2
	SourceScreen   EvidenceSource = "screen"  // configured patterns
	SourceDelivery EvidenceSource = "daemon"  // what ccdir itself did
	SourceTimer    EvidenceSource = "timer"   // time passed
)

// WatchMessage is one object of the stream GET /v1/watch. The first has
// Snapshot; each later one has one or more of the others. Session is the whole
// new value (latest wins), Removed an id that is gone.
type WatchMessage struct {
	Snapshot *Snapshot `json:"snapshot,omitempty"`
	Event    *Event    `json:"event,omitempty"`
	Session  *Session  `json:"session,omitempty"`
	Removed  string    `json:"removed,omitempty"`
	// Focus asks every attached grid to give that session the keyboard.
	Focus string `json:"focus,omitempty"`
	// Request is a permission request that opened; its input is left out above
	// MaxWatchInput. RequestEnded is the end of a request, without its input.
	Request      *Request  `json:"request,omitempty"`
	RequestEnded *Decision `json:"request_ended,omitempty"`
	// Grid is the new arrangement of the grid.
	Grid *Grid `json:"grid,omitempty"`
	// Task is a task's new value (Task.Brief), TaskGone the id of one that was
	// forgotten, Queue the queue's new value.
	Task     *Task  `json:"task,omitempty"`
	TaskGone string `json:"task_gone,omitempty"`
	Queue    *Queue `json:"queue,omitempty"`
	// Limits are all windows of limits, when one has changed.
	Limits *Limits `json:"limits,omitempty"`
}

// MaxWatchInput bounds the input of a request in the watch stream, in bytes.
const MaxWatchInput = 64 << 10

// Snapshot is the whole state for a watcher at one position of the log.
type Snapshot struct {
	// Seq is the number of the last event before the snapshot: the first event
	// after it is Seq+1.
	Seq      int64     `json:"seq"`
	Sessions []Session `json:"sessions"`
	// Requests are the open permission requests, oldest first.
	Requests []Request `json:"requests,omitempty"`
	// Events are the newest events (at most 500), oldest first; Data of more
	// than 4 KiB is left out.
	Events []Event `json:"events"`
	Server Server  `json:"server"`
	// Grid is the arrangement of the grid; nil: the daemon keeps none.
	Grid *Grid `json:"grid,omitempty"`
	// Tasks are at most MaxWatchTasks tasks; Queue is nil without a queue.
	Tasks []Task `json:"tasks,omitempty"`
	Queue *Queue `json:"queue,omitempty"`
	// Limits are the windows of limits; nil where none is known.
	Limits *Limits `json:"limits,omitempty"`
	// Queues are those of other machines; clients of several set them.
	Queues []Queue `json:"-"`
	// Hosts are the addresses of running hosts by session id, for a watcher that asked
	// for them (hosts=1): it saves one call per session.
	Hosts map[string]HostAddress `json:"hosts,omitempty"`
}

// EventFilter selects events of the log.
type EventFilter struct {
	// Since selects events with a greater Seq; -1 is the beginning.
	Since int64
	// Before selects events with a smaller Seq; 0 selects all.
	Before int64
	// Session and Type select by equality; "" selects all.
	Session, Type string
	// Limit bounds the number; 0 is the server's default. With Since 0 it is
	// the newest ones that are returned, oldest first.
	Limit int
}

// Matches reports whether the filter selects e, Limit apart.
func (f EventFilter) Matches(e Event) bool {
	return e.Seq > f.Since && (f.Before == 0 || e.Seq < f.Before) && (f.Session == "" || e.Session == f.Session) && (f.Type == "" || e.Type == f.Type)
}

// EventKind says what an agent reported, in words that fit every agent CLI. Adapters translate
// their agent's hooks (or its stream of events) into kinds; Evidence.Name and Event.Type keep
// the agent's own word.
type EventKind string

// Kinds. They are saved with events and sessions: a value never changes. Evidence.Says is the
// state that a report indicates; the fields named here are those of Evidence.Fields.
const (
	// KindPrompt: the agent took a prompt of a person or of ccdir. Outside a turn one begins;
	// within a turn the prompt is queued. KindReport: it took the report of work of its own in
	// the background, which begins a turn too.
	KindPrompt EventKind = "prompt"
	KindReport EventKind = "report"
	// KindCommand: it runs one of its own commands within a turn.
	KindCommand EventKind = "command"

	// KindToolBegins: a tool call begins; fields tool, tool_use_id. Says is StateInput if the
	// tool is a question to the person; field delegates is set if it runs a subagent.
	// KindToolEnds, KindToolFails, KindToolRefused: the call is over, worked, failed, or was
	// not allowed.
	KindToolBegins  EventKind = "tool-begins"
	KindToolEnds    EventKind = "tool-ends"
	KindToolFails   EventKind = "tool-fails"
	KindToolRefused EventKind = "tool-refused"

	// KindDialog: a dialog about a tool call opens; Says tells whether it asks for permission
	// or an answer. KindQuestion: a question that belongs to no call of the agent opens, for
	// example of an MCP server; KindQuestionEnds: it was answered. KindReminder: the agent
	// reminds the person of what it waits for; field of is "permission" for a dialog.
	KindDialog       EventKind = "dialog"
	KindQuestion     EventKind = "question"
	KindQuestionEnds EventKind = "question-ends"
	KindReminder     EventKind = "reminder"

	// KindTurnEnds: the turn ended; fields background_tasks, background_agents, session_crons count what it
	// left running. KindTurnFails: an error or a limit ended it; field error is the kind of it.
	// KindTurnInterrupted: the person ended it; agents that do not report that show it.
	KindTurnEnds        EventKind = "turn-ends"
	KindTurnFails       EventKind = "turn-fails"
	KindTurnInterrupted EventKind = "turn-interrupted"

	// KindSubagentBegins, KindSubagentEnds: field agent_id is the subagent's. Every kind with
	// that field is the subagent's, not the conversation's.
	KindSubagentBegins EventKind = "subagent-begins"
	KindSubagentEnds   EventKind = "subagent-ends"

	// KindCompactionBegins, KindCompactionEnds: the conversation is summarised. Says is
	// StateIdle if no turn goes on after it.
	KindCompactionBegins EventKind = "compaction-begins"
	KindCompactionEnds   EventKind = "compaction-ends"

	// KindConversationBegins: Says is "" if it goes on after a compaction; field cleared is
	// set if it begins empty in place of another. KindConversationEnds: Says is "" if another
	// one follows in the same process.
	KindConversationBegins EventKind = "conversation-begins"
	KindConversationEnds   EventKind = "conversation-ends"

	// KindModel: the agent uses another model, field model.
	KindModel EventKind = "model"
	// KindNote: worth an event, and says nothing about turns: a directory or a file changed.
	KindNote EventKind = "note"
)

// EndsTool reports whether a tool call is over.
func (k EventKind) EndsTool() bool {
	return k == KindToolEnds || k == KindToolFails || k == KindToolRefused
}

// EndsTurn reports whether a turn is over.
func (k EventKind) EndsTurn() bool {
	return k == KindTurnEnds || k == KindTurnFails || k == KindTurnInterrupted
}

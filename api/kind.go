package api

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

	// KindTurnEnds: the turn ended; fields background_tasks, background_agents count what it
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

package agents

import (
	"encoding/json"

	"ccdir/agents/transcript"
)

// Conversationalist is an adapter whose agent keeps its conversations where they can be
// read.
type Conversationalist interface {
	// OpenConversation returns a reader of a conversation; nil if it is not known where that
	// is. It reads nothing itself but names of files.
	OpenConversation(c Conversation) transcript.Source
	// ConversationEvents are the types of events that say which conversation an agent is in:
	// first those of every change, then one that any session has that was told something.
	ConversationEvents() (changes, any string)
	// ConversationOf reads the conversation from the data of such an event; false if that
	// names none, or a subagent's.
	ConversationOf(data json.RawMessage) (Conversation, bool)
}

// Conversation names a conversation of an agent.
type Conversation struct {
	// ID is the agent's id of it.
	ID string
	// Path is its file as a hook reported it, untrusted; "" if none did.
	Path string
	// CWD is where the agent ran, Env its environment as far as known: by them an agent's
	// file is found without a report.
	CWD string
	Env []string
}

// Forker is an adapter whose agent can go on from a conversation in a second one (Start.Fork).
type Forker interface {
	// CanFork reports whether that version can; "" is an unknown one.
	CanFork(version string) bool
}

// ModelChooser is an adapter whose agent takes a model on its command line (Start.Model).
type ModelChooser interface {
	// Models are names to offer to a person, most capable first; the agent may know others.
	Models() []string
}

package agents

import (
	"time"

	"ccdir/api"
)

// DialogHolder is an adapter whose agent shows no dialog while its hook waits, so that a
// person at the pane cannot answer meanwhile.
type DialogHolder interface {
	// HoldDialog bounds how long the hook waits. Then the dialog opens, and the request
	// stays open if keys can answer it (KeyAnswerer).
	HoldDialog() time.Duration
}

// KeyAnswerer is an adapter whose agent's dialogs can be answered only by keys, once they are
// on the screen.
type KeyAnswerer interface {
	// AnswerKeys are the keys for a decision in the dialog that the screen shows (plain text,
	// lines ended by newlines); after them the text of follow is sent as a prompt unless it
	// is "". ok is false if the screen shows no dialog of that request.
	AnswerKeys(d api.Decision, screen string) (keys []string, follow string, ok bool)
}

// Queuer is an adapter whose agent takes a prompt during a turn into that turn (Enter
// "steers"), and has other keys that queue it until the turn's end.
type Queuer interface {
	// QueueSteps types a prompt so that the agent begins it after its turn.
	QueueSteps(text string, leftover int) []Step
}

// ToolHolder is a Guarded adapter whose agent cannot be made to ask (api.EffectAsk): the hook
// before the tool waits for the answer of a lead or a person, at most api.HookTimeoutTool, and
// a call that nobody allows is refused.
type ToolHolder interface {
	// ToolRequest is the request for the call of a hook for which ToolUse is true.
	ToolRequest(h Hook) api.Request
}

// PartAsker is a Guarded adapter whose agent can be made to ask (api.EffectAsk) about some tools alone.
// Calls of others that the policy wants to be asked about are refused.
type PartAsker interface {
	// AsksAbout reports whether it asks about a tool, in ccdir's words.
	AsksAbout(tool string) bool
}

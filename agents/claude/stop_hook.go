package claude

import (
	"ccdir/agents"
	"ccdir/agents/payload"
)

// TurnEnds is true for Stop, which is not called after Esc or an error.
func (Adapter) TurnEnds(h agents.Hook) (again, ok bool) { return payload.TurnEnds(h) }

// ContinueReply prevents the end of the turn (seen with 2.1.294 and 2.1.329: the model
// gets the text as feedback of the hook, no UserPromptSubmit is called, and the next
// Stop has stop_hook_active).
func (Adapter) ContinueReply(text string) string { return payload.Decision("block", text) }

package agents

import (
	"encoding/json"
)

// Continuer is what adapters have whose hook at the end of a turn can have the
// agent go on.
type Continuer interface {
	// TurnEnds reports whether a decoded hook ends a turn of the conversation that
	// its reply can continue; again: a reply of a hook has continued it already.
	TurnEnds(h Hook) (again, ok bool)
	// ContinueReply is what the hook process prints to have the agent go on with
	// text.
	ContinueReply(text string) string
}

// TurnEnds is true for Stop, which is not called after Esc or an error.
func (Claude) TurnEnds(h Hook) (again, ok bool) {
	f := h.Evidence.Fields
	return f["stop_hook_active"] != "", h.Evidence.Name == "Stop" && f["agent_id"] == ""
}

// ContinueReply blocks the end of the turn (seen with 2.1.294 and 2.1.329: the
// text goes to the model as feedback of the hook, no UserPromptSubmit is called,
// and the next Stop has stop_hook_active).
func (Claude) ContinueReply(text string) string {
	out, err := json.Marshal(struct {
		Decision string `json:"decision"`
		Reason   string `json:"reason"`
	}{"block", text})
	if err != nil {
		return "" // texts alone: it cannot fail
	}
	return string(out)
}

// TurnEnds is that of Claude Code, whose hooks the demo agent has.
func (Demo) TurnEnds(h Hook) (again, ok bool) { return Claude{}.TurnEnds(h) }

// ContinueReply is that of Claude Code.
func (Demo) ContinueReply(text string) string { return Claude{}.ContinueReply(text) }

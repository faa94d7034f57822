package claude

import (
	"encoding/json"

	"ccdir/agents"
	"ccdir/api"
)

// TurnEnds is true for Stop, which is not called after Esc or an error.
func (Adapter) TurnEnds(h agents.Hook) (again, ok bool) {
	f := h.Evidence.Fields
	return f["stop_hook_active"] != "", h.Evidence.Kind == api.KindTurnEnds && f["agent_id"] == ""
}

// ContinueReply prevents the end of the turn (seen with 2.1.294 and 2.1.329: the model
// gets the text as feedback of the hook, no UserPromptSubmit is called, and the next
// Stop has stop_hook_active).
func (Adapter) ContinueReply(text string) string {
	out, err := json.Marshal(struct {
		Decision string `json:"decision"`
		Reason   string `json:"reason"`
	}{"block", text})
	if err != nil {
		return "" // texts alone: it cannot fail
	}
	return string(out)
}

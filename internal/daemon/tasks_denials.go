package daemon

import (
	"context"
	"encoding/json"
	"time"

	"ccdir/internal/api"
)

// Bounds of the refusals in a task's result: their number, and bytes of an input.
const (
	maxDenials     = 50
	maxDenialInput = 1 << 10
)

// denial is a refused permission in the shape in which Claude Code lists those of a
// one-shot run.
type denial struct {
	Tool   string          `json:"tool_name"`
	ID     string          `json:"tool_use_id,omitempty"`
	Input  json.RawMessage `json:"tool_input,omitempty"`
	By     string          `json:"by,omitempty"`
	Reason string          `json:"reason,omitempty"`
}

// denials are the permissions that were refused to a session since then, as the
// ledger has them; nil if none were. What a person refuses in the pane itself no
// agent tells.
func (d *daemon) denials(ctx context.Context, session string, since time.Time) json.RawMessage {
	rows, err := d.store.Decisions(ctx, api.LedgerFilter{Session: session, Decision: api.EffectDeny, Since: since, Limit: maxDenials})
	if err != nil {
		d.log.Error("the refusals of a task cannot be read", "session", session, "error", err)
		return nil
	}
	var list []denial
	for _, r := range rows {
		n := denial{Tool: r.Tool, ID: r.ToolUseID, Input: r.Input, By: r.By, Reason: r.Reason}
		if len(n.Input) > maxDenialInput {
			n.Input = nil
		}
		list = append(list, n)
	}
	if len(list) == 0 {
		return nil
	}
	out, err := json.Marshal(list)
	if err != nil {
		return nil // the ledger's inputs are JSON
	}
	return out
}

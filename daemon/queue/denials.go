package queue

import (
	"context"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// denials returns the permissions denied to a session since a time: those in the ledger,
// and those that a person denied in the pane; nil: none.
func (q *Queue) denials(ctx context.Context, session string, since time.Time, inPane api.Denials) api.Denials {
	rows, err := q.o.Store.Decisions(ctx, api.LedgerFilter{Session: session, Decision: api.EffectDeny, Since: since, Limit: agents.MaxDenials})
	if err != nil {
		q.o.Logger.Error("the refusals of a task cannot be read", "session", session, "error", err)
		return nil
	}
	var list api.Denials
	known := map[string]bool{}
	for _, r := range rows {
		list = append(list, api.Denial{Tool: r.Tool, ID: r.ToolUseID, Input: r.Input, By: r.By, Reason: r.Reason})
		known[r.ToolUseID] = true
	}
	for _, n := range inPane {
		if !known[n.ID] {
			list = append(list, n)
		}
	}
	return agents.ShortDenials(list)
}

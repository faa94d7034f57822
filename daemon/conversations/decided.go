package conversations

import (
	"context"
	"slices"
	"time"

	"ccdir/api"
)

// decided has what the ledger tells of a session's tool calls.
type decided struct {
	read    func(ctx context.Context, f api.LedgerFilter) ([]api.LedgerRow, error)
	session string
	calls   map[string]*api.ToolDecision // by the agent's id of the call
	newest  time.Time                    // of the rows that were read
	looked  bool                         // in this round of reading
}

// decidedRows bounds the rows of a session that are read at once: the newest ones.
const decidedRows = 5000

// of returns the turn with what was decided on its tool calls. The ledger is looked at once in
// a round of reading, if a call is not known or was asked about: its row is there before its result.
func (d *decided) of(ctx context.Context, t api.Turn) api.Turn {
	unknown := func(c api.TurnTool) bool {
		known := d.calls[c.ID]
		return c.ID != "" && (known == nil || known.Decision == api.EffectAsk) // who was asked may have answered
	}
	if d.read != nil && !d.looked && slices.ContainsFunc(t.Tools, unknown) {
		d.look(ctx)
	}
	if !slices.ContainsFunc(t.Tools, func(c api.TurnTool) bool { return c.Decision != d.calls[c.ID] }) {
		return t
	}
	t.Tools = slices.Clone(t.Tools)
	for i := range t.Tools {
		t.Tools[i].Decision = d.calls[t.Tools[i].ID]
	}
	return t
}

// look reads the rows since the last look. If that fails, turns are told without them.
func (d *decided) look(ctx context.Context) {
	d.looked = true
	rows, err := d.read(ctx, api.LedgerFilter{Session: d.session, Since: d.newest, Limit: decidedRows})
	if err != nil {
		return
	}
	for _, r := range rows {
		d.newest = r.At
		if r.ToolUseID == "" || r.Decision == api.EffectNone {
			continue
		}
		if d.calls == nil {
			d.calls = map[string]*api.ToolDecision{}
		}
		made := &api.ToolDecision{Seq: r.Seq, Decision: r.Decision, By: r.By, Rule: r.Rule, File: r.File, Line: r.Line}
		if r.By == api.ByPerson || r.By == api.ByLead {
			made.WaitedMS = int64(r.LatencyMS)
		}
		d.calls[r.ToolUseID] = made
	}
}

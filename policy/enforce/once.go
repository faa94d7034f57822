package enforce

import (
	"context"

	"ccdir/api"
)

// PauseRecorded is the point (Options.Pause) between the row of a change becoming durable and
// the change itself.
const PauseRecorded = "change-recorded"

// once appends the row of a change before the change is made. A retry (a call whose key is
// known) finds the row of the first attempt and appends none. If a later row undid the change
// since (see undone), overtaken is true and the caller must not repeat the change.
func (e *Enforcer) once(r api.LedgerRow, call api.Call, undone *later) (overtaken bool, err error) {
	r.Call = call.ID
	before, known, err := e.recorded(r, call)
	switch {
	case err != nil:
		return false, err
	case known && undone != nil:
		return e.overtaken(before, *undone)
	case known:
		return false, nil
	}
	if err := e.append(r); err != nil {
		return false, err
	}
	if e.o.Pause != nil && call.ID != "" {
		e.o.Pause(PauseRecorded)
	}
	return false, nil
}

// recorded returns the row of an earlier attempt of the call: by a previous daemon, or before
// the caller hung up. Rows older than the call belong to a forgotten key and don't count.
func (e *Enforcer) recorded(r api.LedgerRow, call api.Call) (before api.LedgerRow, known bool, err error) {
	if call.ID == "" || call.Begun.IsZero() || e.o.Ledger == nil {
		return before, false, nil
	}
	rows, err := e.o.Ledger.Decisions(context.Background(), api.LedgerFilter{Call: call.ID, Decision: r.Decision, Since: call.Begun, Limit: 1})
	if err != nil || len(rows) == 0 {
		return before, false, err
	}
	return rows[0], true, nil
}

// later selects the rows that undo a recorded change.
type later struct {
	decision string
	// is reports whether a row undoes the change; nil means that all do.
	is func(row, undone api.LedgerRow) bool
}

// anyLater selects all rows of that decision.
func anyLater(decision string) *later { return &later{decision: decision} }

// laterRule selects the rows of that decision about the same rule.
func laterRule(decision string) *later {
	return &later{decision, func(row, undone api.LedgerRow) bool { return row.Rule == undone.Rule && row.Scope == undone.Scope }}
}

// laterLook bounds the rows that are read. Retries come soon.
const laterLook = 200

// overtaken reports whether a later row undid the change.
func (e *Enforcer) overtaken(row api.LedgerRow, by later) (bool, error) {
	rows, err := e.o.Ledger.Decisions(context.Background(), api.LedgerFilter{Session: row.Session, Decision: by.decision, Since: row.At, Limit: laterLook})
	for _, r := range rows {
		if r.Seq > row.Seq && (by.is == nil || by.is(r, row)) {
			return true, err
		}
	}
	return false, err
}

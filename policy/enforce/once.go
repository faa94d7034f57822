package enforce

import (
	"context"

	"ccdir/api"
)

// PauseRecorded is the point (Options.Pause) after the row of a change under a key
// became durable and before the change is made.
const PauseRecorded = "change-recorded"

// once appends the row of a change before the change is made. A call under a key that
// was begun before may have its row already: then none is added. What undoes such a
// change is undone by later: if its row came after the call's, overtaken says so. The
// ledger tells then what holds, and the change is not made again.
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

// recorded is the row that the call wrote before this daemon, or before its caller
// hung up. An older one is of a call whose key was forgotten.
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

// later are the rows that undo what another one recorded.
type later struct {
	decision string
	// is tells which of those rows do; nil: all.
	is func(row, undone api.LedgerRow) bool
}

// anyLater: each of those rows.
func anyLater(decision string) *later { return &later{decision: decision} }

// laterRule: those of the same rule.
func laterRule(decision string) *later {
	return &later{decision, func(row, undone api.LedgerRow) bool { return row.Rule == undone.Rule && row.Scope == undone.Scope }}
}

// laterLook bounds how many rows are looked at: a repeat comes soon.
const laterLook = 200

// overtaken reports whether a row that undoes that one came after it.
func (e *Enforcer) overtaken(row api.LedgerRow, by later) (bool, error) {
	rows, err := e.o.Ledger.Decisions(context.Background(), api.LedgerFilter{Session: row.Session, Decision: by.decision, Since: row.At, Limit: laterLook})
	for _, r := range rows {
		if r.Seq > row.Seq && (by.is == nil || by.is(r, row)) {
			return true, err
		}
	}
	return false, err
}

// Package decisions lists the ledger: who allowed and denied what, the newest first, and the
// calls that nobody was asked about. It
// owns the rows that were answered last and asks for them again when something was
// decided: one call at a time. After a yes it makes rules of rows or takes them back.
package decisions

import (
	"context"
	"slices"
	"strconv"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists"
	"ccdir/tui/ui"
)

// Ledger is the part of a client that knows the ledger and its rules.
type Ledger interface {
	Decisions(ctx context.Context, f api.LedgerFilter) ([]api.LedgerRow, error)
	NewRule(ctx context.Context, n api.NewRule) (api.LedgerRow, error)
	RevokeRule(ctx context.Context, ref, rule string) error
}

// rows are the ledger's.
type rows struct {
	ledger  []api.LedgerRow // newest first
	problem string          // why they are not there, "" if they are
	asking  bool
	mark    int64     // newest event that they are about
	loaded  bool      // there was an answer
	wish    *ruleWish // the rule that y makes or revokes; nil: none
}

// ruleWish is a change of rules that waits for a yes.
type ruleWish struct {
	row   api.LedgerRow
	scope string // "" revokes
}

// changed says that a rule was changed.
type changed struct{}

// most is how many rows are asked for.
const most = 500

// New lists the ledger.
func New() ui.Component { return lists.New(rows{}) }

func (d rows) Mode() keymap.Mode { return keymap.ModeDecisions }

// Refresh asks again when something was decided.
func (d rows) Refresh(env ui.Env) (lists.Rows, []ui.Effect) {
	mark := lastDecided(env.Events)
	if d.asking || env.Offline != "" || d.loaded && d.mark == mark {
		return d, nil
	}
	d.asking, d.mark = true, mark
	return d, []ui.Effect{ui.Call{Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		ledger, err := ui.As[Ledger](c)
		if err != nil {
			return ui.Result{Value: []api.LedgerRow(nil)}, err
		}
		list, err := ledger.Decisions(ctx, api.LedgerFilter{Limit: most})
		if err == nil {
			unasked, problem := ledger.Decisions(ctx, api.LedgerFilter{By: api.ByUnasked, Limit: most})
			list, err = append(list, unasked...), problem
		}
		slices.SortStableFunc(list, func(x, y api.LedgerRow) int { return y.At.Compare(x.At) })
		return ui.Result{Value: list}, err
	}}}
}

// lastDecided is the number of the newest event that may belong to a decision.
func lastDecided(events []api.Event) int64 {
	for _, e := range slices.Backward(events) {
		if e.Kind == api.KindToolBegins {
			return e.Seq
		}
		switch e.Type {
		case api.EventPermissionOpen, api.EventPermissionEnded, api.EventMCPCall, api.EventHookRejected, api.EventHookFailed, api.EventCallRefused, api.EventSessionPolicy:
			return e.Seq
		}
	}
	return 0
}

// Receive takes the rows, or asks for them again after a change.
func (d rows) Receive(_ ui.Env, l lists.Dialog, value any, err error) (lists.Dialog, []ui.Effect) {
	switch v := value.(type) {
	case changed:
		d.loaded = err != nil && d.loaded
	default:
		d.asking, d.loaded, d.problem = false, true, ""
		if list, _ := v.([]api.LedgerRow); err == nil {
			d.ledger = list
		} else {
			d.problem = ui.Problem(err)
		}
	}
	return l.With(d), nil
}

// Intercept takes the answer to a question; every key but y is a no.
func (d rows) Intercept(_ ui.Env, l lists.Dialog, k ui.Key) (lists.Dialog, []ui.Effect, bool) {
	if d.wish == nil || k.Name == "C-c" {
		return l, nil, false
	}
	wish := *d.wish
	d.wish = nil
	if k.Name != "y" {
		return l.With(d), nil, true
	}
	return l.With(d), []ui.Effect{wish.call()}, true
}

// scopes are how far the rules of actions reach; "" takes one back.
var scopes = map[keymap.Action]string{
	keymap.DecisionSession: api.ScopeSession, keymap.DecisionProject: api.ScopeProject, keymap.DecisionUser: api.ScopeUser, keymap.DecisionRevoke: "",
}

// Act asks before a rule is made of a row, or a row's is taken back.
func (d rows) Act(_ ui.Env, l lists.Dialog, a keymap.Action, id string) (lists.Dialog, []ui.Effect, bool) {
	scope, ok := scopes[a]
	row, found := d.row(id)
	switch {
	case !ok || !found:
		return l, nil, ok
	case scope == "" && (row.Decision != api.LedgerRule || row.Scope != api.ScopeSession):
		return l, []ui.Effect{ui.Warn{Text: "only a rule that a session was given is taken back: choose its row (decision rule)"}}, true
	case scope != "" && row.Seq == 0:
		return l, []ui.Effect{ui.Warn{Text: "a rule can be made of a row of the ledger: this call was not decided"}}, true
	case scope != "" && (row.Tool == "" || len(row.Input) == 0):
		return l, []ui.Effect{ui.Warn{Text: "a rule can be made of a row about a use of a tool"}}, true
	}
	d.wish = &ruleWish{row: row, scope: scope}
	return l.With(d), nil, true
}

// call does what was wished.
func (w ruleWish) call() ui.Call {
	what := "writing the rule"
	if w.scope == "" {
		what = "taking the rule back"
	}
	return ui.Call{What: what, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		result := ui.Result{Value: changed{}}
		ledger, err := ui.As[Ledger](c)
		if err != nil {
			return result, err
		}
		said := textsafe.Line(w.row.Rule) + " was taken back"
		if w.scope == "" {
			err = ledger.RevokeRule(ctx, w.row.Session, w.row.Rule)
		} else {
			var row api.LedgerRow
			row, err = ledger.NewRule(ctx, api.NewRule{Node: w.row.Node, Row: w.row.Seq, Scope: w.scope})
			said = textsafe.Line(row.Rule) + " holds for the " + w.scope
		}
		if err == nil {
			result.Effects = []ui.Effect{ui.Say{Text: said}}
		}
		return result, err
	}}
}

// rowID tells rows of all machines' ledgers apart.
func rowID(r api.LedgerRow) string {
	return r.Node + " " + strconv.FormatInt(r.Seq, 10) + " " + strconv.FormatInt(r.Event, 10)
}

// row is the row of an id.
func (d rows) row(id string) (api.LedgerRow, bool) {
	for _, r := range d.ledger {
		if rowID(r) == id {
			return r, true
		}
	}
	return api.LedgerRow{}, false
}

package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"ccdir/api"
)

// unaskedPage is how many calls are read at once.
const unaskedPage = 1000

// unasked reads the newest calls that the filter selects and nobody was asked about, oldest
// first: reports of a tool's begin that no row of the ledger and no request is about.
func (s *Store) unasked(ctx context.Context, f api.LedgerFilter) ([]api.LedgerRow, error) {
	list := []api.LedgerRow{}
	if f.Seq > 0 || f.Request != "" || f.Call != "" || f.Decision != "" && f.Decision != api.EffectNone {
		return list, nil
	}
	limit := min(cmp.Or(max(f.Limit, 0), defaultDecisions), MaxLimit)
	err := s.eachUnasked(ctx, f, func(r api.LedgerRow) bool {
		list = append(list, r)
		return len(list) < limit
	})
	slices.Reverse(list)
	return list, err
}

// eachUnasked passes calls that nobody was asked about to each, the newest first, until it
// returns false. Of the filter Session, Tool, Before and Since count.
func (s *Store) eachUnasked(ctx context.Context, f api.LedgerFilter, each func(api.LedgerRow) bool) error {
	known := asked{store: s, session: f.Session, ids: map[string]bool{}, rows: map[string][]askedRow{}}
	// Also with Before from the newest on: rows find their calls in this order.
	for before := int64(0); ; {
		page, err := s.begun(ctx, f, before)
		if err != nil || len(page) == 0 {
			return err
		}
		if err := known.opened(ctx, page[len(page)-1].Event, before); err != nil {
			return err
		}
		before = page[len(page)-1].Event
		if err := known.reach(ctx, page[len(page)-1].At); err != nil {
			return err
		}
		for _, r := range page {
			switch {
			case r.At.Before(f.Since):
				return nil
			case known.about(r), f.Before > 0 && r.Event >= f.Before, f.Tool != "" && r.Tool != f.Tool:
			case !each(r):
				return nil
			}
		}
	}
}

// begun reads reports of a tool's begin before the event of that number (0: all), the newest
// first.
func (s *Store) begun(ctx context.Context, f api.LedgerFilter, before int64) ([]api.LedgerRow, error) {
	query := "SELECT e.seq, e.at, e.session, e.type, e.message, e.data, coalesce(s.name, '') FROM events e LEFT JOIN sessions s ON s.id = e.session WHERE e.kind = ?"
	args := []any{string(api.KindToolBegins)}
	if f.Session != "" {
		query, args = query+" AND e.session = ?", append(args, f.Session)
	}
	if before > 0 {
		query, args = query+" AND e.seq < ?", append(args, before)
	}
	return all(ctx, s.read, scanBegun, query+" ORDER BY e.seq DESC LIMIT ?", append(args, unaskedPage)...)
}

// scanBegun reads the report of a tool's begin as a row about a call.
func scanBegun(scan scanner) (r api.LedgerRow, err error) {
	var at int64
	var message string
	var data []byte
	if err := scan(&r.Event, &at, &r.Session, &r.Hook, &message, &data, &r.Name); err != nil {
		return r, err
	}
	r.At, r.Decision, r.By = time.Unix(0, at).UTC(), api.EffectNone, api.ByUnasked
	readCall(&r, message, data)
	return r, nil
}

// readCall fills in the call that an event's message and data are about.
func readCall(r *api.LedgerRow, message string, data []byte) {
	var call struct {
		Tool  string          `json:"tool_name"`
		Input json.RawMessage `json:"tool_input"`
		ID    string          `json:"tool_use_id"`
		Mode  string          `json:"permission_mode"`
	}
	_ = json.Unmarshal(data, &call) // an agent's own form: the message names the tool
	r.Input, r.ToolUseID, r.Mode = call.Input, call.ID, api.PermissionMode(call.Mode)
	if r.Tool, _, _ = strings.Cut(message, ": "); call.Tool != "" && strings.HasPrefix(message, call.Tool) {
		r.Tool = call.Tool
	}
}

// asked knows the calls that the ledger has rows about, or open requests, as far back as it was read.
type asked struct {
	store   *Store
	session string // the only one; "": all
	ids     map[string]bool
	// rows are those of one session and tool, the newest first.
	rows map[string][]askedRow
	next int64 // the ledger was read down to this row; 0: not yet
	done bool
}

// askedRow is a row about a call that was made at a moment; id is the agent's, "" if the row does
// not name it.
type askedRow struct {
	at time.Time
	id string
}

// opened adds the calls for which a request was opened after one event and before another (0: up to
// now): the ledger has a row only when the request has ended.
func (a *asked) opened(ctx context.Context, after, before int64) error {
	query, args := "SELECT session, data FROM events WHERE type = ? AND seq > ?", []any{api.EventPermissionOpen, after}
	if before > 0 {
		query, args = query+" AND seq < ?", append(args, before)
	}
	if a.session != "" {
		query, args = query+" AND session = ?", append(args, a.session)
	}
	_, err := all(ctx, a.store.read, func(scan scanner) (_ struct{}, err error) {
		var session string
		var data []byte
		if err = scan(&session, &data); err != nil {
			return struct{}{}, err
		}
		var r api.LedgerRow
		if readCall(&r, "", data); r.ToolUseID != "" {
			a.ids[session+" "+r.ToolUseID] = true
		}
		return struct{}{}, nil
	}, query, args...)
	return err
}

// reach reads the ledger down to rows about calls that began at a moment.
func (a *asked) reach(ctx context.Context, at time.Time) error {
	query, args := "SELECT seq, at, session, tool, coalesce(json_extract(record, '$.tool_use_id'), ''), coalesce(json_extract(record, '$.latency_ms'), 0) FROM decisions WHERE tool <> ''", []any(nil)
	if a.session != "" {
		query, args = query+" AND session = ?", append(args, a.session)
	}
	for !a.done {
		more, values := "", args
		if a.next > 0 {
			more, values = " AND seq < ?", append(slices.Clone(args), a.next)
		}
		n, reached := 0, false
		_, err := all(ctx, a.store.read, func(scan scanner) (_ struct{}, err error) {
			var when int64
			var session, tool, id string
			var latency sql.NullFloat64
			if err = scan(&a.next, &when, &session, &tool, &id, &latency); err != nil {
				return struct{}{}, err
			}
			n++
			// The row is written when the question ends; the call was made before.
			moment := time.Unix(0, when)
			reached = moment.Before(at)
			key := session + " " + tool
			a.ids[session+" "+id] = true
			a.rows[key] = append(a.rows[key], askedRow{moment.Add(-time.Duration(latency.Float64 * float64(time.Millisecond))), id})
			return struct{}{}, nil
		}, query+more+" ORDER BY seq DESC LIMIT ?", append(values, unaskedPage)...)
		if err != nil {
			return err
		}
		if a.done = n < unaskedPage; reached {
			return nil
		}
	}
	return nil
}

// slack is how much earlier than the call its row may seem to be, because latencies are
// rounded.
const slack = time.Millisecond

// about reports whether a row is about the call. Calls come the newest first; where call or row
// has no id, the row is about the newest call of its tool that began before. A row is about one
// call.
func (a *asked) about(r api.LedgerRow) bool {
	key, named := r.Session+" "+r.Tool, r.ToolUseID != "" && a.ids[r.Session+" "+r.ToolUseID]
	found := -1
	for i, row := range a.rows[key] {
		if row.at.Before(r.At.Add(-slack)) {
			break
		}
		if named && row.id == r.ToolUseID || !named && (row.id == "" || r.ToolUseID == "") {
			found = i // the last one is the nearest
		}
	}
	if found >= 0 {
		a.rows[key] = slices.Delete(a.rows[key], found, found+1)
	}
	return named || found >= 0
}

// sumSessions is how many sessions a sum names.
const sumSessions = 5

// SumDecisions counts what agents did since a moment, in one session or ("") all: the rows of
// the ledger, the calls that nobody was asked about, and what walls refused.
func (s *Store) SumDecisions(ctx context.Context, session string, since time.Time) (api.LedgerSum, error) {
	sum := api.LedgerSum{Since: since}
	counts, sessions := map[api.LedgerCount]int{}, map[string]*api.LedgerCount{}
	count := func(r api.LedgerRow) bool {
		mode := ""
		if r.By == api.ByUnasked {
			mode = r.Mode
		}
		counts[api.LedgerCount{Decision: r.Decision, By: r.By, Mode: mode}]++
		if r.Session != "" {
			c := sessions[r.Session]
			if c == nil { // the newest row comes first, with the newest name
				c = &api.LedgerCount{ID: r.Session, Name: r.Name}
				sessions[r.Session] = c
			}
			c.Rows++
		}
		return true
	}
	f := api.LedgerFilter{Session: session, Since: since, Limit: MaxLimit}
	for {
		rows, err := s.Decisions(ctx, f)
		if err != nil {
			return sum, err
		}
		for _, r := range slices.Backward(rows) {
			count(r)
		}
		if len(rows) < MaxLimit {
			break
		}
		f.Before = rows[0].Seq
	}
	if err := s.eachUnasked(ctx, api.LedgerFilter{Session: session, Since: since}, count); err != nil {
		return sum, err
	}
	for c, n := range counts {
		c.Rows = n
		sum.Counts = append(sum.Counts, c)
	}
	for _, c := range sessions {
		sum.Sessions = append(sum.Sessions, *c)
	}
	byRows := func(x, y api.LedgerCount) int {
		return cmp.Or(cmp.Compare(y.Rows, x.Rows), cmp.Compare(x.Decision+" "+x.By+" "+x.Mode+x.ID, y.Decision+" "+y.By+" "+y.Mode+y.ID))
	}
	slices.SortFunc(sum.Counts, byRows)
	slices.SortFunc(sum.Sessions, byRows)
	if sum.Others = max(len(sum.Sessions)-sumSessions, 0); sum.Others > 0 {
		sum.Sessions = sum.Sessions[:sumSessions]
	}
	if err := s.sumRefusals(ctx, session, since, &sum); err != nil {
		return sum, err
	}
	return sum, s.sumFrom(ctx, &sum)
}

// sumFrom fills in how far the event log reaches back.
func (s *Store) sumFrom(ctx context.Context, sum *api.LedgerSum) error {
	var first, at sql.NullInt64
	err := s.read.QueryRowContext(ctx, "SELECT seq, at FROM events ORDER BY seq LIMIT 1").Scan(&first, &at)
	if err != nil && err != sql.ErrNoRows {
		return err
	}
	from := time.Unix(0, at.Int64).UTC()
	if sum.Complete = first.Int64 <= 1 || !from.After(sum.Since); !sum.Complete {
		sum.From = from
	}
	return nil
}

package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"ccdir/api"
)

// Limits of reads.
const (
	// DefaultLimit is the number of events for a filter without a limit, MaxLimit the
	// largest.
	DefaultLimit = 1000
	MaxLimit     = 10_000
	// keysKept is the number of event keys that Keys returns.
	keysKept = 1024
)

const (
	insertEvent = `INSERT INTO events (seq, at, session, type, source, state_from, state_to, message, data, key, kind)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertText = "INSERT INTO events_text (rowid, message) VALUES (?, ?)"
)

// Commit saves events with their numbers, and the records of sessions by id; nil marks
// one as removed (its row and its events stay as history). All or nothing, durable when
// it returns. keys has one key per event, unique in its session; "": none.
func (s *Store) Commit(events []api.Event, keys []string, sessions map[string][]byte) error {
	return s.update(func(tx *sql.Tx) error {
		event := tx.Stmt(s.prepared.event)
		for i, e := range events {
			var data, key any
			if len(e.Data) > 0 {
				data = []byte(e.Data)
			}
			if keys[i] != "" {
				key = keys[i]
			}
			if _, err := event.Exec(e.Seq, e.At.UnixNano(), e.Session, e.Type, e.Source,
				string(e.StateFrom), string(e.StateTo), e.Message, data, key, string(e.Kind)); err != nil {
				return err
			}
		}
		put := tx.Stmt(s.prepared.session)
		for id, record := range sessions {
			if err := putSession(tx, put, id, record); err != nil {
				return err
			}
		}
		// Last: a statement after it would make FTS5 flush early.
		text := tx.Stmt(s.prepared.text)
		for _, e := range events {
			if _, err := text.Exec(e.Seq, e.Message); err != nil {
				return err
			}
		}
		return nil
	})
}

// Events reads events, oldest first: those after f.Since, or the newest ones if it is 0.
func (s *Store) Events(ctx context.Context, f api.EventFilter) (events []api.Event, err error) {
	defer func() { s.suspect(err) }()
	query := "SELECT seq, at, session, type, source, state_from, state_to, message, data, kind FROM events WHERE seq > ?"
	args := []any{f.Since}
	if f.Before > 0 {
		query, args = query+" AND seq < ?", append(args, f.Before)
	}
	if f.Session != "" {
		query, args = query+" AND session = ?", append(args, f.Session)
	}
	if f.Type != "" {
		query, args = query+" AND type = ?", append(args, f.Type)
	}
	newest := f.Since == 0
	query += " ORDER BY seq"
	if newest {
		query += " DESC"
	}
	limit := min(cmp.Or(max(f.Limit, 0), DefaultLimit), MaxLimit)
	events, err = all(ctx, s.read, s.scanEvent, query+" LIMIT ?", append(args, limit)...)
	if newest {
		slices.Reverse(events)
	}
	return events, err
}

// scanEvent reads a row of the event log.
func (s *Store) scanEvent(scan scanner) (e api.Event, err error) {
	var at int64
	var data []byte
	err = scan(&e.Seq, &at, &e.Session, &e.Type, &e.Source, &e.StateFrom, &e.StateTo, &e.Message, &data, &e.Kind)
	e.At = time.Unix(0, at).UTC()
	if e.Kind == "" && e.Source == string(api.SourceHook) && s.Kinds != nil {
		e.Kind = s.Kinds(e.Type) // saved before events had kinds
	}
	if json.Valid(data) {
		e.Data = data
	}
	return e, err
}

// LastSeq is the number of the newest event, 0 if there is none.
func (s *Store) LastSeq(ctx context.Context) (int64, error) {
	var seq sql.NullInt64
	err := s.read.QueryRowContext(ctx, "SELECT max(seq) FROM events").Scan(&seq)
	return seq.Int64, err
}

// Keys returns the newest keys of a session's events, at most 1,024, newest
// first.
func (s *Store) Keys(ctx context.Context, session string) ([]string, error) {
	return s.texts(ctx,
		"SELECT key FROM events WHERE session = ? AND key IS NOT NULL ORDER BY seq DESC LIMIT ?", session, keysKept)
}

// Prune deletes all but the newest kept events, in small transactions, so that no write
// waits long. 0 keeps all.
func (s *Store) Prune(ctx context.Context, kept int) error {
	const step = 5000
	if kept <= 0 {
		return nil
	}
	last, err := s.LastSeq(ctx)
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		var gone int64
		err := s.update(func(tx *sql.Tx) error {
			result, err := tx.Exec("DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE seq <= ? ORDER BY seq LIMIT ?)",
				last-int64(kept), step)
			if err != nil {
				return err
			}
			gone, err = result.RowsAffected()
			return err
		})
		if err != nil || gone < step {
			return err
		}
	}
	return ctx.Err()
}

// errNoRecord: a session's record is not JSON.
var errNoRecord = errors.New("a session's record must be a JSON object")

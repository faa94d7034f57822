package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"ccdir/api"
)

// ledgerSchema is a migration: the ledger of decisions, and the rules granted to
// sessions. The hash of a row covers its record and the hash of the row before.
const ledgerSchema = `
CREATE TABLE decisions (
  seq      INTEGER PRIMARY KEY,
  at       INTEGER NOT NULL, -- Unix nanoseconds
  session  TEXT NOT NULL,
  tool     TEXT NOT NULL,
  by       TEXT NOT NULL,
  decision TEXT NOT NULL,
  request  TEXT NOT NULL,
  record   BLOB NOT NULL,    -- api.LedgerRow without hash, as JSON
  hash     BLOB NOT NULL     -- SHA-256 of the hash before and record
) STRICT;
CREATE INDEX decisions_session ON decisions (session, seq);
CREATE INDEX decisions_request ON decisions (request) WHERE request <> '';
CREATE TRIGGER decisions_keep BEFORE UPDATE ON decisions
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER decisions_stay BEFORE DELETE ON decisions
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

CREATE TABLE session_rules (
  session TEXT PRIMARY KEY,
  record  BLOB NOT NULL      -- the gate package's JSON
) STRICT, WITHOUT ROWID;
`

// ledgerCalls is a migration: the idempotency key of the call that wrote a row.
const ledgerCalls = `
ALTER TABLE decisions ADD COLUMN call TEXT;
CREATE INDEX decisions_call ON decisions (call) WHERE call IS NOT NULL;
`

// defaultDecisions is the number of rows for a filter without a limit.
const defaultDecisions = 200

// AppendDecisions appends rows to the ledger and fills in their numbers and hashes.
// Durable when it returns. Concurrent callers share a commit.
func (s *Store) AppendDecisions(rows []api.LedgerRow) (api.LedgerHead, error) {
	var head api.LedgerHead
	err := s.update(func(tx *sql.Tx) error {
		before, err := ledgerHead(context.Background(), tx)
		if err != nil {
			return err
		}
		hash, err := hex.DecodeString(before.Hash)
		if err != nil {
			return err
		}
		seq := before.Seq
		for _, r := range rows {
			seq++
			r.Seq, r.Hash, r.At = seq, "", r.At.UTC()
			record, err := json.Marshal(r)
			if err != nil {
				return err
			}
			hash = chain(hash, record)
			if _, err := tx.Exec("INSERT INTO decisions (seq, at, session, tool, by, decision, request, record, hash, call) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, ''))",
				r.Seq, r.At.UnixNano(), r.Session, r.Tool, r.By, r.Decision, r.Request, record, hash, r.Call); err != nil {
				return err
			}
		}
		head = api.LedgerHead{Seq: seq, Hash: hex.EncodeToString(hash)}
		return nil
	})
	return head, err
}

// chain is the hash of a row.
func chain(before, record []byte) []byte {
	h := sha256.New()
	h.Write(before)
	h.Write(record)
	return h.Sum(nil)
}

type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// ledgerHead returns number and hash of the newest row; zero for an empty ledger.
func ledgerHead(ctx context.Context, q queryer) (api.LedgerHead, error) {
	var seq int64
	var hash []byte
	err := q.QueryRowContext(ctx, "SELECT seq, hash FROM decisions ORDER BY seq DESC LIMIT 1").Scan(&seq, &hash)
	if errors.Is(err, sql.ErrNoRows) {
		return api.LedgerHead{}, nil
	}
	return api.LedgerHead{Seq: seq, Hash: hex.EncodeToString(hash)}, err
}

// Decisions reads the newest rows that the filter selects, oldest first.
func (s *Store) Decisions(ctx context.Context, f api.LedgerFilter) ([]api.LedgerRow, error) {
	if f.By == api.ByUnasked {
		return s.unasked(ctx, f)
	}
	query, args := "SELECT record, hash FROM decisions WHERE 1", []any(nil)
	for _, c := range []struct{ column, value string }{
		{"session", f.Session}, {"tool", f.Tool}, {"by", f.By}, {"decision", f.Decision}, {"request", f.Request}, {"call", f.Call},
	} {
		if c.value != "" {
			query, args = query+" AND "+c.column+" = ?", append(args, c.value)
		}
	}
	if f.Seq > 0 {
		query, args = query+" AND seq = ?", append(args, f.Seq)
	}
	if f.Before > 0 {
		query, args = query+" AND seq < ?", append(args, f.Before)
	}
	if !f.Since.IsZero() {
		query, args = query+" AND at >= ?", append(args, f.Since.UnixNano())
	}
	limit := min(cmp.Or(max(f.Limit, 0), defaultDecisions), MaxLimit)
	list, err := all(ctx, s.read, scanDecision, query+" ORDER BY seq DESC LIMIT ?", append(args, limit)...)
	slices.Reverse(list)
	return list, err
}

// scanDecision reads a row of the ledger.
func scanDecision(scan scanner) (r api.LedgerRow, err error) {
	var record, hash []byte
	if err := scan(&record, &hash); err != nil {
		return r, err
	}
	if err := json.Unmarshal(record, &r); err != nil {
		return r, fmt.Errorf("a row of the ledger cannot be read: %w: `ccdir decisions --verify` tells which", err)
	}
	r.Hash = hex.EncodeToString(hash)
	return r, nil
}

// VerifyDecisions recomputes the chain. against is a head that was stored elsewhere; nil:
// none. Only with one it detects a truncated ledger, or one rewritten with all hashes.
func (s *Store) VerifyDecisions(ctx context.Context, against *api.LedgerHead) (api.LedgerCheck, error) {
	c := api.LedgerCheck{Against: against}
	rows, err := s.read.QueryContext(ctx, "SELECT seq, at, session, tool, by, decision, request, coalesce(call, ''), record, hash FROM decisions ORDER BY seq")
	if err != nil {
		return c, err
	}
	defer rows.Close()
	var before []byte
	for rows.Next() {
		var row ledgerRecord
		if err := rows.Scan(&row.seq, &row.at, &row.session, &row.tool, &row.by, &row.decision, &row.request, &row.call, &row.record, &row.hash); err != nil {
			return c, err
		}
		if problem := row.check(c.Rows+1, before); problem != "" {
			c.Problem, c.At = problem, c.Rows+1
			return c, nil
		}
		c.Rows++
		before = row.hash
		c.Head = api.LedgerHead{Seq: row.seq, Hash: hex.EncodeToString(row.hash)}
		if against != nil && against.Seq == row.seq && against.Hash != c.Head.Hash {
			c.Problem, c.At = "the row has another hash than the one that was kept: rows up to it were rewritten", row.seq
			return c, nil
		}
	}
	if err := rows.Err(); err != nil {
		return c, err
	}
	if against != nil && against.Seq > c.Head.Seq {
		c.Problem, c.At = fmt.Sprintf("the end was cut off: rows %d to %d are missing", c.Head.Seq+1, against.Seq), c.Head.Seq+1
	}
	return c, nil
}

// ledgerRecord is a stored row.
type ledgerRecord struct {
	seq, at                                    int64
	session, tool, by, decision, request, call string
	record, hash                               []byte
}

// check returns the problem of the row whose number must be want; "": none.
func (r *ledgerRecord) check(want int64, before []byte) string {
	if r.seq != want {
		return fmt.Sprintf("rows %d to %d are missing", want, r.seq-1)
	}
	if !slices.Equal(chain(before, r.record), r.hash) {
		return "the row was edited"
	}
	var v api.LedgerRow
	if json.Unmarshal(r.record, &v) != nil || v.Seq != r.seq || v.At.UnixNano() != r.at || v.Session != r.session || v.Tool != r.tool ||
		v.By != r.by || v.Decision != r.decision || v.Request != r.request || v.Call != r.call {
		return "the row's columns were edited"
	}
	return ""
}

// SessionRules returns the rules granted to sessions, by session id.
func (s *Store) SessionRules(ctx context.Context) (map[string][]byte, error) {
	return s.records(ctx, "SELECT session, record FROM session_rules")
}

// SaveSessionRules replaces the rules granted to a session; nil deletes them.
func (s *Store) SaveSessionRules(session string, record []byte) error {
	return s.update(func(tx *sql.Tx) error {
		if record == nil {
			_, err := tx.Exec("DELETE FROM session_rules WHERE session = ?", session)
			return err
		}
		_, err := tx.Exec("INSERT INTO session_rules (session, record) VALUES (?, ?) ON CONFLICT (session) DO UPDATE SET record = excluded.record", session, record)
		return err
	})
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
)

// pendingSchema is a migration: prompts that wait for their session. typing: the text is
// being typed, or a daemon that died was about to, so that it must not change any more.
const pendingSchema = `
CREATE TABLE pending (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  session TEXT NOT NULL,
  name    TEXT NOT NULL,
  text    TEXT NOT NULL,
  state   TEXT NOT NULL,
  typing  INTEGER NOT NULL DEFAULT 0,
  at      INTEGER NOT NULL, -- Unix nanoseconds
  ended   INTEGER,          -- Unix nanoseconds; NULL while it is pending
  reason  TEXT NOT NULL DEFAULT '',
  request TEXT              -- the id of the call that made it or NULL
) STRICT;
CREATE UNIQUE INDEX pending_request ON pending (request) WHERE request IS NOT NULL;
CREATE INDEX pending_open ON pending (session, id) WHERE state = 'pending';
`

const pendingColumns = "id, session, name, text, state, typing, at, ended, reason"

func scanPending(scan scanner) (p api.PendingPrompt, err error) {
	var id, at int64
	var ended sql.NullInt64
	err = scan(&id, &p.Session, &p.Name, &p.Text, &p.State, &p.Typing, &at, &ended, &p.Reason)
	p.ID, p.At = "p"+strconv.FormatInt(id, 10), time.Unix(0, at).UTC()
	if ended.Valid {
		p.Ended = time.Unix(0, ended.Int64).UTC()
	}
	return p, err
}

// pendingID reads the number of an id; an unknown form is no prompt's.
func pendingID(id string) (int64, error) {
	number, found := strings.CutPrefix(id, "p")
	n, err := strconv.ParseInt(number, 10, 64)
	if !found || err != nil {
		return 0, noPending(id)
	}
	return n, nil
}

func noPending(id string) error {
	return api.Errorf(api.CodeNotFound, "no pending prompt %.40q: `ccdir pending` lists them", id)
}

// AddPending saves a prompt, unless the call with that request has done so (most: at most
// that many may be pending for a session). Durable when it returns.
func (s *Store) AddPending(p api.PendingPrompt, request string, most int) (made api.PendingPrompt, err error) {
	err = s.update(func(tx *sql.Tx) error {
		made, err = insertPending(tx, p, request, most)
		return err
	})
	return made, err
}

// insertPending is AddPending in a transaction.
func insertPending(tx *sql.Tx, p api.PendingPrompt, request string, most int) (made api.PendingPrompt, err error) {
	if request != "" {
		made, err = scanPending(tx.QueryRow("SELECT "+pendingColumns+" FROM pending WHERE request = ?", request).Scan)
		if !errors.Is(err, sql.ErrNoRows) {
			return made, err
		}
	}
	var n int
	if err := tx.QueryRow("SELECT count(*) FROM pending WHERE session = ? AND state = 'pending'", p.Session).Scan(&n); err != nil {
		return made, err
	}
	if n >= most {
		return made, api.Errorf(api.CodeLimit, "%d prompts are pending for session %s already: cancel some (`ccdir pending cancel`)", n, p.Name)
	}
	res, err := tx.Exec("INSERT INTO pending (session, name, text, state, at, request) VALUES (?, ?, ?, 'pending', ?, ?)",
		p.Session, p.Name, p.Text, p.At.UnixNano(), sql.NullString{String: request, Valid: request != ""})
	if err != nil {
		return made, err
	}
	id, err := res.LastInsertId()
	made = p
	made.ID, made.State = fmt.Sprintf("p%d", id), api.PendingWaits
	return made, err
}

// Pending lists prompts, oldest first: those of a session, or of all with "". Of those that
// are delivered or failed it has the newest limit.
func (s *Store) Pending(ctx context.Context, session string, limit int) ([]api.PendingPrompt, error) {
	return all(ctx, s.read, scanPending, "SELECT "+pendingColumns+` FROM pending WHERE (? = '' OR session = ?) AND (state = 'pending' OR id IN
(SELECT id FROM pending WHERE state <> 'pending' AND (? = '' OR session = ?) ORDER BY id DESC LIMIT ?)) ORDER BY id`, session, session, session, session, limit)
}

// NextPending returns the oldest pending prompt of a session; false: there is none.
func (s *Store) NextPending(ctx context.Context, session string) (p api.PendingPrompt, found bool, err error) {
	p, err = scanPending(s.read.QueryRowContext(ctx, "SELECT "+pendingColumns+" FROM pending WHERE session = ? AND state = 'pending' ORDER BY id LIMIT 1", session).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return p, false, nil
	}
	return p, err == nil, err
}

// CountPending counts the pending prompts of a session.
func (s *Store) CountPending(ctx context.Context, session string) (n int, err error) {
	err = s.read.QueryRowContext(ctx, "SELECT count(*) FROM pending WHERE session = ? AND state = 'pending'", session).Scan(&n)
	return n, err
}

// PendingSessions returns the sessions for which prompts are pending.
func (s *Store) PendingSessions(ctx context.Context) ([]string, error) {
	return s.texts(ctx, "SELECT DISTINCT session FROM pending WHERE state = 'pending'")
}

// ChangePending changes a prompt: change gets its value and sets what is new of text, state,
// typing, ended and reason, or fails. It may be called more than once. Durable when it
// returns.
func (s *Store) ChangePending(id string, change func(*api.PendingPrompt) error) (p api.PendingPrompt, err error) {
	n, err := pendingID(id)
	if err != nil {
		return p, err
	}
	err = s.update(func(tx *sql.Tx) error {
		p, err = scanPending(tx.QueryRow("SELECT "+pendingColumns+" FROM pending WHERE id = ?", n).Scan)
		if errors.Is(err, sql.ErrNoRows) {
			return noPending(id)
		}
		if err == nil {
			err = change(&p)
		}
		if err != nil {
			return err
		}
		_, err = tx.Exec("UPDATE pending SET text = ?, state = ?, typing = ?, ended = ?, reason = ? WHERE id = ?",
			p.Text, p.State, p.Typing, sql.NullInt64{Int64: p.Ended.UnixNano(), Valid: !p.Ended.IsZero()}, p.Reason, n)
		if err == nil && p.State == api.PendingFailed {
			err = takeBack(tx, n)
		}
		return err
	})
	return p, err
}

// DropPending deletes a prompt unless check, which gets it, fails. It may be called more than
// once. Durable when DropPending returns.
func (s *Store) DropPending(id string, check func(api.PendingPrompt) error) (p api.PendingPrompt, err error) {
	n, err := pendingID(id)
	if err != nil {
		return p, err
	}
	err = s.update(func(tx *sql.Tx) error {
		p, err = scanPending(tx.QueryRow("SELECT "+pendingColumns+" FROM pending WHERE id = ?", n).Scan)
		if errors.Is(err, sql.ErrNoRows) {
			return noPending(id)
		}
		if err == nil {
			err = check(p)
		}
		if err != nil {
			return err
		}
		if p.State == api.PendingWaits {
			err = takeBack(tx, n)
		}
		if err == nil {
			_, err = tx.Exec("DELETE FROM pending WHERE id = ?", n)
		}
		return err
	})
	return p, err
}

// PrunePending deletes all but the newest kept prompts that are delivered or failed.
func (s *Store) PrunePending(kept int) error {
	return s.update(func(tx *sql.Tx) error {
		_, err := tx.Exec("DELETE FROM pending WHERE state <> 'pending' AND id NOT IN (SELECT id FROM pending WHERE state <> 'pending' ORDER BY id DESC LIMIT ?)", kept)
		return err
	})
}

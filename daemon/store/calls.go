package store

import (
	"bytes"
	"compress/flate"
	"database/sql"
	"errors"
	"io"
	"time"

	"ccdir/api"
)

// callsSchema is a migration: calls with idempotency keys, and the requests of messages.
const callsSchema = `
CREATE TABLE keyed_calls (
  id       INTEGER PRIMARY KEY,
  owner    TEXT NOT NULL,
  key      TEXT NOT NULL,
  at       INTEGER NOT NULL, -- Unix nanoseconds
  print    BLOB NOT NULL,
  note     TEXT NOT NULL,
  status   INTEGER NOT NULL, -- 0: begun
  location TEXT NOT NULL,
  body     BLOB              -- DEFLATE
) STRICT;
CREATE UNIQUE INDEX keyed_calls_key ON keyed_calls (owner, key);
CREATE INDEX keyed_calls_owner ON keyed_calls (owner, id);
CREATE INDEX keyed_calls_at ON keyed_calls (at);

ALTER TABLE messages ADD COLUMN request TEXT;
CREATE UNIQUE INDEX messages_request ON messages (request) WHERE request IS NOT NULL;
`

// maxKept bounds a stored answer, in bytes when compressed. A larger one is not stored:
// its call stays unfinished, and a retry derives the answer from the present state.
const maxKept = 1 << 20

// BeginCall records a call before it is carried out. If its key is known it returns the
// stored record instead. Durable when it returns. Records that are too old or too many of
// the owner are deleted.
func (s *Store) BeginCall(c api.CallRecord) (old api.CallRecord, known bool, err error) {
	err = s.update(func(tx *sql.Tx) error {
		old, known = api.CallRecord{}, false
		var packed []byte
		var at int64
		row := tx.QueryRow("SELECT at, print, note, status, location, body FROM keyed_calls WHERE owner = ? AND key = ? AND at > ?", c.Owner, c.Key, c.At.Add(-api.KeysKept).UnixNano())
		err := row.Scan(&at, &old.Print, &old.Target, &old.Status, &old.Location, &packed)
		if err == nil {
			known = true
			old.Owner, old.Key, old.At = c.Owner, c.Key, time.Unix(0, at).UTC()
			if old.Body, err = inflate(packed); err != nil {
				s.log.Warn("a kept answer is damaged", "error", err)
				old.Status = 0 // unreadable: as if the call had not finished
			}
			return nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		for query, args := range map[string][]any{
			"DELETE FROM keyed_calls WHERE at <= ?": {c.At.Add(-api.KeysKept).UnixNano()},
			"DELETE FROM keyed_calls WHERE owner = ? AND id <= (SELECT id FROM keyed_calls WHERE owner = ? ORDER BY id DESC LIMIT 1 OFFSET ?)": {c.Owner, c.Owner, api.MaxKeys - 1},
		} {
			if _, err := tx.Exec(query, args...); err != nil {
				return err
			}
		}
		_, err = tx.Exec("INSERT INTO keyed_calls (owner, key, at, print, note, status, location) VALUES (?, ?, ?, ?, ?, 0, '')",
			c.Owner, c.Key, c.At.UnixNano(), c.Print, c.Target)
		return err
	})
	return old, known, err
}

// EndCall stores the answer of a call; durable when it returns.
func (s *Store) EndCall(c api.CallRecord) error {
	packed, err := deflate(c.Body)
	if err != nil {
		return err
	}
	if len(packed) > maxKept {
		return nil
	}
	return s.update(func(tx *sql.Tx) error {
		_, err := tx.Exec("UPDATE keyed_calls SET status = ?, location = ?, body = ? WHERE owner = ? AND key = ?", c.Status, c.Location, packed, c.Owner, c.Key)
		return err
	})
}

// deflate compresses a stored answer.
func deflate(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

// maxUnpacked bounds an inflated answer, in bytes: a damaged row must not fill the
// memory.
const maxUnpacked = 256 << 20

func inflate(packed []byte) ([]byte, error) {
	if len(packed) == 0 {
		return nil, nil
	}
	return io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxUnpacked))
}

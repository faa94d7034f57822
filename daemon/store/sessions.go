package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ccdir/api"
)

// row has the fields of a session's record that are columns.
type row struct {
	Session struct {
		Name    string    `json:"name"`
		Agent   string    `json:"agent"`
		State   api.State `json:"state"`
		CWD     string    `json:"cwd"`
		Created time.Time `json:"created"`
	} `json:"session"`
}

const upsertSession = `INSERT INTO sessions (id, name, agent, state, cwd, created, record) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, agent = excluded.agent, state = excluded.state,
  cwd = excluded.cwd, removed = NULL, record = excluded.record`

// putSession saves one session with put, the prepared upsertSession, or marks it as
// removed if record is nil.
func putSession(tx *sql.Tx, put *sql.Stmt, id string, record []byte) error {
	if record == nil {
		_, err := tx.Exec("UPDATE sessions SET removed = ? WHERE id = ?", time.Now().UnixNano(), id)
		return err
	}
	var r row
	if err := json.Unmarshal(record, &r); err != nil {
		return fmt.Errorf("%w: %w", errNoRecord, err)
	}
	_, err := put.Exec(id, r.Session.Name, r.Session.Agent, string(r.Session.State), r.Session.CWD,
		r.Session.Created.UnixNano(), record)
	return err
}

// Sessions returns the records of the sessions that are not removed, by id.
func (s *Store) Sessions(ctx context.Context) (map[string][]byte, error) {
	return s.records(ctx, "SELECT id, record FROM sessions WHERE removed IS NULL")
}

// KnownID reports whether a session of that id ever existed: events refer to ids, so none
// is given twice.
func (s *Store) KnownID(ctx context.Context, id string) (bool, error) {
	var one int
	err := s.read.QueryRowContext(ctx, "SELECT 1 FROM sessions WHERE id = ?", id).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// UseDirectory records that a session was started in a directory.
func (s *Store) UseDirectory(path string, at time.Time) error {
	return s.update(func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT INTO directories (path, used) VALUES (?, ?) ON CONFLICT (path) DO UPDATE SET used = max(used, excluded.used)",
			path, at.UnixNano())
		return err
	})
}

// Directories returns the most recently used directories, newest first.
func (s *Store) Directories(ctx context.Context, limit int) ([]string, error) {
	return s.texts(ctx, "SELECT path FROM directories ORDER BY used DESC LIMIT ?", limit)
}

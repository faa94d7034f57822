package store

import (
	"context"
	"database/sql"
)

// intakeSchema is a migration: what daemon/intake keeps, as JSON: schedules, watches and what they
// have taken, by kind and id.
const intakeSchema = `
CREATE TABLE intake (
  kind   TEXT NOT NULL,
  id     TEXT NOT NULL,
  record BLOB NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
`

// SaveIntake saves a record, nil deletes it. Durable when it returns.
func (s *Store) SaveIntake(kind, id string, record []byte) error {
	return s.update(func(tx *sql.Tx) error {
		if record == nil {
			_, err := tx.Exec("DELETE FROM intake WHERE kind = ? AND id = ?", kind, id)
			return err
		}
		_, err := tx.Exec("INSERT OR REPLACE INTO intake (kind, id, record) VALUES (?, ?, ?)", kind, id, record)
		return err
	})
}

// Intake returns all records of a kind by their ids.
func (s *Store) Intake(ctx context.Context, kind string) (map[string][]byte, error) {
	return s.records(ctx, "SELECT id, record FROM intake WHERE kind = ?", kind)
}

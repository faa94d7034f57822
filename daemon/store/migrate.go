package store

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
)

// migrations[i] changes the schema from version i to i+1. A released one is never
// changed. The version is PRAGMA user_version.
var migrations = []string{
	// 1: sessions and events.
	`
CREATE TABLE sessions (
  id      TEXT PRIMARY KEY,
  name    TEXT NOT NULL,
  agent   TEXT NOT NULL,
  state   TEXT NOT NULL,
  cwd     TEXT NOT NULL,
  created INTEGER NOT NULL, -- Unix nanoseconds
  removed INTEGER,          -- Unix nanoseconds; NULL while the session is listed
  record  BLOB NOT NULL     -- the sessions package's JSON
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  seq        INTEGER PRIMARY KEY,
  at         INTEGER NOT NULL, -- Unix nanoseconds
  session    TEXT NOT NULL,
  type       TEXT NOT NULL,
  source     TEXT NOT NULL,
  state_from TEXT NOT NULL,
  state_to   TEXT NOT NULL,
  message    TEXT NOT NULL,
  data       BLOB,             -- JSON or NULL
  key        TEXT              -- a hook call's id or NULL
) STRICT;
CREATE INDEX events_session ON events (session, seq);
CREATE INDEX events_type ON events (type, seq);
CREATE INDEX events_key ON events (session, key) WHERE key IS NOT NULL;

CREATE TABLE directories (
  path TEXT PRIMARY KEY,
  used INTEGER NOT NULL -- Unix nanoseconds
) STRICT, WITHOUT ROWID;
`,
	tasksSchema,
	stepsSchema,
	messagesSchema,
	ledgerSchema,
	historySchema,
	indexedByCommit,
	archivedConversation,
	taskTextSchema,
	callsSchema,
	ledgerCalls,
	"ALTER TABLE events ADD COLUMN kind TEXT NOT NULL DEFAULT '';",
	pendingSchema,
	limitsSchema,
	usageSchema,
	commentsSchema,
	intakeSchema,
	viewedSchema,
}

// errNewer: the database was written by a later version of ccdir.
var errNewer = errors.New("it was written by a newer ccdir: install that version again, or move the file away to begin a new one")

// CheckSchema fails if the database was written by a later version. It changes nothing, and
// a daemon may use the file meanwhile. A file that is missing or cannot be read is no error
// here: Open deals with it.
func CheckSchema(path string) error {
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	db, err := sql.Open("sqlite", dsn(path)+"?mode=ro&_pragma=query_only(1)")
	if err != nil {
		return err
	}
	defer db.Close()
	if err := known(db); errors.Is(err, errNewer) {
		return err
	}
	return nil
}

// known fails if the schema is of a later version.
func known(db *sql.DB) error {
	var version int
	if err := db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version > len(migrations) {
		return fmt.Errorf("%w (schema %d, this one knows %d)", errNewer, version, len(migrations))
	}
	return nil
}

// migrate brings the schema up to date, each step in its own transaction.
func migrate(db *sql.DB) error {
	var version int
	if err := db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if err := known(db); err != nil {
		return err
	}
	for ; version < len(migrations); version++ {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		if _, err := tx.Exec(migrations[version]); err != nil {
			return errors.Join(fmt.Errorf("migration to schema %d: %w", version+1, err), tx.Rollback())
		}
		if _, err := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", version+1)); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
	return nil
}

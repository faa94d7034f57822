package store

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ccdir/internal/disk/atomicfile"
)

// checkBelow is the size of a database, in bytes, up to which all its pages are checked
// when it is opened (some 50 ms). In a larger one only the pages that a start needs are
// checked, unless damage was found in it before. Tests set it.
var checkBelow int64 = 32 << 20

// startTables are the tables that a daemon reads whole when it starts.
var startTables = []string{"sessions", "tasks", "queue", "task_steps", "task_env", "session_rules"}

// errDamaged is wrapped by errors of check.
var errDamaged = errors.New("the check of its pages failed")

// markFile exists if damage was found in the database; the next Open checks all of it.
func markFile(path string) string { return path + ".suspect" }

// check reads the schema, and all pages of a small or suspect database.
func check(db *sql.DB, path string, size int64) error {
	var n int
	if err := db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&n); err != nil {
		return err
	}
	_, err := os.Lstat(markFile(path))
	if err != nil && size > checkBelow {
		return checkStart(db)
	}
	if err := quickCheck(db, "PRAGMA quick_check(1)"); err != nil {
		return err
	}
	if err == nil {
		_ = os.Remove(markFile(path)) // if it stays, the next check is slow
	}
	return nil
}

func quickCheck(db *sql.DB, pragma string) error {
	var result string
	if err := db.QueryRow(pragma).Scan(&result); err != nil {
		return err
	}
	if result != "ok" {
		return fmt.Errorf("%w: %s", errDamaged, result)
	}
	return nil
}

// checkStart reads all that a start needs: the small tables and the newest events.
func checkStart(db *sql.DB) error {
	for _, table := range startTables {
		var there int
		if err := db.QueryRow("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?", table).Scan(&there); err != nil {
			return err
		}
		if there == 0 {
			continue // a migration will make it
		}
		if err := quickCheck(db, "PRAGMA quick_check("+table+")"); err != nil {
			return err
		}
	}
	var all sql.NullFloat64 // instr reads each value completely
	return db.QueryRow(`SELECT total(instr(message, 'x') + instr(coalesce(data, x''), x'00'))
FROM (SELECT message, data FROM events ORDER BY seq DESC LIMIT ?)`, DefaultLimit).Scan(&all)
}

// damaged reports whether err means that the file's content is bad, as opposed to a full
// disk or a missing permission.
func damaged(err error) bool {
	const (
		sqliteCorrupt = 11
		sqliteNotADB  = 26
	)
	if primary, ok := code(err); ok {
		return primary == sqliteCorrupt || primary == sqliteNotADB
	}
	return errors.Is(err, errDamaged)
}

// code is the primary result code of an SQLite error.
func code(err error) (primary int, ok bool) {
	var coded interface{ Code() int }
	if errors.As(err, &coded) {
		return coded.Code() & 0xff, true
	}
	return 0, false
}

// suspect makes the next Open check the whole database, if err means damage. Reading and
// writing continue where they work.
func (s *Store) suspect(err error) {
	if err == nil || !damaged(err) || s.marked.Swap(true) {
		return
	}
	s.log.Error("the database is damaged: the next daemon moves it aside", "error", err)
	if err := os.WriteFile(markFile(s.path), nil, 0o600); err != nil {
		s.log.Error("the next daemon cannot be told that the database is damaged", "error", err)
	}
}

// moveAside renames the database and its companions.
func moveAside(path string, at time.Time) (string, error) {
	moved := path + damagedMark + at.UTC().Format("20060102T150405.000")
	// The WAL first: it must not become that of a new database.
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Rename(path+suffix, moved+suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	if err := os.Rename(path, moved); err != nil {
		return "", err
	}
	_ = os.Remove(markFile(path))
	return moved, atomicfile.SyncDir(filepath.Dir(path))
}

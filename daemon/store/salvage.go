package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The readable rows of a damaged database are copied into the new one: one bad page must
// not lose the tasks, messages and decisions on all others. A table is read from its
// beginning up to the damage, and from its end down to it.

// salvageTime bounds the salvage, because callers wait for the daemon's start. Large and
// less important tables come last, newest rows first. Tests set it.
var salvageTime = 5 * time.Second

// salvaged are the tables in the order of copying, with the column that orders their
// rows. Full-text indexes are rebuilt where possible.
var salvaged = []struct{ table, key string }{
	{"sessions", "id"}, {"queue", "one"}, {"tasks", "id"}, {"task_env", "hash"}, {"task_steps", "id"}, {"session_rules", "session"},
	{"messages", "id"}, {"pending", "id"}, {"intake", "kind, id"}, {"comments", "id"}, {"rounds", "session, round"}, {"decisions", "seq"}, {"directories", "path"}, {"limits", "at"}, {"task_output", "task, attempt"}, {"keyed_calls", "id"},
	{"events", "seq"}, {"archive", "id"}, {"results", "id"},
}

// salvage copies the readable rows of the database at old, which stays there. It returns
// their number, and as an error the tables that could not be read completely.
func (s *Store) salvage(old string, until time.Time) (rows int, err error) {
	// Read-only, and not immutable: its WAL is read too.
	from, err := sql.Open("sqlite", dsn(old)+"?mode=ro&_pragma=query_only(1)")
	if err != nil {
		return 0, err
	}
	defer from.Close()
	from.SetMaxOpenConns(1)
	ctx, cancel := context.WithDeadline(context.Background(), until)
	defer cancel()
	var failed []error
	for _, t := range salvaged {
		n, err := s.salvageTable(ctx, from, t.table, t.key)
		rows += n
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", t.table, err))
		}
	}
	for _, query := range []string{"INSERT INTO events_text (events_text) VALUES ('rebuild')", fillTaskText} {
		failed = append(failed, s.update(func(tx *sql.Tx) error {
			_, err := tx.Exec(query)
			return err
		}))
	}
	return rows, errors.Join(failed...)
}

// salvageTable copies one table, newest rows first, and after an error from the other
// end.
func (s *Store) salvageTable(ctx context.Context, from *sql.DB, table, key string) (n int, err error) {
	into, err := s.columns(ctx, table)
	if err != nil {
		return 0, err
	}
	down := strings.ReplaceAll(key, ",", " DESC,") + " DESC"
	n, err = s.salvageRows(ctx, from, table, down, into)
	if err == nil || ctx.Err() != nil {
		return n, err
	}
	m, _ := s.salvageRows(ctx, from, table, key, into) // fails too: the damage is in between
	return n + m, err
}

// columns returns the columns of a table of the new database, and the SQL of their
// values: an empty BLOB is read as NULL and needs an expression.
func (s *Store) columns(ctx context.Context, table string) (map[string]string, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT name, type = 'BLOB' AND \"notnull\" FROM pragma_table_info(?)", table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := map[string]string{}
	for rows.Next() {
		var name string
		var empty bool
		if err := rows.Scan(&name, &empty); err != nil {
			return nil, err
		}
		if list[name] = "?"; empty {
			list[name] = "coalesce(?, x'')"
		}
	}
	return list, rows.Err()
}

// salvageBatch bounds the rows of one transaction.
const salvageBatch = 500

// salvageRows copies rows in that order until one cannot be read. The rows before it stay
// copied.
func (s *Store) salvageRows(ctx context.Context, from *sql.DB, table, order string, into map[string]string) (n int, err error) {
	rows, err := from.QueryContext(ctx, "SELECT * FROM "+table+" ORDER BY "+order) //nolint:gosec // names of salvaged
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return 0, err
	}
	var known, marks []string // an older schema has fewer columns
	for _, name := range names {
		if mark, ok := into[name]; ok {
			known, marks = append(known, name), append(marks, mark)
		}
	}
	insert := fmt.Sprintf("INSERT OR IGNORE INTO %s (%s) VALUES (%s)", table, strings.Join(known, ", "), strings.Join(marks, ", "))
	var batch [][]any
	for rows.Next() {
		values, at := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			at[i] = &values[i]
		}
		if err = rows.Scan(at...); err != nil {
			break
		}
		var row []any
		for i, name := range names {
			if slices.Contains(known, name) {
				row = append(row, values[i])
			}
		}
		if batch = append(batch, row); len(batch) == salvageBatch {
			m, err := s.insertRows(insert, batch)
			if n += m; err != nil {
				return n, err
			}
			batch = batch[:0]
		}
	}
	m, insertErr := s.insertRows(insert, batch)
	return n + m, errors.Join(err, rows.Err(), insertErr)
}

// insertRows saves the rows that the new database accepts, and skips the others.
func (s *Store) insertRows(insert string, batch [][]any) (n int, err error) {
	err = s.update(func(tx *sql.Tx) error {
		n = 0
		put, err := tx.Prepare(insert)
		if err != nil {
			return err
		}
		defer put.Close()
		for _, row := range batch {
			result, err := put.Exec(row...)
			if err != nil {
				continue // damaged values violate a constraint
			}
			if k, err := result.RowsAffected(); err == nil {
				n += int(k)
			}
		}
		return nil
	})
	return n, err
}

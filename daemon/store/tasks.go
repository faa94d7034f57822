package store

import (
	"context"
	"database/sql"
	"errors"
)

// tasksSchema is a migration: the queue.
const tasksSchema = `
CREATE TABLE tasks (
  id     TEXT PRIMARY KEY,
  state  TEXT NOT NULL,
  seq    INTEGER NOT NULL,
  record BLOB NOT NULL     -- the orchestrator package's JSON
) STRICT, WITHOUT ROWID;

CREATE TABLE queue (
  one      INTEGER PRIMARY KEY CHECK (one = 1),
  settings BLOB NOT NULL   -- the orchestrator package's JSON
) STRICT;

CREATE TABLE task_output (
  task    TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  stdout  BLOB NOT NULL,
  stderr  BLOB NOT NULL,
  PRIMARY KEY (task, attempt)
) STRICT, WITHOUT ROWID;
`

// stepsSchema is a migration: steps of tasks that are not in the event log yet, and the
// deduplicated environments of tasks.
const stepsSchema = `
CREATE TABLE task_steps (
  id   INTEGER PRIMARY KEY AUTOINCREMENT,
  step BLOB NOT NULL       -- api.Event as JSON
) STRICT;

CREATE TABLE task_env (
  hash TEXT PRIMARY KEY,
  env  BLOB NOT NULL       -- a JSON list
) STRICT, WITHOUT ROWID;
`

// TaskRow is one saved task. Record nil deletes it and its output.
type TaskRow struct {
	ID, State string
	Seq       int64
	Record    []byte
	// Text is the text by which the task is found, besides the output of its last attempt;
	// "": unchanged.
	Text string
}

// CommitTasks saves tasks, the queue's settings (nil: unchanged), and steps that are to
// be appended to the event log (see TaskSteps); all or nothing, durable when it returns.
// It returns the number of the last step. Steps up to the number done are in the event
// log and are deleted.
func (s *Store) CommitTasks(rows []TaskRow, settings []byte, steps [][]byte, done int64) (last int64, err error) {
	err = s.update(func(tx *sql.Tx) error {
		last = 0
		if _, err := tx.Exec("DELETE FROM task_steps WHERE id <= ?", done); err != nil {
			return err
		}
		for _, step := range steps {
			result, err := tx.Exec("INSERT INTO task_steps (step) VALUES (?)", step)
			if err != nil {
				return err
			}
			if last, err = result.LastInsertId(); err != nil {
				return err
			}
		}
		if settings != nil {
			if _, err := tx.Exec("INSERT INTO queue (one, settings) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET settings = excluded.settings", settings); err != nil {
				return err
			}
		}
		if len(rows) == 0 {
			return nil
		}
		put, err := tx.Prepare("INSERT INTO tasks (id, state, seq, record) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state, record = excluded.record")
		if err != nil {
			return err
		}
		defer put.Close()
		index, err := newTaskIndexer(tx)
		if err != nil {
			return err
		}
		defer index.close()
		for _, r := range rows {
			if r.Record != nil {
				if _, err := put.Exec(r.ID, r.State, r.Seq, r.Record); err != nil {
					return err
				}
				if err := index.add(r); err != nil {
					return err
				}
				continue
			}
			for _, query := range []string{dropTaskText, "DELETE FROM tasks WHERE id = ?", "DELETE FROM task_output WHERE task = ?"} {
				if _, err := tx.Exec(query, r.ID); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return last, err
}

// TaskSteps returns the steps of CommitTasks that are not deleted, with their numbers.
func (s *Store) TaskSteps(ctx context.Context) (ids []int64, steps [][]byte, err error) {
	rows, err := s.read.QueryContext(ctx, "SELECT id, step FROM task_steps ORDER BY id")
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var step []byte
		if err := rows.Scan(&id, &step); err != nil {
			return nil, nil, err
		}
		ids, steps = append(ids, id), append(steps, step)
	}
	return ids, steps, rows.Err()
}

// KnownKey reports whether an event of the session has that key.
func (s *Store) KnownKey(ctx context.Context, session, key string) (bool, error) {
	var one int
	err := s.read.QueryRowContext(ctx, "SELECT 1 FROM events WHERE session = ? AND key = ? LIMIT 1", session, key).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// SaveTaskEnv saves an environment under its hash.
func (s *Store) SaveTaskEnv(hash string, env []byte) error {
	return s.update(func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT INTO task_env (hash, env) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING", hash, env)
		return err
	})
}

// TaskEnvs returns the environments by hash.
func (s *Store) TaskEnvs(ctx context.Context) (map[string][]byte, error) {
	return s.records(ctx, "SELECT hash, env FROM task_env")
}

// DropTaskEnvs deletes environments.
func (s *Store) DropTaskEnvs(hashes []string) error {
	return s.update(func(tx *sql.Tx) error {
		for _, h := range hashes {
			if _, err := tx.Exec("DELETE FROM task_env WHERE hash = ?", h); err != nil {
				return err
			}
		}
		return nil
	})
}

// Tasks returns all tasks in the order of adding, and the queue's settings; nil: none were
// saved.
func (s *Store) Tasks(ctx context.Context) ([]TaskRow, []byte, error) {
	var settings []byte
	err := s.read.QueryRowContext(ctx, "SELECT settings FROM queue").Scan(&settings)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, nil, err
	}
	list, err := all(ctx, s.read, func(scan scanner) (r TaskRow, err error) {
		err = scan(&r.ID, &r.State, &r.Seq, &r.Record)
		return r, err
	}, "SELECT id, state, seq, record FROM tasks ORDER BY seq")
	return list, settings, err
}

// SaveOutput saves the output of an attempt of a print task.
func (s *Store) SaveOutput(task string, attempt int, stdout, stderr []byte) error {
	return s.update(func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT INTO task_output (task, attempt, stdout, stderr) VALUES (?, ?, coalesce(?, x''), coalesce(?, x'')) ON CONFLICT (task, attempt) DO UPDATE SET stdout = excluded.stdout, stderr = excluded.stderr",
			task, attempt, stdout, stderr)
		return err
	})
}

// Output returns the output of the last attempt of a print task; nil: none was saved.
func (s *Store) Output(ctx context.Context, task string) (stdout, stderr []byte, err error) {
	err = s.read.QueryRowContext(ctx, "SELECT stdout, stderr FROM task_output WHERE task = ? ORDER BY attempt DESC LIMIT 1", task).Scan(&stdout, &stderr)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return stdout, stderr, err
}

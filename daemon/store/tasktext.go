package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
)

// taskTextSchema is a migration: a full-text index of tasks, their results and the output
// of one-shot runs. A row's id is the task's seq.
const taskTextSchema = `
CREATE VIRTUAL TABLE task_text USING fts5 (text, content = '', contentless_delete = 1);
` + fillTaskText

// fillTaskText fills the empty index with the texts of all tasks.
const fillTaskText = `INSERT INTO task_text (rowid, text)
  SELECT seq, coalesce(json_extract(r, '$.name'), '') || char(10) || coalesce(json_extract(r, '$.prompt'), '') || char(10)
    || coalesce(json_extract(r, '$.steps'), '') || char(10) || coalesce(json_extract(r, '$.labels'), '') || char(10)
    || coalesce(json_extract(r, '$.reason'), '') || char(10) || coalesce(json_extract(r, '$.result.message'), '')
  FROM (SELECT seq, CAST(record AS TEXT) AS r FROM tasks) WHERE json_valid(r);
`

const (
	dropTaskText = "DELETE FROM task_text WHERE rowid = (SELECT seq FROM tasks WHERE id = ?)"
	// maxIndexedOutput bounds the indexed beginning of each output of a one-shot run, in
	// bytes.
	maxIndexedOutput = 256 << 10
)

// escapes replaces JSON escapes, which the tokenizer would join to words.
var escapes = strings.NewReplacer(`\n`, " ", `\t`, " ", `\"`, " ")

// taskIndexer puts the texts of tasks into the index. Make one per transaction with
// newTaskIndexer and close it.
type taskIndexer struct{ output, put *sql.Stmt }

func newTaskIndexer(tx *sql.Tx) (x taskIndexer, err error) {
	x.output, err = tx.Prepare("SELECT substr(stdout, 1, ?), substr(stderr, 1, ?) FROM task_output WHERE task = ? ORDER BY attempt DESC LIMIT 1")
	if err != nil {
		return x, err
	}
	if x.put, err = tx.Prepare("REPLACE INTO task_text (rowid, text) VALUES (?, ?)"); err != nil {
		x.output.Close()
	}
	return x, err
}

func (x taskIndexer) close() {
	x.output.Close()
	x.put.Close()
}

// add indexes a task if its texts changed.
func (x taskIndexer) add(r TaskRow) error {
	if r.Text == "" {
		return nil
	}
	var stdout, stderr []byte
	err := x.output.QueryRow(maxIndexedOutput, maxIndexedOutput, r.ID).Scan(&stdout, &stderr)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	text := r.Text
	if len(stdout)+len(stderr) > 0 {
		text += "\n" + escapes.Replace(string(stdout)) + "\n" + escapes.Replace(string(stderr))
	}
	_, err = x.put.Exec(r.Seq, spaced(text))
	return err
}

// SearchTasks returns the ids of the tasks that have all words, newest first.
func (s *Store) SearchTasks(ctx context.Context, words []string, limit int) (ids []string, err error) {
	return s.texts(ctx, `SELECT id FROM tasks
WHERE seq IN (SELECT rowid FROM task_text WHERE task_text MATCH ?) ORDER BY seq DESC LIMIT ?`, allWords(words, true, 0), limit)
}

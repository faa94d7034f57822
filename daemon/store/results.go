package store

import (
	"bytes"
	"compress/flate"
	"context"
	"database/sql"
	"io"
	"strings"
	"time"
)

// maxResult bounds an inflated output, in bytes.
const maxResult = 4 << 20

// ResultRow is the result of one tool call.
type ResultRow struct {
	ID                        int64
	At                        time.Time
	Session, Dir, Tool, Input string
	Outcome, Summary          string
	// Output is compressed in the database.
	Output string
	// Text is searched besides the other fields. It is not returned.
	Text string
}

// ResultQuery selects results, newest first.
type ResultQuery struct {
	// Words must all occur; "": any result.
	Words string
	// Dir selects that directory and those below; Session and Tool by equality; "": any.
	Dir, Session, Tool string
	// Failed selects outcomes other than "ok".
	Failed bool
	Limit  int
}

// AddResults saves results and deletes the oldest beyond keep.
func (s *Store) AddResults(rows []ResultRow, keep int) error {
	outputs := make([][]byte, len(rows))
	for i, r := range rows {
		var b bytes.Buffer
		w, err := flate.NewWriter(&b, flate.DefaultCompression)
		if err != nil {
			return err
		}
		_, _ = io.WriteString(w, r.Output) // cannot fail: a buffer
		_ = w.Close()
		outputs[i] = b.Bytes()
	}
	return s.update(func(tx *sql.Tx) error {
		last := int64(0)
		for i, r := range rows {
			res, err := tx.Exec("INSERT INTO results (at, session, dir, tool, input, outcome, summary, output) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
				r.At.UnixNano(), r.Session, r.Dir, r.Tool, r.Input, r.Outcome, r.Summary, outputs[i])
			if err != nil {
				return err
			}
			if last, err = res.LastInsertId(); err != nil {
				return err
			}
			text := strings.Join([]string{r.Tool, r.Input, r.Summary, r.Text}, "\n")
			if _, err := tx.Exec("INSERT INTO results_text (rowid, text) VALUES (?, ?)", last, text); err != nil {
				return err
			}
		}
		// Ids have no gaps except for deleted rows, which are the oldest.
		for _, query := range []string{"DELETE FROM results_text WHERE rowid IN (SELECT id FROM results WHERE id <= ?)", "DELETE FROM results WHERE id <= ?"} {
			if _, err := tx.Exec(query, last-int64(keep)); err != nil {
				return err
			}
		}
		return nil
	})
}

const resultColumns = "SELECT r.id, r.at, r.session, r.dir, r.tool, r.input, r.outcome, r.summary, r.output FROM results r"

// Results searches the results.
func (s *Store) Results(ctx context.Context, q ResultQuery) ([]ResultRow, error) {
	query, where, args := resultColumns, []string{"1"}, []any{}
	if match := ftsQuery(q.Words); match != "" {
		query += " JOIN results_text t ON t.rowid = r.id"
		where, args = append(where, "t.text MATCH ?"), append(args, match)
	}
	if q.Dir != "" {
		below := strings.TrimSuffix(q.Dir, "/") + "/"
		where = append(where, "(r.dir = ? OR substr(r.dir, 1, length(?)) = ?)")
		args = append(args, q.Dir, below, below)
	}
	if q.Session != "" {
		where, args = append(where, "r.session = ?"), append(args, q.Session)
	}
	if q.Tool != "" {
		where, args = append(where, "r.tool = ?"), append(args, q.Tool)
	}
	if q.Failed {
		where = append(where, "r.outcome <> 'ok'")
	}
	return all(ctx, s.read, scanResult, query+" WHERE "+strings.Join(where, " AND ")+" ORDER BY r.id DESC LIMIT ?", append(args, q.Limit)...)
}

// ResultsAfter returns a session's results after one, oldest first.
func (s *Store) ResultsAfter(ctx context.Context, session string, id int64, limit int) ([]ResultRow, error) {
	return all(ctx, s.read, scanResult, resultColumns+" WHERE r.session = ? AND r.id > ? ORDER BY r.id LIMIT ?", session, id, limit)
}

// scanResult reads a row of resultColumns.
func scanResult(scan scanner) (r ResultRow, err error) {
	var at int64
	var output []byte
	if err := scan(&r.ID, &at, &r.Session, &r.Dir, &r.Tool, &r.Input, &r.Outcome, &r.Summary, &output); err != nil {
		return r, err
	}
	r.At = time.Unix(0, at).UTC()
	text, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(output)), maxResult))
	r.Output = string(text)
	return r, err
}

// ftsQuery makes a query of words: each is a quoted phrase, so that none is syntax.
func ftsQuery(words string) string {
	var terms []string
	for _, w := range strings.Fields(words) {
		if w = strings.ReplaceAll(w, `"`, ""); strings.ContainsFunc(w, wordRune) {
			terms = append(terms, `"`+w+`"`)
		}
	}
	return strings.Join(terms, " ")
}

// wordRune reports whether the tokenizer may put r into a token.
func wordRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127
}

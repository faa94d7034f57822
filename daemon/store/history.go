package store

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"ccdir/api"
)

// historySchema is a migration: transcripts of ended sessions, and a full-text index of
// them and of the events' messages.
const historySchema = `
CREATE TABLE archive (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  session    TEXT NOT NULL,
  ended      INTEGER NOT NULL, -- Unix nanoseconds
  started    INTEGER NOT NULL,
  name       TEXT NOT NULL,
  agent      TEXT NOT NULL,
  cwd        TEXT NOT NULL,
  task       TEXT NOT NULL,
  state      TEXT NOT NULL,
  exit_code  INTEGER,
  prompt     TEXT NOT NULL,
  transcript BLOB NOT NULL,    -- gzip of text with SGR sequences
  UNIQUE (session, ended)
) STRICT;
CREATE INDEX archive_ended ON archive (ended);
CREATE VIRTUAL TABLE archive_text USING fts5 (text, content = '', contentless_delete = 1);

CREATE VIRTUAL TABLE events_text USING fts5 (message, content = 'events', content_rowid = 'seq');
INSERT INTO events_text (events_text) VALUES ('rebuild');
CREATE TRIGGER events_text_put AFTER INSERT ON events BEGIN
  INSERT INTO events_text (rowid, message) VALUES (new.seq, new.message);
END;
CREATE TRIGGER events_text_drop AFTER DELETE ON events BEGIN
  INSERT INTO events_text (events_text, rowid, message) VALUES ('delete', old.seq, old.message);
END;
`

// indexedByCommit is a migration: Commit itself puts the messages into the full-text
// index. With a trigger each insert is a statement that can be undone on its own, for
// which FTS5 flushes: a segment per event instead of one per transaction. Writing and
// merging these was half the cost of a commit.
const indexedByCommit = `DROP TRIGGER events_text_put;`

// archivedConversation is a migration: the conversation that can be resumed.
const archivedConversation = `ALTER TABLE archive ADD COLUMN conversation TEXT NOT NULL DEFAULT '';`

// maxTranscript bounds an inflated transcript, in bytes.
const maxTranscript = 256 << 20

// Archive stores the transcript of an ended session: ansi has the text with styles, text
// without. It is idempotent for the same end.
func (s *Store) Archive(e api.HistoryEntry, ansi, text string) error {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	if _, err := io.WriteString(zip, ansi); err != nil {
		return err
	}
	if err := zip.Close(); err != nil {
		return err
	}
	return s.update(func(tx *sql.Tx) error {
		result, err := tx.Exec(`INSERT INTO archive (session, ended, started, name, agent, cwd, task, state, exit_code, prompt, conversation, transcript)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			e.ID, e.Ended.UnixNano(), e.Started.UnixNano(), e.Name, e.Agent, e.CWD, e.Task, e.State, e.ExitCode, e.Text, e.Conversation, packed.Bytes())
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return err
		}
		id, err := result.LastInsertId()
		if err != nil {
			return err
		}
		_, err = tx.Exec("INSERT INTO archive_text (rowid, text) VALUES (?, ?)", id, spaced(e.Name+"\n"+e.Text+"\n"+text))
		return err
	})
}

// Archived reports whether the session that ended at that time is in the archive.
func (s *Store) Archived(ctx context.Context, session string, ended time.Time) (bool, error) {
	var one int
	err := s.read.QueryRowContext(ctx, "SELECT 1 FROM archive WHERE session = ? AND ended = ?", session, ended.UnixNano()).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

const historyColumns = "session, ended, started, name, agent, cwd, task, state, exit_code, prompt, conversation, length(transcript)"

func scanHistory(scan scanner, more ...any) (e api.HistoryEntry, err error) {
	var ended, started int64
	e.Kind = "session"
	err = scan(append([]any{&e.ID, &ended, &started, &e.Name, &e.Agent, &e.CWD, &e.Task, &e.State, &e.ExitCode, &e.Text, &e.Conversation, &e.Bytes}, more...)...)
	e.Ended, e.Started = time.Unix(0, ended).UTC(), time.Unix(0, started).UTC()
	return e, err
}

// History returns the entries of the archive that follow a place, in the order of
// api.HistoryPlace.
func (s *Store) History(ctx context.Context, after api.HistoryPlace, limit int) ([]api.HistoryEntry, error) {
	const kind = "session"
	until, id := int64(math.MaxInt64), ""
	if !after.Ended.IsZero() {
		until = after.Ended.UnixNano()
	}
	switch {
	case after.Kind == kind:
		id = after.ID // of the same time, smaller ids follow
	case after.Kind > kind:
		id = "\U0010ffff" // of the same time, all follow
	}
	return all(ctx, s.read, func(scan scanner) (api.HistoryEntry, error) { return scanHistory(scan) },
		"SELECT "+historyColumns+" FROM archive WHERE ended < ? OR ended = ? AND session < ? ORDER BY ended DESC, session DESC LIMIT ?",
		until, until, id, limit)
}

// Transcript returns the newest archived transcript of a session.
func (s *Store) Transcript(ctx context.Context, session string) (t api.Transcript, err error) {
	var packed []byte
	row := s.read.QueryRowContext(ctx, "SELECT "+historyColumns+", transcript FROM archive WHERE session = ? ORDER BY ended DESC LIMIT 1", session)
	t.HistoryEntry, err = scanHistory(row.Scan, &packed)
	if errors.Is(err, sql.ErrNoRows) {
		return t, api.Errorf(api.CodeNotFound, "nothing is archived of session %.40q: `ccdir history` lists what is", session)
	}
	if err != nil {
		return t, err
	}
	t.ANSI, err = unpack(packed)
	return t, err
}

func unpack(packed []byte) (string, error) {
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", fmt.Errorf("an archived transcript is damaged: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(zip, maxTranscript))
	if err != nil {
		return "", fmt.Errorf("an archived transcript is damaged: %w", err)
	}
	return string(text), nil
}

// SearchTranscripts finds the archived sessions that have all words in transcript or last
// prompt, newest first. Line of a hit is the prompt and the whole text with styles: the
// caller selects the line.
func (s *Store) SearchTranscripts(ctx context.Context, words []string, limit int) ([]api.SearchHit, error) {
	return all(ctx, s.read, func(scan scanner) (h api.SearchHit, err error) {
		var ended int64
		var packed []byte
		if err := scan(&h.ID, &ended, &h.Line, &packed); err != nil {
			return h, err
		}
		h.Kind, h.At, h.Session = "session", time.Unix(0, ended).UTC(), h.ID
		text, err := unpack(packed)
		h.Line += "\n" + text
		return h, err
	}, `SELECT session, ended, prompt, transcript FROM archive
WHERE id IN (SELECT rowid FROM archive_text WHERE archive_text MATCH ?) ORDER BY ended DESC LIMIT ?`, allWords(words, true, 0), limit)
}

// SearchEvents finds the events whose message has all words, newest first.
func (s *Store) SearchEvents(ctx context.Context, words []string, limit int) ([]api.SearchHit, error) {
	return all(ctx, s.read, func(scan scanner) (h api.SearchHit, err error) {
		var seq, at int64
		err = scan(&seq, &at, &h.Session, &h.Line)
		h.Kind, h.ID, h.At = "event", fmt.Sprint(seq), time.Unix(0, at).UTC()
		return h, err
	}, `SELECT seq, at, session, message FROM events
WHERE seq IN (SELECT rowid FROM events_text WHERE events_text MATCH ?) ORDER BY seq DESC LIMIT ?`, allWords(words, false, 0), limit)
}

// SessionNames returns the names that archived sessions had at their end, of those of ids
// that are archived.
func (s *Store) SessionNames(ctx context.Context, ids []string) (map[string]string, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	_, err = all(ctx, s.read, func(scan scanner) (struct{}, error) {
		var id, name string
		err := scan(&id, &name)
		names[id] = name
		return struct{}{}, err
	}, "SELECT session, name FROM archive WHERE session IN (SELECT value FROM json_each(?)) ORDER BY ended", string(list))
	return names, err
}

// ArchivedSessions are the sessions with an archived transcript.
func (s *Store) ArchivedSessions(ctx context.Context) ([]string, error) {
	return s.texts(ctx, "SELECT DISTINCT session FROM archive")
}

// PurgeArchive deletes the transcripts of a session, and reports whether there were any.
func (s *Store) PurgeArchive(session string) (found bool, err error) {
	err = s.update(func(tx *sql.Tx) error {
		if _, err := tx.Exec("DELETE FROM archive_text WHERE rowid IN (SELECT id FROM archive WHERE session = ?)", session); err != nil {
			return err
		}
		res, err := tx.Exec("DELETE FROM archive WHERE session = ?", session)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		found = n > 0
		return err
	})
	return found, err
}

// PruneArchive deletes all but the newest kept transcripts, and those that ended
// before oldest; 0 and the zero time keep all.
func (s *Store) PruneArchive(kept int, oldest time.Time) error {
	return s.update(func(tx *sql.Tx) error {
		if kept <= 0 {
			kept = -1
		}
		old := int64(-1 << 62)
		if !oldest.IsZero() {
			old = oldest.UnixNano()
		}
		const gone = `SELECT id FROM archive WHERE ended < ? OR id NOT IN (SELECT id FROM archive ORDER BY ended DESC LIMIT ?)`
		if _, err := tx.Exec("DELETE FROM archive_text WHERE rowid IN ("+gone+")", old, kept); err != nil {
			return err
		}
		_, err := tx.Exec("DELETE FROM archive WHERE id IN ("+gone+")", old, kept)
		return err
	})
}

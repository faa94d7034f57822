package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
)

// commentsSchema is a migration: what is said of sessions' work, and the rounds in which it was sent.
const commentsSchema = `
CREATE TABLE comments (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  session TEXT NOT NULL,               -- whose work it is about
  sent_to TEXT NOT NULL DEFAULT '',    -- who got it
  state   TEXT NOT NULL,
  round   INTEGER NOT NULL DEFAULT 0,
  record  BLOB NOT NULL,               -- api.ReviewComment as JSON; the columns above are right
  request TEXT                         -- the id of the call that made it or NULL
) STRICT;
CREATE INDEX comments_session ON comments (session, id);
CREATE INDEX comments_to ON comments (sent_to, state);
CREATE UNIQUE INDEX comments_request ON comments (request) WHERE request IS NOT NULL;

CREATE TABLE rounds (
  session TEXT NOT NULL,
  round   INTEGER NOT NULL,
  sent_to TEXT NOT NULL,
  head    TEXT NOT NULL,    -- the work when it was sent
  prompt  TEXT NOT NULL,
  pending INTEGER NOT NULL, -- the prompt in pending
  request TEXT NOT NULL,
  at      INTEGER NOT NULL, -- Unix nanoseconds
  PRIMARY KEY (session, round)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX rounds_request ON rounds (session, request);
CREATE INDEX rounds_pending ON rounds (pending);
`

// viewedSchema is a migration: the files of sessions' work that a person has seen.
const viewedSchema = `
CREATE TABLE viewed (
  session TEXT NOT NULL,
  path    TEXT NOT NULL,
  content TEXT NOT NULL, -- git's id of what was seen, '' of a file that was removed
  PRIMARY KEY (session, path)
) STRICT;
`

// Viewed are the files of a session's work that a person has seen, with the ids of their contents then.
func (s *Store) Viewed(ctx context.Context, session string) (map[string]string, error) {
	type seen struct{ path, content string }
	list, err := all(ctx, s.read, func(scan scanner) (v seen, err error) {
		return v, scan(&v.path, &v.content)
	}, "SELECT path, content FROM viewed WHERE session = ?", session)
	files := make(map[string]string, len(list))
	for _, v := range list {
		files[v.path] = v.content
	}
	return files, err
}

// SetViewed notes that a person has seen a file, or not; of a session at most that many, those noted last. Durable when it returns.
func (s *Store) SetViewed(session string, v api.ReviewViewed, most int) error {
	return s.update(func(tx *sql.Tx) error {
		_, err := tx.Exec("DELETE FROM viewed WHERE session = ? AND path = ?", session, v.Path)
		if err == nil && v.Viewed {
			_, err = tx.Exec("INSERT INTO viewed (session, path, content) VALUES (?, ?, ?)", session, v.Path, v.Content)
		}
		if err == nil {
			_, err = tx.Exec("DELETE FROM viewed WHERE session = ? AND rowid NOT IN (SELECT rowid FROM viewed WHERE session = ? ORDER BY rowid DESC LIMIT ?)", session, session, most)
		}
		return err
	})
}

// Round is a round of a review: comments that were sent together.
type Round struct {
	Session string
	Round   int
	// To is the session that got them.
	To string
	// Head is the commit of the work when they were sent.
	Head string
	// Answer: the comments were the answer to a request, so that there is no pending prompt.
	Answer bool
	// Prompt is the text; Pending the id of the pending prompt that has it, Delivered that it has been taken.
	Prompt    string
	Pending   string
	Delivered bool
	At        time.Time
}

const commentColumns = "id, session, sent_to, state, round, record"

func scanComment(scan scanner) (c api.ReviewComment, err error) {
	var id int64
	var record []byte
	var session, to string
	var state api.CommentState
	var round int
	if err = scan(&id, &session, &to, &state, &round, &record); err != nil {
		return c, err
	}
	if err = json.Unmarshal(record, &c); err != nil {
		return c, err
	}
	c.ID, c.Session, c.State, c.Round = "c"+strconv.FormatInt(id, 10), session, state, round
	if c.To = to; to == session {
		c.To = ""
	}
	return c, nil
}

// commentID reads the number of an id; an unknown form is no comment's.
func commentID(id string) (int64, error) {
	number, found := strings.CutPrefix(id, "c")
	n, err := strconv.ParseInt(number, 10, 64)
	if !found || err != nil {
		return 0, noComment(id)
	}
	return n, nil
}

func noComment(id string) error {
	return api.Errorf(api.CodeNotFound, "no comment %.40q: `ccdir review SESSION --list` lists them", id)
}

// AddComment saves a draft, unless the call with that request has done so (most: at most that many drafts for
// a session). Durable when it returns.
func (s *Store) AddComment(c api.ReviewComment, request string, most int) (made api.ReviewComment, err error) {
	record, err := json.Marshal(c)
	if err != nil {
		return c, err
	}
	err = s.update(func(tx *sql.Tx) error {
		if request != "" {
			made, err = scanComment(tx.QueryRow("SELECT "+commentColumns+" FROM comments WHERE request = ?", request).Scan)
			if !errors.Is(err, sql.ErrNoRows) {
				return err
			}
		}
		var n int
		if err := tx.QueryRow("SELECT count(*) FROM comments WHERE session = ? AND state = ?", c.Session, api.CommentDraft).Scan(&n); err != nil {
			return err
		}
		if n >= most {
			return api.Errorf(api.CodeLimit, "%d comments are not sent yet: send them (`ccdir review SESSION --send`), or drop some", n)
		}
		res, err := tx.Exec("INSERT INTO comments (session, state, record, request) VALUES (?, ?, ?, ?)",
			c.Session, api.CommentDraft, record, sql.NullString{String: request, Valid: request != ""})
		if err != nil {
			return err
		}
		id, err := res.LastInsertId()
		made = c
		made.ID, made.State = fmt.Sprintf("c%d", id), api.CommentDraft
		return err
	})
	return made, err
}

// Comments lists what was said of a session's work, oldest first.
func (s *Store) Comments(ctx context.Context, session string) ([]api.ReviewComment, error) {
	return all(ctx, s.read, scanComment, "SELECT "+commentColumns+" FROM comments WHERE session = ? ORDER BY id", session)
}

// CommentsFor lists what was sent to a session and what was sent of its work, oldest first.
func (s *Store) CommentsFor(ctx context.Context, session string) ([]api.ReviewComment, error) {
	return all(ctx, s.read, scanComment, "SELECT "+commentColumns+" FROM comments WHERE (session = ? OR sent_to = ?) AND state <> ? ORDER BY id", session, session, api.CommentDraft)
}

// ChangeComment changes a comment: change gets its value and sets what is new, or fails. It may be called more
// than once. Durable when it returns.
func (s *Store) ChangeComment(id string, change func(*api.ReviewComment) error) (c api.ReviewComment, err error) {
	n, err := commentID(id)
	if err != nil {
		return c, err
	}
	err = s.update(func(tx *sql.Tx) error {
		c, err = scanComment(tx.QueryRow("SELECT "+commentColumns+" FROM comments WHERE id = ?", n).Scan)
		if errors.Is(err, sql.ErrNoRows) {
			return noComment(id)
		}
		if err == nil {
			err = change(&c)
		}
		if err != nil {
			return err
		}
		return saveComment(tx, n, c)
	})
	return c, err
}

func saveComment(tx *sql.Tx, id int64, c api.ReviewComment) error {
	record, err := json.Marshal(c)
	if err == nil {
		_, err = tx.Exec("UPDATE comments SET state = ?, record = ? WHERE id = ?", c.State, record, id)
	}
	return err
}

// DropComment deletes a comment unless check, which gets it, fails. It may be called more than once. Durable when
// DropComment returns.
func (s *Store) DropComment(id string, check func(api.ReviewComment) error) error {
	n, err := commentID(id)
	if err != nil {
		return err
	}
	return s.update(func(tx *sql.Tx) error {
		c, err := scanComment(tx.QueryRow("SELECT "+commentColumns+" FROM comments WHERE id = ?", n).Scan)
		if errors.Is(err, sql.ErrNoRows) {
			return noComment(id)
		}
		if err == nil {
			err = check(c)
		}
		if err == nil {
			_, err = tx.Exec("DELETE FROM comments WHERE id = ?", n)
		}
		return err
	})
}

// SendComments makes a round of comments, and of its prompt a pending prompt, in one transaction: after a
// crash both are there, or neither is. A round that the call with that request has made is returned as it is (known). write gets
// the number of the round and the session's drafts; it returns the prompt and those drafts that go, as they are to be kept.
// r has Session, To, Head and At; name is To's name; most bounds the pending prompts of To, kept the comments of
// the session that are no drafts. Durable when it returns.
func (s *Store) SendComments(r Round, name, request string, most, kept int, write func(round int, drafts []api.ReviewComment) (prompt string, sent []api.ReviewComment, err error)) (made Round, sent []api.ReviewComment, known bool, err error) {
	err = s.update(func(tx *sql.Tx) error {
		known, sent, made = false, nil, r
		old, err := scanRound(tx.QueryRow("SELECT "+roundColumns+" WHERE rounds.session = ? AND rounds.request = ?", r.Session, request).Scan)
		if err == nil {
			known, made = true, old
			sent, err = commentsIn(tx, "session = ? AND round = ?", r.Session, old.Round)
			return err
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if err := tx.QueryRow("SELECT coalesce(max(round), 0) + 1 FROM rounds WHERE session = ?", r.Session).Scan(&made.Round); err != nil {
			return err
		}
		drafts, err := commentsIn(tx, "session = ? AND state = ?", r.Session, api.CommentDraft)
		if err != nil {
			return err
		}
		if made.Prompt, sent, err = write(made.Round, drafts); err != nil {
			return err
		}
		var n int64 // no prompt has it
		if !r.Answer {
			p, err := insertPending(tx, api.PendingPrompt{Session: r.To, Name: name, Text: made.Prompt, At: r.At}, "", most)
			if err != nil {
				return err
			}
			if n, err = pendingID(p.ID); err != nil {
				return err
			}
			made.Pending = p.ID
		}
		for i := range sent {
			if err := sendComment(tx, &sent[i], made); err != nil {
				return err
			}
		}
		if _, err := tx.Exec("INSERT INTO rounds (session, round, sent_to, head, prompt, pending, request, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			r.Session, made.Round, r.To, r.Head, made.Prompt, n, request, r.At.UnixNano()); err != nil {
			return err
		}
		_, err = tx.Exec("DELETE FROM comments WHERE session = ? AND state <> ? AND id NOT IN (SELECT id FROM comments WHERE session = ? AND state <> ? ORDER BY id DESC LIMIT ?)",
			r.Session, api.CommentDraft, r.Session, api.CommentDraft, kept)
		return err
	})
	return made, sent, known, err
}

func sendComment(tx *sql.Tx, c *api.ReviewComment, r Round) error {
	n, err := commentID(c.ID)
	if err != nil {
		return err
	}
	c.State, c.Round, c.To = api.CommentSent, r.Round, ""
	if r.To != r.Session {
		c.To = r.To
	}
	if _, err := tx.Exec("UPDATE comments SET round = ?, sent_to = ? WHERE id = ?", r.Round, r.To, n); err != nil {
		return err
	}
	return saveComment(tx, n, *c)
}

func commentsIn(tx *sql.Tx, where string, args ...any) (list []api.ReviewComment, err error) {
	rows, err := tx.Query("SELECT "+commentColumns+" FROM comments WHERE "+where+" ORDER BY id", args...) //nolint:gosec // where is text of ours, with places for args
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		c, err := scanComment(rows.Scan)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, rows.Err()
}

const roundColumns = "rounds.session, rounds.round, rounds.sent_to, rounds.head, rounds.prompt, rounds.pending, rounds.at, coalesce(pending.state, '" + string(api.PendingDelivered) + "') FROM rounds LEFT JOIN pending ON pending.id = rounds.pending"

func scanRound(scan scanner) (r Round, err error) {
	var at, pending int64
	var state api.PendingState
	err = scan(&r.Session, &r.Round, &r.To, &r.Head, &r.Prompt, &pending, &at, &state)
	r.Pending, r.At, r.Delivered = "p"+strconv.FormatInt(pending, 10), time.Unix(0, at).UTC(), state == api.PendingDelivered
	return r, err
}

// RoundOf returns the round that the call with a request has made; one without a number if there is none.
func (s *Store) RoundOf(ctx context.Context, session, request string) (Round, error) {
	r, err := scanRound(s.read.QueryRowContext(ctx, "SELECT "+roundColumns+" WHERE rounds.session = ? AND rounds.request = ?", session, request).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return Round{}, nil
	}
	return r, err
}

// OpenRounds are the newest rounds of sessions whose comments on their files went to a session, if they have comments of which it may
// still change what became of them.
func (s *Store) OpenRounds(ctx context.Context, to string) ([]Round, error) {
	return all(ctx, s.read, scanRound, "SELECT "+roundColumns+` WHERE rounds.sent_to = ? AND rounds.round = (SELECT max(r.round) FROM rounds AS r WHERE r.session = rounds.session AND r.pending <> 0)
AND EXISTS (SELECT 1 FROM comments AS c WHERE c.session = rounds.session AND c.round = rounds.round AND c.state <> ?)`, to, api.CommentChanged)
}

// takeBack makes drafts of the comments whose prompt will not be delivered.
func takeBack(tx *sql.Tx, pending int64) error {
	var session string
	var round int
	err := tx.QueryRow("SELECT session, round FROM rounds WHERE pending = ?", pending).Scan(&session, &round)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err == nil {
		_, err = tx.Exec("UPDATE comments SET state = ?, round = 0, sent_to = '' WHERE session = ? AND round = ?", api.CommentDraft, session, round)
	}
	if err == nil {
		_, err = tx.Exec("DELETE FROM rounds WHERE session = ? AND round = ?", session, round)
	}
	return err
}

// PruneComments deletes what was said of the work of sessions for which keep is false.
func (s *Store) PruneComments(ctx context.Context, keep func(session string) bool) error {
	known, err := s.texts(ctx, "SELECT session FROM comments UNION SELECT session FROM rounds UNION SELECT session FROM viewed")
	if err != nil {
		return err
	}
	for _, id := range known {
		if keep(id) {
			continue
		}
		err = errors.Join(err, s.update(func(tx *sql.Tx) error {
			_, err := tx.Exec("DELETE FROM comments WHERE session = ?", id)
			if err == nil {
				_, err = tx.Exec("DELETE FROM rounds WHERE session = ?", id)
			}
			if err == nil {
				_, err = tx.Exec("DELETE FROM viewed WHERE session = ?", id)
			}
			return err
		}))
	}
	return err
}

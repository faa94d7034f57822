package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"ccdir/api"
)

// messagesSchema is a migration: mailboxes, and results of tool calls.
const messagesSchema = `
CREATE TABLE messages (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  at            INTEGER NOT NULL, -- Unix nanoseconds
  sender        TEXT NOT NULL,
  sender_name   TEXT NOT NULL,
  receiver      TEXT NOT NULL,
  receiver_name TEXT NOT NULL,
  body          TEXT NOT NULL,
  reply         INTEGER NOT NULL,
  acked         INTEGER           -- Unix nanoseconds; NULL while it is open
) STRICT;
CREATE INDEX messages_open ON messages (receiver, id) WHERE acked IS NULL;
CREATE INDEX messages_receiver ON messages (receiver, id);

CREATE TABLE results (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  at      INTEGER NOT NULL, -- Unix nanoseconds
  session TEXT NOT NULL,
  dir     TEXT NOT NULL,
  tool    TEXT NOT NULL,
  input   TEXT NOT NULL,
  outcome TEXT NOT NULL,
  summary TEXT NOT NULL,
  output  BLOB NOT NULL     -- DEFLATE
) STRICT;
CREATE INDEX results_session ON results (session, id);
CREATE INDEX results_dir ON results (dir, id);
CREATE VIRTUAL TABLE results_text USING fts5 (text, content = '', contentless_delete = 1);
`

// AddMessage saves a message and returns its id; durable when it returns.
func (s *Store) AddMessage(m api.Message) (id int64, err error) {
	err = s.update(func(tx *sql.Tx) error {
		request := sql.NullString{String: m.Request, Valid: m.Request != ""}
		res, err := tx.Exec("INSERT INTO messages (at, sender, sender_name, receiver, receiver_name, body, reply, request) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			m.At.UnixNano(), m.From, m.FromName, m.To, m.ToName, m.Text, m.Reply, request)
		if err != nil {
			return err
		}
		id, err = res.LastInsertId()
		return err
	})
	return id, err
}

// Messages returns the open messages of a mailbox, oldest first: the oldest limit of
// them. all: acknowledged ones too, and then the newest limit.
func (s *Store) Messages(ctx context.Context, receiver string, all bool, limit int) ([]api.Message, error) {
	const columns = "SELECT id, at, sender, sender_name, receiver, receiver_name, body, reply, acked FROM messages WHERE receiver = ?"
	query := columns + " AND acked IS NULL ORDER BY id LIMIT ?"
	if all {
		query = "SELECT * FROM (" + columns + " ORDER BY id DESC LIMIT ?) ORDER BY id"
	}
	rows, err := s.read.QueryContext(ctx, query, receiver, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := []api.Message{}
	for rows.Next() {
		var m api.Message
		var at int64
		var acked sql.NullInt64
		if err := rows.Scan(&m.ID, &at, &m.From, &m.FromName, &m.To, &m.ToName, &m.Text, &m.Reply, &acked); err != nil {
			return nil, err
		}
		m.At = time.Unix(0, at).UTC()
		if acked.Valid {
			m.Acked = time.Unix(0, acked.Int64).UTC()
		}
		list = append(list, m)
	}
	return list, rows.Err()
}

// MessageOf returns the message that a call with that request has sent.
func (s *Store) MessageOf(ctx context.Context, request string) (m api.Message, known bool, err error) {
	var at int64
	row := s.read.QueryRowContext(ctx, "SELECT id, at, sender, sender_name, receiver, receiver_name, body, reply FROM messages WHERE request = ?", request)
	err = row.Scan(&m.ID, &at, &m.From, &m.FromName, &m.To, &m.ToName, &m.Text, &m.Reply)
	if errors.Is(err, sql.ErrNoRows) {
		return api.Message{}, false, nil
	}
	m.At, m.Request = time.Unix(0, at).UTC(), request
	return m, err == nil, err
}

// OpenMessages returns the number of open messages of a mailbox and the newest id.
func (s *Store) OpenMessages(ctx context.Context, receiver string) (n int, newest int64, err error) {
	err = s.read.QueryRowContext(ctx, "SELECT count(*), coalesce(max(id), 0) FROM messages WHERE receiver = ? AND acked IS NULL", receiver).Scan(&n, &newest)
	return n, newest, err
}

// AckMessages acknowledges open messages of a mailbox, and returns how many of the ids
// were open. Durable when it returns.
func (s *Store) AckMessages(receiver string, ids []int64, at time.Time) (n int, err error) {
	err = s.update(func(tx *sql.Tx) error {
		n = 0
		for _, id := range ids {
			res, err := tx.Exec("UPDATE messages SET acked = ? WHERE id = ? AND receiver = ? AND acked IS NULL", at.UnixNano(), id, receiver)
			if err != nil {
				return err
			}
			k, err := res.RowsAffected()
			if err != nil {
				return err
			}
			n += int(k)
		}
		return nil
	})
	return n, err
}

package opencode

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"slices"

	"ccdir/agents/transcript"
	"ccdir/api"
	"ccdir/usage"
)

// conversation reads a conversation from opencode's database (SQLite), in which a message may be
// written again. It needs a driver of the name "sqlite", which the daemon links. The database is
// open during a read only.
type conversation struct {
	path, id string
	// mark tells whether anything has changed since the last read.
	mark string
	// kept are the turns that may change still, as they were passed on.
	kept []keptTurn
	// used is what was used up to the change at the time counted, in milliseconds.
	used    usage.Used
	counted int64
}

// keptTurn is a turn that was passed on.
type keptTurn struct {
	opens  place
	number int
	before float64 // what the conversation had cost, in dollars
	turn   api.Turn
}

// place is a message's place in the order of a conversation.
type place struct {
	created int64
	id      string
}

const (
	// maxData bounds the JSON of a message or part that is read, in bytes: a picture is one part.
	maxData = 32 << 20
	// maxSubDepth bounds how deep subagents of subagents are read, maxSubTurns the turns of one.
	maxSubDepth = 3
	maxSubTurns = 20
)

// open opens the database for reading; nil if there is none (yet).
func (c *conversation) open() (*sql.DB, error) {
	info, err := os.Stat(c.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", c.path)
	}
	if err != nil {
		return nil, err
	}
	at := url.URL{Scheme: "file", Path: c.path, RawQuery: url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(1000)", "query_only(1)"}}.Encode()}
	db, err := sql.Open("sqlite", at.String())
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// snapshot calls do with one state of the database; it does not if there is none (yet).
func (c *conversation) snapshot(ctx context.Context, do func(*sql.Tx) error) (err error) {
	defer func() {
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("cannot read the conversation in opencode's database: %w", err)
		}
	}()
	db, err := c.open()
	if db == nil || err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	return do(tx)
}

// marks counts the messages and parts of a conversation and its subagents, with the newest change.
const marks = `WITH s(id) AS (SELECT id FROM session WHERE id = ?1 OR parent_id = ?1)
SELECT (SELECT count(*) || ' ' || coalesce(max(time_updated), 0) FROM message WHERE session_id IN s),
       (SELECT count(*) || ' ' || coalesce(max(time_updated), 0) FROM part WHERE session_id IN s),
       (SELECT count(*) FROM part WHERE session_id = ?1)`

// readMark is the mark of a state of the database, and how many parts the conversation has.
func (c *conversation) readMark(ctx context.Context, tx *sql.Tx) (mark string, parts int64, err error) {
	var messages, pieces string
	err = tx.QueryRowContext(ctx, marks, c.id).Scan(&messages, &pieces, &parts)
	return messages + " " + pieces, parts, err
}

// partSize is about the size of a part, in bytes.
const partSize = 1 << 10

// Mark tells one state of the conversation from others, with about its size; "" if there is none.
func (c *conversation) Mark() (mark string, size int64) {
	err := c.snapshot(context.Background(), func(tx *sql.Tx) (err error) {
		mark, size, err = c.readMark(context.Background(), tx)
		return err
	})
	if err != nil || size == 0 {
		return "", 0
	}
	return mark, size * partSize
}

// Read implements transcript.Source.
func (c *conversation) Read(ctx context.Context, each func(api.Turn) error) error {
	return c.snapshot(ctx, func(tx *sql.Tx) error {
		mark, parts, err := c.readMark(ctx, tx)
		if err != nil || mark == c.mark {
			return err
		}
		r := reading{conversation: c, ctx: ctx, tx: tx, each: each}
		if parts > 0 || len(c.kept) > 0 {
			err = r.read()
		}
		if err == nil {
			c.mark = mark
		}
		return err
	})
}

// reading is one read.
type reading struct {
	*conversation
	ctx  context.Context
	tx   *sql.Tx
	each func(api.Turn) error
	// next is the number of the next turn, cost what the conversation has cost before it.
	next int
	cost float64
	// open are the turns that were read and may change still, with their messages.
	open []openTurn
	kept []keptTurn
}

// openTurn is the messages of one turn: what began it, and the answers.
type openTurn []message

// read reads on from the first turn that may have changed.
func (r *reading) read() error {
	from := place{}
	r.next = 1
	if len(r.conversation.kept) > 0 {
		first := r.conversation.kept[0]
		known := 0
		if err := r.tx.QueryRowContext(r.ctx, "SELECT count(*) FROM message WHERE id = ? AND session_id = ?", first.opens.id, r.id).Scan(&known); err != nil {
			return err
		}
		if known > 0 {
			from, r.next, r.cost = first.opens, first.number, first.before
		} else {
			r.conversation.kept = nil // it was taken back: everything is told anew
		}
	}
	err := messages(r.ctx, r.tx, r.id, from, func(m message) error {
		switch {
		case m.info.Role == "user" || len(r.open) == 0:
			r.open = append(r.open, openTurn{m})
			return nil
		}
		// With an answer in a turn, the ones before it are over.
		for len(r.open) > 1 {
			if err := r.pass(r.open[0], true); err != nil {
				return err
			}
			r.open = r.open[1:]
		}
		r.open[0] = append(r.open[0], m)
		return nil
	})
	for _, t := range r.open {
		err = errors.Join(err, r.pass(t, false))
	}
	if err == nil {
		r.conversation.kept = r.kept
	}
	return err
}

// pass passes on what is new of a turn. over: the agent went on with a later one.
func (r *reading) pass(messages openTurn, over bool) error {
	before := r.cost
	for _, m := range messages {
		r.cost += max(m.info.Cost, 0)
	}
	t, ok := transcript.Build(false, func(b *transcript.Builder) {
		tell(b, messages, over)
		b.Cost(r.cost)
	})
	if !ok {
		return nil
	}
	if err := r.subagents(&t, 1); err != nil {
		return err
	}
	t.Turn, t.Conversation = r.next, r.id
	r.next++
	now := keptTurn{opens: place{messages[0].created, messages[0].id}, number: t.Turn, before: before, turn: t}
	if !over {
		r.kept = append(r.kept, now)
	}
	i := slices.IndexFunc(r.conversation.kept, func(k keptTurn) bool { return k.opens == now.opens && k.number == now.number })
	if i < 0 {
		return r.each(t)
	}
	if news, changed := transcript.News(t, r.conversation.kept[i].turn); changed {
		return r.each(news)
	}
	return nil
}

// subagents fills in what the subagents of a turn did.
func (r *reading) subagents(t *api.Turn, depth int) error {
	for i := range t.Tools {
		agent := t.Tools[i].Agent
		if agent == nil || depth > maxSubDepth {
			continue
		}
		var turns []openTurn
		err := messages(r.ctx, r.tx, agent.ID, place{}, func(m message) error {
			switch {
			case m.info.Role != "user" && len(turns) > 0:
				turns[len(turns)-1] = append(turns[len(turns)-1], m)
			case len(turns) < maxSubTurns:
				turns = append(turns, openTurn{m})
			}
			return nil
		})
		if err != nil {
			return err
		}
		for n, m := range turns {
			sub, ok := transcript.Build(true, func(b *transcript.Builder) { tell(b, m, n+1 < len(turns)) })
			if !ok {
				continue
			}
			if err := r.subagents(&sub, depth+1); err != nil {
				return err
			}
			sub.Turn = n + 1
			agent.Turns = append(agent.Turns, sub)
		}
	}
	return nil
}

// ordered are the messages of a conversation from a place on with their parts, in their order.
const ordered = `SELECT m.id, m.time_created, CASE WHEN length(m.data) > ?4 THEN '' ELSE m.data END,
  p.id, CASE WHEN length(p.data) > ?4 THEN '{"type":"a part that is too long"}' ELSE p.data END
FROM message m LEFT JOIN part p ON p.message_id = m.id
WHERE m.session_id = ?1 AND (m.time_created, m.id) >= (?2, ?3)
ORDER BY m.time_created, m.id, p.id`

// messages passes on the messages of a conversation from a place on.
func messages(ctx context.Context, tx *sql.Tx, id string, from place, each func(message) error) error {
	rows, err := tx.QueryContext(ctx, ordered, id, from.created, from.id, maxData)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	var m message
	flush := func() error {
		if m.id == "" {
			return nil
		}
		return each(m)
	}
	for rows.Next() {
		var next message
		var part, data sql.NullString
		if err := rows.Scan(&next.id, &next.created, &next.text, &part, &data); err != nil {
			return err
		}
		if next.id != m.id {
			if err := flush(); err != nil {
				return err
			}
			_ = json.Unmarshal([]byte(next.text), &next.info) // without a role it is an unknown one
			m = next
		}
		if part.Valid && len(m.parts) < transcript.MaxItems {
			m.parts = append(m.parts, row{part.String, data.String})
		}
	}
	return errors.Join(rows.Err(), flush())
}

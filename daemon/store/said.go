package store

import (
	"bytes"
	"compress/flate"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"ccdir/api"
)

// Said is the full-text index of conversations, a database of its own: what it holds can be
// read again from the agents' files, so a damaged or older one is begun anew, and its commits
// don't wait for the disk. It must not make events wait either, which have the writer of the
// other database. It is safe for concurrent use; writes are for one goroutine at a time.
type Said struct {
	write, read *sql.DB
	// The statements that run once per passage, prepared: parsing them took as long as most
	// of them run.
	prepared struct{ drop, dropText, place, put, text *sql.Stmt }
}

// saidVersion is the version of saidSchema (PRAGMA user_version).
const saidVersion = 1

// saidSchema: the ids of passages are times, so that the newest are found without sorting:
// Unix milliseconds and, in the low bits, a number that tells those of one apart.
const saidSchema = `
CREATE TABLE source (
  id           INTEGER PRIMARY KEY,
  session      TEXT NOT NULL,
  conversation TEXT NOT NULL,
  ord          INTEGER NOT NULL, -- the place among the session's conversations
  turns        INTEGER NOT NULL, -- how many it has
  mark         TEXT NOT NULL,    -- of its file when it was read to its end; '' if it was not
  UNIQUE (session, conversation)
) STRICT;
CREATE TABLE passage (
  id     INTEGER PRIMARY KEY,
  source INTEGER NOT NULL,
  turn   INTEGER NOT NULL,       -- in the conversation
  place  INTEGER NOT NULL,
  part   TEXT NOT NULL,
  at     INTEGER NOT NULL,       -- Unix milliseconds
  hash   INTEGER NOT NULL,       -- of the text
  text   BLOB NOT NULL,          -- deflated
  UNIQUE (source, turn, place, part)
) STRICT;
CREATE VIRTUAL TABLE passage_text USING fts5 (text, content = '', contentless_delete = 1);
`

// numberBits are the low bits of a passage's id.
const numberBits = 20

// OpenSaid opens or creates the index.
func OpenSaid(path string, log *slog.Logger) (*Said, error) {
	s, err := openSaid(path)
	if err == nil {
		return s, nil
	}
	log.Warn("the index of conversations is begun anew", "error", err)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	return openSaid(path)
}

func openSaid(path string) (_ *Said, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) // SQLite would use the umask's mode
	if err != nil {
		return nil, err
	}
	f.Close()
	const pragmas = "?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)"
	s := &Said{}
	if s.write, err = sql.Open("sqlite", dsn(path)+pragmas+"&_txlock=immediate"); err != nil {
		return nil, err
	}
	s.write.SetMaxOpenConns(1)
	defer func() {
		if err != nil {
			_ = s.Close()
		}
	}()
	var version int
	if err := s.write.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return nil, err
	}
	switch version {
	case saidVersion:
	case 0:
		if _, err := s.write.Exec("BEGIN;" + saidSchema + fmt.Sprintf("PRAGMA user_version = %d; COMMIT", saidVersion)); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("it is of version %d", version)
	}
	if s.read, err = sql.Open("sqlite", dsn(path)+pragmas+"&_pragma=query_only(1)"); err != nil {
		return nil, err
	}
	s.read.SetMaxOpenConns(2)
	return s, s.prepare()
}

func (s *Said) prepare() error {
	p := &s.prepared
	for stmt, query := range map[**sql.Stmt]string{
		&p.drop:     "DELETE FROM passage WHERE source = ? AND turn = ? AND place = ? AND part = ? RETURNING id",
		&p.dropText: "DELETE FROM passage_text WHERE rowid = ?",
		&p.place:    "SELECT coalesce(max(id) + 1, ?1) FROM passage WHERE id >= ?1 AND id < ?2",
		&p.put:      "INSERT INTO passage (id, source, turn, place, part, at, hash, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		&p.text:     "INSERT INTO passage_text (rowid, text) VALUES (?, ?)",
	} {
		var err error
		if *stmt, err = s.write.Prepare(query); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the database. Nothing may be under way.
func (s *Said) Close() error {
	err := s.write.Close()
	if s.read != nil {
		err = errors.Join(err, s.read.Close())
	}
	return err
}

// SaidSource is a conversation of a session in the index.
type SaidSource struct {
	ID                    int64
	Session, Conversation string
	// Ord is its place among the session's conversations, Turns how many turns it has.
	Ord, Turns int
	// Mark is its file's mark when it was read to its end; "" if it was not.
	Mark string
}

// SaidKey is the place of a passage in its conversation.
type SaidKey struct {
	Turn, Place int
	Part        api.SaidPart
}

// SaidPassage is a text that is searched as one.
type SaidPassage struct {
	SaidKey
	At   time.Time
	Hash int64 // of Text
	Text string
}

// Source returns what the index has of a conversation, with the hashes of its passages; it
// is entered if it is new.
func (s *Said) Source(ctx context.Context, session, conversation string) (src SaidSource, known map[SaidKey]int64, err error) {
	if _, err := s.write.ExecContext(ctx, "INSERT INTO source (session, conversation, ord, turns, mark) VALUES (?, ?, 0, 0, '') ON CONFLICT DO NOTHING", session, conversation); err != nil {
		return src, nil, err
	}
	row := s.write.QueryRowContext(ctx, "SELECT id, ord, turns, mark FROM source WHERE session = ? AND conversation = ?", session, conversation)
	src.Session, src.Conversation = session, conversation
	if err := row.Scan(&src.ID, &src.Ord, &src.Turns, &src.Mark); err != nil {
		return src, nil, err
	}
	known = map[SaidKey]int64{}
	_, err = all(ctx, s.read, func(scan scanner) (none struct{}, err error) {
		var k SaidKey
		var hash int64
		err = scan(&k.Turn, &k.Place, &k.Part, &hash)
		known[k] = hash
		return none, err
	}, "SELECT turn, place, part, hash FROM passage WHERE source = ?", src.ID)
	return src, known, err
}

// Marks returns the marks of the conversations of a session.
func (s *Said) Marks(ctx context.Context, session string) (map[string]string, error) {
	marks := map[string]string{}
	_, err := all(ctx, s.read, func(scan scanner) (none struct{}, err error) {
		var conversation, mark string
		err = scan(&conversation, &mark)
		marks[conversation] = mark
		return none, err
	}, "SELECT conversation, mark FROM source WHERE session = ?", session)
	return marks, err
}

// Put changes what the index has of a conversation, all or nothing: passages that are new
// or have another text, those that are gone, and the conversation's row.
func (s *Said) Put(ctx context.Context, src SaidSource, put []SaidPassage, gone []SaidKey) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	p := s.prepared
	drop, dropText := tx.Stmt(p.drop), tx.Stmt(p.dropText)
	for _, k := range gone {
		if err := dropSaid(drop, dropText, src.ID, k); err != nil {
			return err
		}
	}
	place, row, text := tx.Stmt(p.place), tx.Stmt(p.put), tx.Stmt(p.text)
	// FTS5 writes what it has gathered whenever a row comes before the last one.
	slices.SortStableFunc(put, func(p, q SaidPassage) int { return p.At.Compare(q.At) })
	for _, p := range put {
		if err := dropSaid(drop, dropText, src.ID, p.SaidKey); err != nil {
			return err
		}
		if err := putSaid(place, row, text, src.ID, p); err != nil {
			return err
		}
	}
	if _, err := tx.Exec("UPDATE source SET ord = ?, turns = ?, mark = ? WHERE id = ?", src.Ord, src.Turns, src.Mark, src.ID); err != nil {
		return err
	}
	return tx.Commit()
}

func dropSaid(drop, dropText *sql.Stmt, source int64, k SaidKey) error {
	var id int64
	err := drop.QueryRow(source, k.Turn, k.Place, k.Part).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err == nil {
		_, err = dropText.Exec(id)
	}
	return err
}

func putSaid(place, row, text *sql.Stmt, source int64, p SaidPassage) error {
	at := int64(0)
	if p.At.After(time.Unix(0, 0)) {
		at = min(p.At.UnixMilli(), 1<<42)
	}
	id := at << numberBits
	if err := place.QueryRow(id, id+1<<numberBits).Scan(&id); err != nil {
		return err
	}
	packed, err := deflated(p.Text)
	if err != nil {
		return err
	}
	if _, err := row.Exec(id, source, p.Turn, p.Place, p.Part, at, p.Hash, packed); err != nil {
		return err
	}
	_, err = text.Exec(id, spaced(p.Text))
	return err
}

// deflaters are writers to use again: one takes more than a megabyte, of which making it anew
// for each passage was a sixth of the work of the index.
var deflaters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(io.Discard, flate.BestSpeed) // fails for unknown levels alone
	return w
}}

func deflated(text string) ([]byte, error) {
	var b bytes.Buffer
	w, _ := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&b)
	_, err := io.WriteString(w, text)
	if err == nil {
		err = w.Close()
	}
	return b.Bytes(), err
}

// maxPassage bounds an inflated passage, in bytes.
const maxPassage = 4 << 20

// minPrefix is how many bytes a word needs to stand for all that begin with it. Each second
// passage has a word that begins with a certain letter: in 1 GB such a search took half a
// second, and one for three letters a tenth of that.
const minPrefix = 3

// Search finds the passages that have all words, newest first. Line of a hit is the whole
// text: the caller selects the line.
func (s *Said) Search(ctx context.Context, words []string, limit int) ([]api.SearchHit, error) {
	return all(ctx, s.read, func(scan scanner) (h api.SearchHit, err error) {
		var at, before int64
		var packed []byte
		if err := scan(&h.Session, &h.Conversation, &h.Turn, &h.Place, &h.Part, &at, &packed, &before); err != nil {
			return h, err
		}
		text, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxPassage))
		h.Kind, h.ID, h.At, h.Line = api.HitTurn, h.Session, time.UnixMilli(at).UTC(), string(text)
		h.Turn += int(before)
		return h, err
	}, `SELECT s.session, s.conversation, p.turn, p.place, p.part, p.at, p.text,
 (SELECT coalesce(sum(o.turns), 0) FROM source o WHERE o.session = s.session AND o.ord < s.ord)
FROM (SELECT rowid AS id FROM passage_text WHERE passage_text MATCH ? ORDER BY rowid DESC LIMIT ?) f
JOIN passage p ON p.id = f.id JOIN source s ON s.id = p.source ORDER BY p.id DESC`, allWords(words, true, minPrefix), limit)
}

// Sessions returns the sessions that the index has something of.
func (s *Said) Sessions(ctx context.Context) ([]string, error) {
	return all(ctx, s.read, func(scan scanner) (id string, err error) { err = scan(&id); return id, err }, "SELECT DISTINCT session FROM source")
}

// Forget removes a session from the index.
func (s *Said) Forget(ctx context.Context, session string) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	const of = "SELECT id FROM source WHERE session = ?"
	for _, query := range []string{
		"DELETE FROM passage_text WHERE rowid IN (SELECT id FROM passage WHERE source IN (" + of + "))",
		"DELETE FROM passage WHERE source IN (" + of + ")",
		"DELETE FROM source WHERE session = ?",
	} {
		if _, err := tx.Exec(query, session); err != nil {
			return err
		}
	}
	return tx.Commit()
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	// The driver "sqlite", in pure Go.
	_ "modernc.org/sqlite"

	"ccdir/internal/advice"
)

const (
	// writeQueue bounds the writes that wait for the writer; callers block
	// beyond it.
	writeQueue = 256
	// readers bounds the concurrent readers.
	readers = 4
	// checkBelow is the size of a database, in bytes, up to which its pages
	// are all checked when it is opened (some 50 ms); larger ones are trusted
	// until a read fails.
	checkBelow = 32 << 20
)

// ErrClosed is returned by calls after Close.
var ErrClosed = errors.New("the store is closed")

// Store is the open database. Make one with Open, end it with Close.
type Store struct {
	path  string
	log   *slog.Logger
	write *sql.DB // one connection, used by the writer alone
	read  *sql.DB
	// prepared are the writer's statements that every event needs; closed with
	// write.
	prepared struct{ event, session, text *sql.Stmt }

	queue chan *op
	stop  chan struct{}
	ended chan struct{}

	closeOnce sync.Once
	// sending counts writes in flight, so that Close can wait for them.
	sending sync.RWMutex
	closed  bool
}

// op is one write: run inside the group's transaction.
type op struct {
	fn   func(*sql.Tx) error
	done chan error
}

// Opened tells how opening went.
type Opened struct {
	// Moved is where an unreadable database was put, "" if there was none.
	Moved string
	// Cause is why.
	Cause error
}

// Open opens or creates the database. Its directory must exist.
func Open(path string, log *slog.Logger) (*Store, Opened, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s, err := open(path, log)
	if err == nil {
		return s, Opened{}, nil
	}
	if !damaged(err) {
		return nil, Opened{}, fmt.Errorf("cannot open the database %s: %w%s", path, err, advice.Of(err))
	}
	moved, moveErr := moveAside(path, time.Now())
	if moveErr != nil {
		return nil, Opened{}, fmt.Errorf("the database %s is damaged (%w) and cannot be moved aside: %w", path, err, moveErr)
	}
	log.Error("the database was damaged and is moved aside", "to", moved, "error", err)
	cause := err
	if s, err = open(path, log); err != nil {
		return nil, Opened{}, fmt.Errorf("cannot create the database %s: %w", path, err)
	}
	return s, Opened{Moved: moved, Cause: cause}, nil
}

// open opens the file and checks, migrates and starts it.
func open(path string, log *slog.Logger) (_ *Store, err error) {
	// The file is made first, so that its mode is ours and not the umask's.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	f.Close()
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, log: log, queue: make(chan *op, writeQueue),
		stop: make(chan struct{}), ended: make(chan struct{})}
	// WAL with FULL: a commit syncs the log once; what was acknowledged
	// survives a power cut. The busy timeout is for a reader that checkpoints.
	pragmas := "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)"
	if s.write, err = sql.Open("sqlite", dsn(path)+pragmas+"&_txlock=immediate"); err != nil {
		return nil, err
	}
	s.write.SetMaxOpenConns(1)
	defer func() {
		if err != nil {
			s.write.Close()
			if s.read != nil {
				s.read.Close()
			}
		}
	}()
	if err := check(s.write, info.Size()); err != nil {
		return nil, err
	}
	if err := migrate(s.write); err != nil {
		return nil, err
	}
	for query, stmt := range map[string]**sql.Stmt{insertEvent: &s.prepared.event, upsertSession: &s.prepared.session, insertText: &s.prepared.text} {
		if *stmt, err = s.write.Prepare(query); err != nil {
			return nil, err
		}
	}
	if s.read, err = sql.Open("sqlite", dsn(path)+pragmas+"&_pragma=query_only(1)"); err != nil {
		return nil, err
	}
	s.read.SetMaxOpenConns(readers)
	go s.run()
	return s, nil
}

// dsn is the file's URI; the characters that mean something in one are quoted.
func dsn(path string) string {
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}

// errDamaged marks errors of check.
var errDamaged = errors.New("the check of its pages failed")

// check reads the schema, and all pages of a small database.
func check(db *sql.DB, size int64) error {
	var n int
	if err := db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&n); err != nil {
		return err
	}
	if size > checkBelow {
		return nil
	}
	var result string
	if err := db.QueryRow("PRAGMA quick_check(1)").Scan(&result); err != nil {
		return err
	}
	if result != "ok" {
		return fmt.Errorf("%w: %s", errDamaged, result)
	}
	return nil
}

// damaged reports whether err means that the file's content is bad, in
// contrast to a full disk or missing permission.
func damaged(err error) bool {
	const (
		sqliteCorrupt = 11
		sqliteNotADB  = 26
	)
	var coded interface{ Code() int }
	if errors.As(err, &coded) {
		primary := coded.Code() & 0xff
		return primary == sqliteCorrupt || primary == sqliteNotADB
	}
	return errors.Is(err, errDamaged)
}

// moveAside renames the database and its companions.
func moveAside(path string, at time.Time) (string, error) {
	moved := path + ".damaged-" + at.UTC().Format("20060102T150405.000")
	if err := os.Rename(path, moved); err != nil {
		return "", err
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Rename(path+suffix, moved+suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	return moved, syncDir(filepath.Dir(path))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// Update runs fn in a transaction of the writer and returns when it is
// durable. fn may run more than once and must not keep the transaction.
func (s *Store) Update(fn func(*sql.Tx) error) error {
	o := &op{fn: fn, done: make(chan error, 1)}
	s.sending.RLock()
	if s.closed {
		s.sending.RUnlock()
		return ErrClosed
	}
	s.queue <- o
	s.sending.RUnlock()
	return <-o.done
}

// Close finishes what is queued, and waits for it.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		s.sending.Lock()
		s.closed = true
		s.sending.Unlock()
		close(s.stop)
	})
	<-s.ended
	return errors.Join(s.read.Close(), s.write.Close())
}

// run is the writer.
func (s *Store) run() {
	defer close(s.ended)
	for {
		var group []*op
		select {
		case o := <-s.queue:
			group = s.gather(o)
		case <-s.stop:
			select {
			case o := <-s.queue:
				group = s.gather(o)
			default:
				return
			}
		}
		s.commit(group)
	}
}

// gather takes what is queued beside first, without waiting.
func (s *Store) gather(first *op) []*op {
	group := []*op{first}
	for len(group) < writeQueue {
		select {
		case o := <-s.queue:
			group = append(group, o)
		default:
			return group
		}
	}
	return group
}

// commit runs a group as one transaction; if that fails, each of its writes
// alone, so that only the bad ones fail.
func (s *Store) commit(group []*op) {
	err := s.transact(group)
	if err == nil || len(group) == 1 {
		for _, o := range group {
			o.done <- err
		}
		return
	}
	for _, o := range group {
		o.done <- s.transact([]*op{o})
	}
}

func (s *Store) transact(group []*op) error {
	tx, err := s.write.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	for _, o := range group {
		if err := call(o.fn, tx); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

// call contains a panic of fn: the writer serves everybody.
func call(fn func(*sql.Tx) error, tx *sql.Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a write: %v", p)
		}
	}()
	return fn(tx)
}

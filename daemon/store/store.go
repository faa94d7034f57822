package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	// The driver "sqlite", in pure Go.
	_ "modernc.org/sqlite"

	"ccdir/api/hint"
)

const (
	// writeQueue bounds the writes that wait for the writer; callers block
	// beyond it.
	writeQueue = 256
	// readers bounds the concurrent readers.
	readers = 4
)

// patient is how long a write waits for another program that has the database
// locked; impatient once that was in vain, until a write succeeds again: what can
// be kept elsewhere must not wait for ten seconds each time. Tests set them.
var patient, impatient = 10 * time.Second, 200 * time.Millisecond

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

	// waits is how long a write waits for a lock now, files are what it writes, and gone
	// is why it writes no more, nil while it does; of the writer.
	waits time.Duration
	files files
	gone  error
	// marked: the database was marked as damaged.
	marked atomic.Bool

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
	// Saved is how many rows of the moved one could be read, and are in the new one.
	Saved int
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
		return nil, Opened{}, fmt.Errorf("cannot open the database %s: %w%s", path, err, hint.Of(err))
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
	saved, err := s.salvage(moved, time.Now().Add(salvageTime))
	log.Info("what could be read of the damaged database is in the new one", "rows", saved, "not", err)
	return s, Opened{Moved: moved, Cause: cause, Saved: saved}, nil
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
	s := &Store{path: path, log: log, queue: make(chan *op, writeQueue), waits: patient, files: files{path: path, db: info},
		stop: make(chan struct{}), ended: make(chan struct{})}
	// WAL with FULL: a commit syncs the log once; what was acknowledged
	// survives a power cut. The busy timeout is for a reader that checkpoints.
	pragmas := fmt.Sprintf("?_pragma=busy_timeout(%d)", patient.Milliseconds()) + "&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)"
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
	if err := check(s.write, path, info.Size()); err != nil {
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

// update runs fn in a transaction of the writer and returns when it is
// durable. fn may run more than once and must not keep the transaction.
func (s *Store) update(fn func(*sql.Tx) error) error {
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
// alone, so that only the bad ones fail. Where none can begin, none is tried alone:
// each would wait for the lock again.
func (s *Store) commit(group []*op) {
	begun, err := s.transact(group)
	if err == nil || !begun || len(group) == 1 {
		for _, o := range group {
			o.done <- err
		}
		return
	}
	for _, o := range group {
		_, err := s.transact([]*op{o})
		o.done <- err
	}
}

// transact reports whether the transaction could begin at all.
func (s *Store) transact(group []*op) (begun bool, err error) {
	if s.gone != nil {
		return false, s.gone
	}
	tx, err := s.write.BeginTx(context.Background(), nil)
	if err != nil {
		s.suspect(err)
		if n, ok := code(err); ok && n == sqliteBusy {
			s.setWaits(impatient)
		}
		return false, err
	}
	for _, o := range group {
		if err = call(o.fn, tx); err != nil {
			err = errors.Join(err, tx.Rollback())
			break
		}
	}
	if err == nil {
		err = tx.Commit()
	}
	s.suspect(err)
	s.setWaits(patient)
	if err == nil {
		err = s.keep()
	}
	return true, err
}

// sqliteBusy: another connection has the database locked.
const sqliteBusy = 5

// setWaits sets how long writes wait for a lock.
func (s *Store) setWaits(d time.Duration) {
	if s.waits == d {
		return
	}
	if _, err := s.write.Exec(fmt.Sprintf("PRAGMA busy_timeout = %d", d.Milliseconds())); err == nil {
		s.waits = d
	}
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

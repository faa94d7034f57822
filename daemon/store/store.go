package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	// The driver "sqlite", in pure Go.
	_ "modernc.org/sqlite"

	"ccdir/api"
	"ccdir/api/hint"
)

const (
	// writeQueue bounds the writes that wait for the writer; callers block when it is
	// full.
	writeQueue = 256
	// readers bounds the concurrent readers.
	readers = 4
)

// patient is how long a write waits for another program's lock of the database. After
// such a wait has failed, further writes wait only impatient until one succeeds: the
// journal has an overflow file and must not wait ten seconds each time. Tests set them.
var patient, impatient = 10 * time.Second, 200 * time.Millisecond

// ErrClosed is returned by calls after Close.
var ErrClosed = errors.New("the store is closed")

// Store is the open database. Make one with Open, end it with Close.
type Store struct {
	// Kinds returns the kind of a hook by its name, for events that were saved before events
	// had one. Nil: they have none. Set it before the first read.
	Kinds func(hook string) api.EventKind

	path  string
	log   *slog.Logger
	write *sql.DB // one connection, used by the writer alone
	read  *sql.DB
	// prepared are the writer's statements for events and sessions; closed with write.
	prepared struct{ event, session, text *sql.Stmt }

	queue chan *op
	stop  chan struct{}
	ended chan struct{}

	// waits is how long a write waits for a lock now. files are the open files. gone is
	// why nothing is written any longer; nil: the files are in place. All three belong to
	// the writer.
	waits time.Duration
	files files
	gone  error
	// harmed is what happened to the files, "": nothing. rescued is where their contents were
	// written out, "": nowhere. rescueFailed is the last logged failure of that. They belong
	// to the writer.
	harmed       string
	rescued      string
	rescueFailed string
	// marked: markFile was written.
	marked atomic.Bool

	closeOnce sync.Once
	// sending counts writes in flight, so that Close can wait for them.
	sending sync.RWMutex
	closed  bool
}

// op is one write, run inside the transaction of its group.
type op struct {
	fn   func(*sql.Tx) error // nil: a look at the files
	done chan error
}

// Opened is the outcome of Open.
type Opened struct {
	// Moved is the path to which a damaged database was moved; "": it was not damaged.
	Moved string
	// Cause is the damage; nil: none.
	Cause error
	// Saved is the number of rows that were copied from the moved database.
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
	// Make the file first: SQLite would use the umask's mode.
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
	// WAL with FULL: a commit syncs the WAL once and then survives a power cut. The busy
	// timeout is for a reader that checkpoints.
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

// dsn is the file's URI, with its special characters quoted.
func dsn(path string) string {
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}

// update runs fn in a transaction of the writer; durable when it returns. fn may run more
// than once and must not keep the transaction.
func (s *Store) update(fn func(*sql.Tx) error) error {
	return s.send(&op{fn: fn, done: make(chan error, 1)})
}

// send queues an op and waits for its outcome.
func (s *Store) send(o *op) error {
	s.sending.RLock()
	if s.closed {
		s.sending.RUnlock()
		return ErrClosed
	}
	s.queue <- o
	s.sending.RUnlock()
	return <-o.done
}

// Close finishes the queued writes and waits for them.
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

// gather returns first and the other queued writes, without waiting.
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

// commit runs a group as one transaction. If that fails, each write runs in a transaction
// of its own, so that only the faulty ones fail; but not if the transaction could not
// begin: each would wait for the lock again.
func (s *Store) commit(group []*op) {
	group = slices.DeleteFunc(group, func(o *op) bool {
		if o.fn == nil {
			o.done <- s.look()
		}
		return o.fn == nil
	})
	if len(group) == 0 {
		return
	}
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

// transact runs a group in one transaction. begun: the transaction could begin.
func (s *Store) transact(group []*op) (begun bool, err error) {
	begun, err = s.attempt(group)
	if staleTextIndex(err) && s.rebuildTextIndex() == nil {
		begun, err = s.attempt(group)
	}
	s.suspect(err)
	return begun, err
}

func (s *Store) attempt(group []*op) (begun bool, err error) {
	if s.gone == nil && s.files.truncated() {
		_ = s.keep() // before the write makes the file longer again
	}
	if s.gone != nil {
		return false, s.gone
	}
	tx, err := s.write.BeginTx(context.Background(), nil)
	if err != nil {
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
	s.setWaits(patient)
	if err == nil {
		err = s.keep()
	}
	return true, err
}

// sqliteBusy: another connection has the database locked.
const sqliteBusy = 5

// setWaits sets the lock timeout of writes.
func (s *Store) setWaits(d time.Duration) {
	if s.waits == d {
		return
	}
	if _, err := s.write.Exec(fmt.Sprintf("PRAGMA busy_timeout = %d", d.Milliseconds())); err == nil {
		s.waits = d
	}
}

// call recovers a panic of fn, because the writer is shared.
func call(fn func(*sql.Tx) error, tx *sql.Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a write: %v", p)
		}
	}()
	return fn(tx)
}

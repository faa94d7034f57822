package journal

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"time"

	"ccdir/api"
)

// Store saves events and session records: daemon/store.
type Store interface {
	// Commit saves events with their numbers and keys (one per event, "": none), and
	// the records of sessions by id (nil deletes one), all or nothing.
	Commit(events []api.Event, keys []string, sessions map[string][]byte) error
	// Events reads events, oldest first.
	Events(ctx context.Context, f Filter) ([]api.Event, error)
	// Keys returns the newest keys of a session's events, newest first.
	Keys(ctx context.Context, session string) ([]string, error)
	// Sessions returns the records of sessions by id.
	Sessions(ctx context.Context) (map[string][]byte, error)
	// LastSeq is the number of the newest event, 0 if there is none.
	LastSeq(ctx context.Context) (int64, error)
	// KnownID reports whether a session of that id ever existed.
	KnownID(ctx context.Context, id string) (bool, error)
	// KnownKey reports whether an event of the session has that key.
	KnownKey(ctx context.Context, session, key string) (bool, error)
}

// Filter selects events.
type Filter = api.EventFilter

// Sizes of queues.
const (
	// queueLen bounds the messages that wait for the writer: 10,000 events/s at a
	// commit of 100 ms would be 1,000.
	queueLen = 4096
	// maxBatch bounds the messages of one transaction.
	maxBatch = 2048
	// recentLen is how many events a snapshot holds, as api.Snapshot says.
	recentLen = 500
	// maxReaders is how many readers of the channel of Append get the answer.
	maxReaders = 3
)

// ErrClosed is returned by calls after Close.
var ErrClosed = errors.New("the event log is closed")

// entry is one appended message with the arguments of Append.
type entry struct {
	msg    api.WatchMessage
	record []byte
	save   bool // record is stored, or the session's record is deleted
	key    string
	done   chan error // maxReaders slots; nil for the journal's own events
	look   bool       // only a look at the overflow file
}

// Log is the journal. Make one with Open, end it with Close.
type Log struct {
	store Store
	o     Options
	log   *slog.Logger
	queue chan entry
	stop  chan struct{}
	ended chan struct{}

	closeOnce sync.Once
	// appending counts Append calls in flight, so that Close can wait for
	// them before it drains the queue.
	appending sync.RWMutex
	closed    bool

	// batch holds the changes of the current batch and is reused. overflow is nil without
	// a file; removed: because somebody removed it. announced is the stage that the newest
	// store.held event tells. All belong to run.
	batch     changes
	overflow  *overflowFile
	removed   bool
	announced stage
	pending   backlog
	// logged is when the log last had a line about unwritten changes, dropped how many
	// events were dropped since the store worked. They belong to run.
	logged  time.Time
	dropped int

	// mu guards the published state. It is held while publishing, never during
	// I/O, and no other lock is taken under it but a watcher's.
	mu       sync.Mutex
	unsaved  string // why the store does not have all changes, "": it has
	seq      int64
	sessions map[string]*Value
	requests map[string]api.Request
	tasks    map[string]api.Task
	queued   *api.Queue
	recent   []api.Event
	grid     *api.Grid   // replaced, never changed
	limits   *api.Limits // the same; nil: none is known
	watchers map[*Watcher]struct{}
	over     bool // no watcher is added any longer
	server   func() api.Server
}

// Options configure a log.
type Options struct {
	Store Store
	// Overflow is the path of the overflow file, made if missing; "": none.
	Overflow string
	// OverflowSize is its size in bytes; 0: OverflowSize.
	OverflowSize int64
	// Sessions are those known at the start.
	Sessions []api.Session
	// Grid is the arrangement of the grid.
	Grid api.Grid
	// Server fills Snapshot.Server; Sessions, Running and EventSeq are set by
	// the log. It is called with the log's lock held.
	Server func() api.Server
	Logger *slog.Logger
}

// Open replays the overflow file, as far as the store accepts it, and starts the log.
// An overflow file that cannot be opened is logged; the log then works without one.
func Open(ctx context.Context, o Options) (*Log, error) {
	l := &Log{
		store: o.Store, o: o, log: o.Logger, server: o.Server, grid: &o.Grid,
		queue: make(chan entry, queueLen), stop: make(chan struct{}), ended: make(chan struct{}),
		sessions: map[string]*Value{}, requests: map[string]api.Request{}, tasks: map[string]api.Task{}, watchers: map[*Watcher]struct{}{},
	}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	if l.server == nil {
		l.server = func() api.Server { return api.Server{} }
	}
	l.o.OverflowSize = cmp.Or(o.OverflowSize, OverflowSize)
	err := l.replay(ctx)
	if err == nil {
		l.seq, err = l.lastSeq(ctx)
	}
	if err == nil {
		l.recent, err = l.Events(ctx, Filter{Limit: recentLen})
	}
	if err != nil {
		l.closeOverflow()
		return nil, err
	}
	for _, s := range o.Sessions {
		l.sessions[s.ID] = &Value{Session: s}
	}
	go l.run()
	return l, nil
}

// Append queues a message: an event (its Seq is assigned), a session's new
// value, a removal, a request for focus, a permission request or its end, or
// several of them. record is the session's durable form (of msg.Session, or nil
// to leave the stored one); key identifies the event for Keys and KnownKey. When
// the message is published, the channel gets the answer and is closed: nil, or
// the reason why the message is not durable yet. Up to maxReaders readers get it.
func (l *Log) Append(msg api.WatchMessage, record []byte, key string) <-chan error {
	done := make(chan error, maxReaders)
	l.appending.RLock()
	defer l.appending.RUnlock()
	if l.closed {
		for range maxReaders {
			done <- ErrClosed
		}
		close(done)
		return done
	}
	l.queue <- entry{msg: msg, record: record, save: record != nil || msg.Removed != "", key: key, done: done}
	return done
}

// Look checks whether the overflow file is still in its place. If somebody removed it, a
// new one is made, and changes that only the old one had are written to it. Look returns
// before that is done.
func (l *Log) Look() {
	l.appending.RLock()
	defer l.appending.RUnlock()
	if !l.closed {
		l.queue <- entry{look: true}
	}
}

// Close saves and publishes what is queued, ends all watchers and waits. Changes that
// the store still refuses stay in the overflow file for the next daemon.
func (l *Log) Close() {
	l.closeOnce.Do(func() {
		l.appending.Lock()
		l.closed = true
		l.appending.Unlock()
		close(l.stop)
	})
	<-l.ended
}

// run is the only writer.
func (l *Log) run() {
	defer close(l.ended)
	defer l.finish()
	defer l.endWatchers()
	batch := make([]entry, 0, maxBatch)
	for {
		l.announce()
		var retry <-chan time.Time
		if !l.pending.empty() {
			retry = time.After(retryAfter)
		}
		batch = batch[:0]
		select {
		case e := <-l.queue:
			batch = append(batch, e)
		case <-retry:
		case <-l.stop:
			// Append is closed: the queue only shrinks.
			for batch = l.gather(batch); len(batch) > 0; batch = l.gather(batch[:0]) {
				l.handle(batch)
			}
			return
		}
		batch = l.gather(batch)
		l.handle(batch)
		clear(batch)
	}
}

// gather adds queued entries, up to a full batch, without waiting.
func (l *Log) gather(batch []entry) []entry {
	for len(batch) < maxBatch {
		select {
		case e := <-l.queue:
			batch = append(batch, e)
		default:
			return batch
		}
	}
	return batch
}

// handle numbers, commits, publishes and answers one batch. An empty batch is a retry
// of the backlog.
func (l *Log) handle(batch []entry) {
	seq := l.seq // only this goroutine changes it
	for i := range batch {
		if batch[i].look {
			l.keepOverflow()
		}
		if e := batch[i].msg.Event; e != nil {
			seq++
			numbered := *e
			numbered.Seq = seq
			batch[i].msg.Event = &numbered
		}
		l.batch.addEntry(&batch[i])
	}
	err := l.commit(&l.batch)
	l.batch.reset()
	l.mu.Lock()
	for i := range batch {
		if !batch[i].look {
			l.publish(&Message{WatchMessage: batch[i].msg})
		}
	}
	l.mu.Unlock()
	for i := range batch {
		if done := batch[i].done; done != nil {
			for range maxReaders {
				done <- err
			}
			close(done)
		}
	}
}

// publish makes one message visible. The caller holds mu.
func (l *Log) publish(msg *Message) {
	if msg.Event != nil {
		l.seq = msg.Event.Seq
		if len(l.recent) >= 2*recentLen {
			l.recent = append(l.recent[:0], l.recent[len(l.recent)-recentLen+1:]...)
		}
		l.recent = append(l.recent, *msg.Event)
	}
	if msg.Session != nil {
		msg.session = &Value{Session: *msg.Session}
		l.sessions[msg.Session.ID] = msg.session
	}
	if msg.Removed != "" {
		delete(l.sessions, msg.Removed)
		maps.DeleteFunc(l.requests, func(_ string, q api.Request) bool { return q.Session == msg.Removed })
	}
	if msg.Request != nil {
		l.requests[msg.Request.ID] = *msg.Request
	}
	if msg.RequestEnded != nil {
		delete(l.requests, msg.RequestEnded.Request.ID)
	}
	if msg.Grid != nil {
		l.grid = msg.Grid
	}
	if msg.Limits != nil {
		l.limits = msg.Limits
	}
	l.publishTasks(&msg.WatchMessage)
	for w := range l.watchers {
		w.push(msg)
	}
}

package journal

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"ccdir/api"
)

// Sink makes events and sessions durable: the store.
type Sink interface {
	// Commit saves the events, in order and with their numbers, and the
	// records of sessions by id (nil deletes one), all or nothing. keys holds
	// for each event "" or a key that later Keys calls return.
	Commit(events []api.Event, keys []string, sessions map[string][]byte) error
	// Events reads events, oldest first.
	Events(ctx context.Context, f Filter) ([]api.Event, error)
}

// Filter selects events.
type Filter = api.EventFilter

// Sizes of queues.
const (
	// queueLen bounds what waits for the writer: 10,000 events/s at a commit
	// of 100 ms would be 1,000.
	queueLen = 4096
	// maxBatch bounds one transaction.
	maxBatch = 2048
	// recentLen is how many events a snapshot holds, as api.Snapshot says.
	recentLen = 500
	// maxUnsaved bounds the events kept while the disk refuses them.
	maxUnsaved = 100_000
	// retryAfter is when a failed commit is tried again with nothing new.
	retryAfter = time.Second
)

// ErrClosed is returned by calls after Close.
var ErrClosed = errors.New("the event log is closed")

// entry is one appended message with what belongs to it.
type entry struct {
	msg    api.WatchMessage
	record []byte
	save   bool
	key    string
	done   chan error
}

// Log is the event log. Make one with New, end it with Close.
type Log struct {
	sink  Sink
	logf  *slog.Logger
	queue chan entry
	stop  chan struct{}
	ended chan struct{}

	closeOnce sync.Once
	// appending counts Append calls in flight, so that Close can wait for
	// them before it drains the queue.
	appending sync.RWMutex
	closed    bool

	// unsaved is what a failed commit left; owned by run.
	unsaved backlog

	// mu guards what is published. It is held while publishing, never during
	// I/O, and no other lock is taken under it but a watcher's.
	mu       sync.Mutex
	seq      int64
	sessions map[string]*Value
	requests map[string]api.Request
	tasks    map[string]api.Task
	queued   *api.Queue
	recent   []api.Event
	grid     *api.Grid // replaced, never changed
	watchers map[*Watcher]struct{}
	over     bool // no watcher is added any more
	server   func() api.Server
}

// Options are what a log starts from.
type Options struct {
	Sink Sink
	// Seq is the number of the newest event in the sink; Recent the newest
	// events, oldest first; Sessions those known.
	Seq      int64
	Recent   []api.Event
	Sessions []api.Session
	// Grid is how the person has arranged the grid.
	Grid api.Grid
	// Server fills Snapshot.Server; Sessions, Running and EventSeq are set by
	// the log. It is called with the log's lock held.
	Server func() api.Server
	Logger *slog.Logger
}

// New starts a log.
func New(o Options) *Log {
	l := &Log{
		sink: o.Sink, logf: o.Logger, seq: o.Seq, server: o.Server, grid: &o.Grid,
		queue: make(chan entry, queueLen), stop: make(chan struct{}), ended: make(chan struct{}),
		sessions: map[string]*Value{}, requests: map[string]api.Request{}, tasks: map[string]api.Task{}, watchers: map[*Watcher]struct{}{},
	}
	if l.logf == nil {
		l.logf = slog.New(slog.DiscardHandler)
	}
	if l.server == nil {
		l.server = func() api.Server { return api.Server{} }
	}
	l.recent = append(l.recent, o.Recent[max(0, len(o.Recent)-recentLen):]...)
	for _, s := range o.Sessions {
		l.sessions[s.ID] = &Value{Session: s}
	}
	go l.run()
	return l
}

// Append queues a message: an event (its Seq is assigned), a session's new
// value, a removal, a wish for focus, a permission request or its end, or
// several of them. record is the session's durable form (of msg.Session, or nil
// to leave what is stored); key makes the event findable by Sink's keys. When
// the message is published, the channel gets one value and is closed: nil, or
// why it could not be saved (it is published all the same, and saved later if
// possible).
func (l *Log) Append(msg api.WatchMessage, record []byte, key string) <-chan error {
	done := make(chan error, 1)
	l.appending.RLock()
	defer l.appending.RUnlock()
	if l.closed {
		done <- ErrClosed
		close(done)
		return done
	}
	l.queue <- entry{msg: msg, record: record, save: record != nil || msg.Removed != "", key: key, done: done}
	return done
}

// Close saves and publishes what is queued, ends all watchers and waits.
func (l *Log) Close() {
	l.closeOnce.Do(func() {
		l.appending.Lock()
		l.closed = true
		l.appending.Unlock()
		close(l.stop)
	})
	<-l.ended
}

// run is the one writer.
func (l *Log) run() {
	defer close(l.ended)
	defer l.endWatchers()
	var retry <-chan time.Time
	batch := make([]entry, 0, maxBatch)
	for {
		batch = batch[:0]
		select {
		case e := <-l.queue:
			batch = append(batch, e)
		case <-retry:
		case <-l.stop:
			// Nobody appends any more: what is queued is all there will be.
			for batch = l.gather(batch); len(batch) > 0; batch = l.gather(batch[:0]) {
				l.handle(batch)
			}
			return
		}
		batch = l.gather(batch)
		l.handle(batch)
		clear(batch)
		retry = nil
		if !l.unsaved.empty() {
			retry = time.After(retryAfter)
		}
	}
}

// gather adds what is queued, up to a full batch, without waiting.
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

// handle numbers, commits, publishes and answers one batch.
func (l *Log) handle(batch []entry) {
	seq := l.seq // only this goroutine changes it
	for i := range batch {
		if e := batch[i].msg.Event; e != nil {
			seq++
			numbered := *e
			numbered.Seq = seq
			batch[i].msg.Event = &numbered
		}
		l.unsaved.add(&batch[i])
	}
	err := l.commit()
	l.mu.Lock()
	for i := range batch {
		l.publish(&Message{WatchMessage: batch[i].msg})
	}
	l.mu.Unlock()
	for i := range batch {
		batch[i].done <- err
		close(batch[i].done)
	}
}

// commit saves the backlog, which is the batch alone unless a commit failed.
func (l *Log) commit() error {
	if l.unsaved.empty() {
		return nil
	}
	err := l.sink.Commit(l.unsaved.events, l.unsaved.keys, l.unsaved.sessions)
	if err == nil {
		l.unsaved.reset()
		return nil
	}
	if lost := l.unsaved.trim(maxUnsaved); lost > 0 {
		l.logf.Error("events could not be saved and are dropped", "events", lost, "error", err)
	}
	l.logf.Error("cannot save events, will try again", "waiting", len(l.unsaved.events), "error", err)
	return err
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
	l.publishTasks(&msg.WatchMessage)
	for w := range l.watchers {
		w.push(msg)
	}
}

// backlog is what is not saved yet.
type backlog struct {
	events   []api.Event
	keys     []string
	sessions map[string][]byte
}

func (b *backlog) empty() bool { return len(b.events) == 0 && len(b.sessions) == 0 }

func (b *backlog) add(e *entry) {
	if e.msg.Event != nil {
		b.events = append(b.events, *e.msg.Event)
		b.keys = append(b.keys, e.key)
	}
	if !e.save {
		return
	}
	if b.sessions == nil {
		b.sessions = map[string][]byte{}
	}
	if e.msg.Removed != "" {
		b.sessions[e.msg.Removed] = nil
	} else if e.msg.Session != nil {
		b.sessions[e.msg.Session.ID] = e.record
	}
}

func (b *backlog) reset() {
	clear(b.events)
	b.events, b.keys = b.events[:0], b.keys[:0]
	b.sessions = nil
}

// trim drops the oldest events beyond limit and returns how many.
func (b *backlog) trim(limit int) int {
	lost := max(0, len(b.events)-limit)
	b.events, b.keys = b.events[lost:], b.keys[lost:]
	return lost
}

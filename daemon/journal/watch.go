package journal

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"ccdir/api"
)

// watcherLen bounds the queued messages of one watcher: at 10,000 events/s a tenth of a
// second, longer than any scheduling delay and small enough for a stuck watcher.
const watcherLen = 1024

// Watcher receives published messages. One goroutine calls Next.
type Watcher struct {
	log  *Log
	wake chan struct{}

	mu     sync.Mutex
	queue  []*Message
	lagged bool
	ended  bool
}

// Watch subscribes: the first message of Next is the snapshot. Call Close when
// done.
func (l *Log) Watch() *Watcher {
	w := &Watcher{log: l, wake: make(chan struct{}, 1)}
	l.mu.Lock()
	defer l.mu.Unlock()
	w.ended = l.over
	if !l.over {
		w.queue = append(w.queue, l.snapshot())
		l.watchers[w] = struct{}{}
	}
	return w
}

// Close ends the subscription. Next returns ErrClosed from then on.
func (w *Watcher) Close() {
	w.log.mu.Lock()
	delete(w.log.watchers, w)
	w.log.mu.Unlock()
	w.end()
}

func (w *Watcher) end() {
	w.mu.Lock()
	w.ended, w.queue = true, nil
	w.mu.Unlock()
	w.signal()
}

func (w *Watcher) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// push queues a message. The caller holds the log's lock.
func (w *Watcher) push(msg *Message) {
	w.mu.Lock()
	switch {
	case w.lagged || w.ended:
	case len(w.queue) >= watcherLen:
		w.lagged, w.queue = true, nil
	default:
		w.queue = append(w.queue, msg)
	}
	w.mu.Unlock()
	w.signal()
}

// Next blocks for the next messages and returns at least one. A later message with a
// Snapshot replaces everything before it: the watcher fell behind.
func (w *Watcher) Next(ctx context.Context) ([]*Message, error) {
	for {
		w.mu.Lock()
		lagged, ended, queue := w.lagged, w.ended, w.queue
		w.queue = nil
		w.mu.Unlock()
		switch {
		case ended:
			return nil, ErrClosed
		case lagged:
			return []*Message{w.resync()}, nil
		case len(queue) > 0:
			return queue, nil
		}
		select {
		case <-w.wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// resync takes a new snapshot for a watcher that fell behind.
func (w *Watcher) resync() *Message {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	w.mu.Lock()
	w.lagged, w.queue = false, nil
	w.mu.Unlock()
	return w.log.snapshot()
}

func (l *Log) endWatchers() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	for w := range l.watchers {
		w.end()
	}
	clear(l.watchers)
}

// snapshot is the published state. The caller holds mu.
func (l *Log) snapshot() *Message {
	return &Message{WatchMessage: api.WatchMessage{Snapshot: &api.Snapshot{
		Seq:      l.seq,
		Sessions: l.list(),
		Requests: l.openRequests(),
		Events:   light(l.recent[max(0, len(l.recent)-recentLen):]),
		Server:   l.counts(l.server()),
		Grid:     l.grid,
		Tasks:    l.listTasks(),
		Queue:    l.queued,
		Limits:   l.limits,
	}}}
}

// maxSnapshotData bounds the data of an event in a snapshot, in bytes, so that a
// snapshot has at most some 2 MB. GET /v1/events has the whole event.
const maxSnapshotData = 4 << 10

// light copies events without large data.
func light(events []api.Event) []api.Event {
	events = slices.Clone(events)
	for i := range events {
		if len(events[i].Data) > maxSnapshotData {
			events[i].Data = nil
		}
	}
	return events
}

// list returns the sessions, oldest first. The caller holds mu.
func (l *Log) list() []api.Session {
	list := make([]api.Session, 0, len(l.sessions))
	for _, v := range l.values() {
		list = append(list, v.Session)
	}
	return list
}

// values returns the sessions, oldest first. The caller holds mu.
func (l *Log) values() []*Value {
	return slices.SortedFunc(maps.Values(l.sessions), func(a, b *Value) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
}

// openRequests returns the open permission requests, oldest first. The caller holds mu.
func (l *Log) openRequests() []api.Request {
	return slices.SortedFunc(maps.Values(l.requests), func(a, b api.Request) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
	})
}

// counts fills in the numbers of sessions and events. The caller holds mu.
func (l *Log) counts(s api.Server) api.Server {
	s.Sessions, s.Running, s.EventSeq = len(l.sessions), 0, l.seq
	s.Unsaved = cmp.Or(s.Unsaved, l.unsaved)
	for _, session := range l.sessions {
		if !session.State.Ended() {
			s.Running++
		}
	}
	return s
}

// Server returns the answer to GET /v1/health.
func (l *Log) Server() api.Server {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.counts(l.server())
}

// Grid returns the layout of the grid.
func (l *Log) Grid() api.Grid {
	l.mu.Lock()
	defer l.mu.Unlock()
	return *l.grid
}

// Sessions lists the sessions as published, oldest first.
func (l *Log) Sessions() []api.Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.list()
}

// Values lists the sessions as published, oldest first, each with its encoding.
func (l *Log) Values() []*Value {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.values()
}

// Session returns one session as published.
func (l *Log) Session(id string) (api.Session, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v, ok := l.sessions[id]
	if !ok {
		return api.Session{}, false
	}
	return v.Session, true
}

// Wait blocks until ok accepts a published value of the session, and returns that value.
// No value is skipped. It fails with CodeNotFound when the session is removed.
func (l *Log) Wait(ctx context.Context, id string, ok func(api.Session) bool) (api.Session, error) {
	w := l.Watch()
	defer w.Close()
	for {
		messages, err := w.Next(ctx)
		if err != nil {
			return api.Session{}, err
		}
		for _, m := range messages {
			s, found, gone := pick(m, id)
			if gone {
				return api.Session{}, api.Errorf(api.CodeNotFound, "session %s was removed", id)
			}
			if found && ok(s) {
				return s, nil
			}
		}
	}
}

// pick finds the session in a message; gone: it was removed.
func pick(m *Message, id string) (s api.Session, found, gone bool) {
	if m.Snapshot != nil {
		for _, s := range m.Snapshot.Sessions {
			if s.ID == id {
				return s, true, false
			}
		}
		return s, false, true
	}
	if m.Session != nil && m.Session.ID == id {
		return *m.Session, true, false
	}
	return s, false, m.Removed == id
}

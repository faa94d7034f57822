package conversations

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/daemon/journal"
	"ccdir/daemon/store"
	"ccdir/internal/contain"
	"ccdir/usage"
)

// When the index is brought up to date.
const (
	// indexAfter is how long after something happened in a session its files are read,
	// indexAgain how long after that once more as long as it works or was heard of lately:
	// an agent writes a moment after its hooks.
	indexAfter  = 300 * time.Millisecond
	indexAgain  = time.Second
	indexLately = 3 * time.Second
	// soonBytes is how much of a conversation that is new to the index is read at once; more
	// is read in the background.
	soonBytes = 2 << 20
	// rests is how many times as long as it used a processor the background waits: it uses an
	// eighth of one at most, and is not slower because others use them.
	rests = 7
	// batchBytes and batchPassages bound one change of the index: it takes some 40 ms of a
	// processor, for which other changes wait. Twice as large ones save hardly anything.
	batchBytes, batchPassages = 256 << 10, 1000
)

// PauseIndexed is a point at which tests stop the daemon: a part of a conversation is in
// the index, and not the rest.
const PauseIndexed = "conversation-indexed"

// IndexOptions join an Indexer with the daemon. All but Pause are needed.
type IndexOptions struct {
	Conversations *Conversations
	Index         *store.Said
	// Watch opens a watch of the event log.
	Watch func() *journal.Watcher
	// Of returns the part of a session that the index needs.
	Of func(api.Session) Session
	// Past lists sessions that have ended, newest first, also those that were removed.
	Past func(ctx context.Context) ([]Session, error)
	// Latest receives a running session's newest turn after it has changed.
	Latest func(ctx context.Context, session string, t api.Turn)
	// Took receives what a session's conversation has used so far; nil: nobody asks. What it could not
	// keep is told again.
	Took func(ctx context.Context, session, conversation string, u usage.Used) error
	// Used is the processor time that the daemon has used.
	Used func() time.Duration
	// Pause is called at PauseIndexed; nil: never.
	Pause  func(point string)
	Logger *slog.Logger
}

// Indexer keeps the full-text index of conversations. Sessions that run are followed: what
// is said is found a second or two after it was written. What the index does not know yet is
// read in the background, by a part of one processor. A change of the index is all or
// nothing and says how far a conversation was read, so a daemon that is killed leaves an index
// that the next one goes on with.
type Indexer struct {
	o IndexOptions
	// mu guards the rest.
	mu       sync.Mutex
	sessions map[string]*followed
	queue    []string      // of sessions that the background reads
	wake     chan struct{} // one slot: the queue has grown
	// done of all sessions were read in the background.
	done, all int
}

// followed is a session that the Indexer follows or is to read.
type followed struct {
	Session
	works, runs bool
	gone        bool // it was removed
	// due is when its files are read next; zero: not. heard is when something happened
	// there last.
	due, heard time.Time
	queued     bool // in the queue, or being read in the background
	caught     bool // the index had everything once
	// reads has room for who reads the files; that one has indexing.
	reads    chan struct{}
	indexing indexing
}

func newFollowed(s Session) *followed { return &followed{Session: s, reads: make(chan struct{}, 1)} }

// NewIndexer makes an Indexer that is not running.
func NewIndexer(o IndexOptions) *Indexer {
	return &Indexer{o: o, sessions: map[string]*followed{}, wake: make(chan struct{}, 1)}
}

// Progress is how many of the sessions that the index did not know were read; both are 0 if
// there are none.
func (x *Indexer) Progress() (done, all int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.done == x.all {
		return 0, 0
	}
	return x.done, x.all
}

// Run follows the event log until ctx ends. It waits for what it started.
func (x *Indexer) Run(ctx context.Context) {
	background := contain.Group{Log: x.o.Logger}
	ctx, end := context.WithCancel(ctx)
	defer background.Wait()
	defer end()
	background.Keep(ctx, x.runPast)
	w := x.o.Watch()
	defer w.Close()
	for {
		waiting, cancel := ctx, context.CancelFunc(func() {})
		if due := x.next(); !due.IsZero() {
			waiting, cancel = context.WithDeadline(ctx, due)
		}
		messages, err := w.Next(waiting)
		cancel()
		for i := range messages {
			x.take(&messages[i].WatchMessage, time.Now())
		}
		if err != nil && (!errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil) {
			return
		}
		x.readDue(ctx)
	}
}

// take notes which sessions have to be read.
func (x *Indexer) take(m *api.WatchMessage, now time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if m.Snapshot != nil {
		for _, s := range m.Snapshot.Sessions {
			x.session(s, now)
		}
	}
	if m.Session != nil {
		x.session(*m.Session, now)
	}
	if m.Event != nil {
		if f := x.sessions[m.Event.Session]; f != nil {
			f.touch(now)
		}
	}
	if f := x.sessions[m.Removed]; f != nil {
		f.gone, f.runs, f.works = true, false, false
		x.enqueue(f)
	}
}

// session takes a session's newest value.
func (x *Indexer) session(s api.Session, now time.Time) {
	f, v := x.sessions[s.ID], x.o.Of(s)
	fresh := f == nil
	if fresh {
		if _, reads := x.o.Conversations.o.Agent(v.Agent); !reads {
			return // a shell or a command has no conversation
		}
		f = newFollowed(v)
		x.sessions[s.ID] = f
	}
	f.Session, f.gone = v, false
	f.runs = !f.Ended
	f.works = f.runs && f.Resting.IsZero()
	if fresh && !f.runs {
		x.enqueue(f)
		return
	}
	f.touch(now)
}

// touch says that something happened in the session.
func (f *followed) touch(now time.Time) {
	f.heard = now
	if at := now.Add(indexAfter); f.due.IsZero() || at.Before(f.due) {
		f.due = at
	}
}

// again is when files are read once more: about indexAgain later, at the same moment for all
// sessions, so that the daemon wakes once for them.
func again(now time.Time) time.Time {
	return now.Add(now.Add(indexAgain).Round(indexAgain).Sub(now.Round(0)))
}

// next is when a session is due, zero if none is.
func (x *Indexer) next() (at time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, f := range x.sessions {
		if !f.due.IsZero() && (at.IsZero() || f.due.Before(at)) {
			at = f.due
		}
	}
	return at
}

// readDue reads what is due.
func (x *Indexer) readDue(ctx context.Context) {
	now := time.Now()
	var due []*followed
	x.mu.Lock()
	for _, f := range x.sessions {
		if f.due.IsZero() || f.due.After(now) {
			continue
		}
		f.due = time.Time{}
		if f.queued {
			f.due = again(now)
			continue
		}
		due = append(due, f)
	}
	x.mu.Unlock()
	slices.SortFunc(due, func(a, b *followed) int { return b.heard.Compare(a.heard) })
	for _, f := range due {
		if ctx.Err() != nil {
			return
		}
		x.follow(ctx, f, now)
	}
}

// ReadOn reads what the agent of a session that is followed has written by now, unless the background reads it.
func (x *Indexer) ReadOn(ctx context.Context, session string) {
	x.mu.Lock()
	f := x.sessions[session]
	there := f != nil && !f.queued
	x.mu.Unlock()
	if there {
		x.follow(ctx, f, time.Now())
	}
}

// follow reads a session on, or leaves it to the background if that is much.
func (x *Indexer) follow(ctx context.Context, f *followed, now time.Time) {
	select {
	case f.reads <- struct{}{}:
		defer func() { <-f.reads }()
	case <-ctx.Done():
		return
	}
	x.mu.Lock()
	s, caught := f.Session, f.caught
	x.mu.Unlock()
	if !caught && !f.indexing.small(ctx, x.o, s) {
		x.mu.Lock()
		x.enqueue(f)
		x.mu.Unlock()
		return
	}
	latest, err := f.indexing.read(ctx, x.o, s, nil)
	if err != nil && ctx.Err() == nil {
		x.o.Logger.Warn("a conversation cannot be indexed", "session", s.ID, "error", err)
	}
	x.mu.Lock()
	if f.caught = err == nil; err != nil {
		f.indexing = indexing{}
	}
	runs := f.runs
	if f.due.IsZero() && (f.works || now.Sub(f.heard) < indexLately) {
		f.due = again(now)
	} else if !f.runs && f.due.IsZero() {
		f.indexing = indexing{}
	}
	x.mu.Unlock()
	if latest != nil && runs {
		x.o.Latest(ctx, s.ID, *latest)
	}
}

// enqueue leaves a session to the background, once. Under mu.
func (x *Indexer) enqueue(f *followed) {
	if f.queued {
		return
	}
	f.queued, x.queue, x.all = true, append(x.queue, f.ID), x.all+1
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

// runPast reads sessions in the background: first all that the history knows.
func (x *Indexer) runPast(ctx context.Context) {
	if err := x.enqueuePast(ctx); err != nil && ctx.Err() == nil {
		x.o.Logger.Warn("the conversations of the past cannot be indexed", "error", err)
	}
	for {
		f := x.nextQueued()
		if f == nil {
			select {
			case <-x.wake:
				continue
			case <-ctx.Done():
				return
			}
		}
		select {
		case f.reads <- struct{}{}:
		case <-ctx.Done():
			return
		}
		rest := resting(ctx, x.o.Used)
		err := x.readPast(ctx, f, rest)
		if rest(); ctx.Err() != nil {
			return
		}
		if err != nil {
			x.o.Logger.Warn("a conversation cannot be indexed", "session", f.ID, "error", err)
		}
		x.mu.Lock()
		x.done++
		f.queued, f.caught = false, err == nil
		if !f.runs || err != nil {
			f.indexing = indexing{}
		}
		if f.gone {
			delete(x.sessions, f.ID)
		}
		x.mu.Unlock()
		<-f.reads
	}
}

// enqueuePast queues what the history knows, and forgets what it does not know any more.
func (x *Indexer) enqueuePast(ctx context.Context) error {
	list, err := x.o.Past(ctx)
	if err != nil {
		return err
	}
	known, err := x.o.Index.Sessions(ctx)
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	there := map[string]bool{}
	for _, s := range list {
		there[s.ID] = true
		if x.sessions[s.ID] == nil {
			x.sessions[s.ID] = newFollowed(s)
			x.enqueue(x.sessions[s.ID])
		}
	}
	for _, id := range known {
		if !there[id] && x.sessions[id] == nil {
			x.sessions[id] = newFollowed(Session{ID: id})
			x.sessions[id].gone = true
			x.enqueue(x.sessions[id])
		}
	}
	return nil
}

func (x *Indexer) nextQueued() *followed {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.queue) == 0 {
		return nil
	}
	id := x.queue[0]
	x.queue = x.queue[1:]
	return x.sessions[id]
}

// resting makes a function that waits for a multiple of the processor time that was used
// since it was called last.
func resting(ctx context.Context, used func() time.Duration) func() {
	since := used()
	return func() {
		select {
		case <-time.After(rests * (used() - since)):
		case <-ctx.Done():
		}
		since = used()
	}
}

// readPast reads one session; one that nobody knows any more is forgotten.
func (x *Indexer) readPast(ctx context.Context, f *followed, rest func()) error {
	x.mu.Lock()
	s, gone := f.Session, f.gone
	x.mu.Unlock()
	if gone {
		found, err := x.o.Conversations.o.Session(ctx, s.ID)
		if api.CodeOf(err) == api.CodeNotFound {
			return x.o.Index.Forget(ctx, s.ID)
		}
		if err != nil {
			return err
		}
		s = found
	}
	_, err := f.indexing.read(ctx, x.o, s, rest)
	return err
}

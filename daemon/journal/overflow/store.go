package overflow

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"sync"
	"time"

	"ccdir/api"
)

// Size is the usual size of the file, in bytes: some thousands of hook calls.
const Size = 8 << 20

// retryAfter is when the store is tried again.
const retryAfter = time.Second

// Saver is what usually saves: daemon/store.
type Saver interface {
	// Commit saves events with their numbers and keys, and the records of sessions
	// by id (nil removes one), all or nothing.
	Commit(events []api.Event, keys []string, sessions map[string][]byte) error
	Events(ctx context.Context, f api.EventFilter) ([]api.Event, error)
	Keys(ctx context.Context, session string) ([]string, error)
	Sessions(ctx context.Context) (map[string][]byte, error)
	LastSeq(ctx context.Context) (int64, error)
	KnownID(ctx context.Context, id string) (bool, error)
	KnownKey(ctx context.Context, session, key string) (bool, error)
}

// Options of a Store.
type Options struct {
	// Path is the file, which is made if it is not there; Size in bytes, 0: Size.
	Path string
	Size int64
	// Under is what usually saves.
	Under Saver
	// Changed is told when something begins to be held (why it could not be saved)
	// and when nothing is any more (nil). It may append events. It may be nil.
	Changed func(why error)
	Logger  *slog.Logger
}

// Store is a Saver with a reserve. Make one with Open, end it with Close. Its
// methods may be called at the same time.
type Store struct {
	o   Options
	log *slog.Logger

	// saving is held while something is saved; it guards file and tried, and is
	// taken before mu.
	saving sync.Mutex
	file   *file // nil: there is none
	tried  time.Time

	mu     sync.Mutex // guards what follows; nothing blocks under it
	held   batch      // only grows until it is replaced, so that readers may keep its slices
	closed bool
	// retrying: the goroutine that tries the store runs. why is what the store said
	// when it was started.
	retrying bool
	why      error
	stop     chan struct{}
	work     sync.WaitGroup
}

// batch is what one call of Commit saves, and a record of the file.
type batch struct {
	Events   []api.Event                `json:"events,omitempty"`
	Keys     []string                   `json:"keys,omitempty"`
	Sessions map[string]json.RawMessage `json:"sessions,omitempty"` // null removes
}

func (b *batch) empty() bool { return len(b.Events) == 0 && len(b.Sessions) == 0 }

// add appends c.
func (b *batch) add(c batch) {
	b.Events, b.Keys = append(b.Events, c.Events...), append(b.Keys, c.Keys...)
	if b.Sessions == nil {
		b.Sessions = map[string]json.RawMessage{}
	}
	maps.Copy(b.Sessions, c.Sessions)
}

// records are the sessions as Commit takes them.
func (b *batch) records() map[string][]byte {
	out := map[string][]byte{}
	for id, record := range b.Sessions {
		out[id] = record
		if removed(record) {
			out[id] = nil
		}
	}
	return out
}

func removed(record json.RawMessage) bool { return len(record) == 0 || string(record) == "null" }

// Open opens the reserve and saves what is in it, if the store takes it by now. A
// file that cannot be made or read costs the reserve, which the log tells, and
// nothing else.
func Open(ctx context.Context, o Options) (*Store, error) {
	s := &Store{o: o, log: o.Logger, stop: make(chan struct{})}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	last, err := o.Under.LastSeq(ctx)
	if err != nil {
		return nil, err
	}
	f, records, err := openFile(o.Path, cmp.Or(o.Size, Size))
	if err != nil {
		s.log.Warn("there is no reserve for a full disk", "file", o.Path, "error", err)
		return s, nil
	}
	s.file = f
	left := decode(records, last)
	s.saving.Lock()
	defer s.saving.Unlock()
	if err := s.save(left); err != nil {
		s.hold(left, err)
		return s, nil
	}
	if len(records) > 0 {
		s.empty()
	}
	return s, nil
}

// empty forgets what is in the file, which is saved. A file that cannot be emptied
// is given up: what it has must not come back over what is saved later. Called with
// saving held.
func (s *Store) empty() {
	err := s.file.reset()
	if err == nil {
		return
	}
	s.log.Error("the reserve for a full disk cannot be emptied and is given up until the daemon is started again", "file", s.o.Path, "error", err)
	if err := s.file.giveUp(); err != nil {
		s.log.Error("the reserve that was given up cannot be removed: remove it by hand, or it brings back what is out of date", "file", s.o.Path, "error", err)
	}
	s.file = nil
}

// decode makes one batch of the records, without the events up to last, which the
// store has, and without the sessions that were saved with them.
func decode(records [][]byte, last int64) (left batch) {
	for _, data := range records {
		var b batch
		if json.Unmarshal(data, &b) != nil || len(b.Events) != len(b.Keys) {
			break // what follows belongs to what this was
		}
		known := 0
		for known < len(b.Events) && b.Events[known].Seq <= last {
			known++
		}
		if known > 0 && known == len(b.Events) {
			continue // the store has all of it, and may have newer values
		}
		b.Events, b.Keys = b.Events[known:], b.Keys[known:]
		left.add(b)
	}
	return left
}

// Close tries once more to save what is held, and waits. What is still held then is
// in the file, for the next daemon.
func (s *Store) Close() error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.stop)
	}
	s.mu.Unlock()
	s.work.Wait()
	s.saving.Lock()
	defer s.saving.Unlock()
	if n := s.holding(); n > 0 {
		if err := s.save(batch{}); err != nil {
			s.log.Error("changes are left in the reserve for the next daemon", "changes", n, "error", err)
		}
	}
	if s.file == nil {
		return nil
	}
	err := s.file.close()
	s.file = nil
	return err
}

// Held is why something is held, nil if nothing is.
func (s *Store) Held() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held.empty() {
		return nil
	}
	return s.why
}

func (s *Store) holding() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.held.Events) + len(s.held.Sessions)
}

// Commit saves in the store or, if that fails, in the reserve. The error is the
// store's.
func (s *Store) Commit(events []api.Event, keys []string, sessions map[string][]byte) error {
	s.saving.Lock()
	defer s.saving.Unlock()
	b := batch{Events: events, Keys: keys, Sessions: map[string]json.RawMessage{}}
	for id, record := range sessions {
		b.Sessions[id] = record
	}
	var why error
	if s.holding() == 0 || time.Since(s.tried) >= retryAfter {
		if why = s.save(b); why == nil {
			return nil
		}
	}
	if s.file == nil {
		return why
	}
	data, err := json.Marshal(b)
	if err == nil {
		err = s.file.append(data)
	}
	if err == nil {
		s.hold(b, why)
		return nil
	}
	if why == nil { // it was not tried
		why = s.save(b)
	}
	if why != nil {
		s.log.Error("the reserve takes no more", "error", err)
	}
	return why
}

// save gives the store what is held and b, and forgets what was held. Called with
// saving held.
func (s *Store) save(b batch) error {
	var all batch
	s.mu.Lock()
	had := !s.held.empty()
	all.add(s.held)
	s.mu.Unlock()
	if all.add(b); all.empty() {
		return nil
	}
	err := s.o.Under.Commit(all.Events, all.Keys, all.records())
	s.tried = time.Now() // it may have waited long
	if err != nil || !had {
		return err
	}
	s.mu.Lock()
	s.held = batch{}
	s.mu.Unlock()
	s.empty()
	return nil
}

// hold keeps b in memory, too, and has the store tried again. why is what the store
// said, nil if it was not asked.
func (s *Store) hold(b batch, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held.add(b)
	s.again(why)
}

// again starts the goroutine that tries the store, unless it runs. Called with mu
// held.
func (s *Store) again(why error) {
	if s.retrying || s.closed {
		return
	}
	s.retrying, s.why = true, why
	s.work.Go(func() { s.retry(why) })
}

// retry tries the store until nothing is held.
func (s *Store) retry(why error) {
	s.log.Error("what happens is kept in the reserve until the database takes it", "error", why)
	s.tell(why)
	tick := time.NewTicker(retryAfter)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
		}
		s.saving.Lock()
		if s.holding() > 0 && time.Since(s.tried) >= retryAfter/2 { // else a commit has just done so
			_ = s.save(batch{}) // it is tried again
		}
		s.mu.Lock()
		done := s.held.empty()
		s.retrying = !done
		s.mu.Unlock()
		s.saving.Unlock()
		if done {
			s.log.Info("what was kept in the reserve is in the database")
			s.tell(nil)
			return
		}
	}
}

func (s *Store) tell(why error) {
	if s.o.Changed != nil {
		s.o.Changed(why)
	}
}

package journal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/api/hint"
)

const (
	// retryAfter is the back-off after a commit that the store refused.
	retryAfter = time.Second
	// maxUnwritten bounds the events that are only in memory.
	maxUnwritten = 100_000
)

// backlog holds the changes that the store has not committed, in order: first those in
// the overflow file, then those only in memory. Only run changes it, with mu held;
// readers hold mu. Its slices only grow until they are replaced, so readers may keep
// them.
type backlog struct {
	mu sync.Mutex
	// written is in the overflow file and acknowledged.
	written changes
	// unwritten is only in memory: not acknowledged, lost if the daemon dies.
	unwritten changes
	// lastError is why the store refused the last commit; lastTry is when. Both are
	// zero before the first failure and belong to run.
	lastError error
	lastTry   time.Time
}

// empty reports whether the store has everything. Only run calls it.
func (b *backlog) empty() bool { return b.written.empty() && b.unwritten.empty() }

// durable returns a copy of the acknowledged part.
func (b *backlog) durable() changes {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.written
	c.sessions = maps.Clone(c.sessions)
	return c
}

// events returns all events, acknowledged or not.
func (b *backlog) events() []api.Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.unwritten.events) == 0 {
		return b.written.events
	}
	return append(b.written.events[:len(b.written.events):len(b.written.events)], b.unwritten.events...)
}

func (b *backlog) set(written, unwritten changes) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.written, b.unwritten = written, unwritten
}

// commit makes a batch durable: in the store together with the backlog, else in the
// overflow file. If both refuse, the batch joins the backlog in memory, and the error is
// the store's.
func (l *Log) commit(batch *changes) error {
	var refused error
	tried := l.pending.empty() || time.Since(l.pending.lastTry) >= retryAfter
	if tried {
		if refused = l.save(batch); refused == nil {
			return nil
		}
	}
	spilled := l.spill(batch)
	if spilled == nil {
		return nil
	}
	if !tried {
		if refused = l.save(batch); refused == nil {
			return nil
		}
	}
	l.keepInMemory(batch, spilled)
	return refused
}

// save commits the backlog and the batch in one transaction, and then empties backlog
// and overflow file.
func (l *Log) save(batch *changes) error {
	p := &l.pending
	if p.empty() {
		if batch.empty() {
			return nil
		}
		if err := l.store.Commit(batch.events, batch.keys, batch.sessions); err != nil {
			p.lastError, p.lastTry = err, time.Now() // Commit may have blocked for long
			return err
		}
		return nil
	}
	var all changes
	all.add(&p.written)
	all.add(&p.unwritten)
	all.add(batch)
	if err := l.store.Commit(all.events, all.keys, all.sessions); err != nil {
		p.lastError, p.lastTry = err, time.Now()
		return err
	}
	inFile := !p.written.empty()
	p.set(changes{}, changes{})
	if inFile {
		l.emptyOverflow()
	}
	return nil
}

// errNoOverflow: there is no overflow file, or it was given up.
var errNoOverflow = errors.New("there is no overflow file")

// spill appends the batch to the overflow file, after the part of the backlog that is
// only in memory.
func (l *Log) spill(batch *changes) error {
	p := &l.pending
	record := *batch
	if !p.unwritten.empty() {
		record = changes{}
		record.add(&p.unwritten)
		record.add(batch)
	}
	if l.keepOverflow() { // what it had is in memory now
		record = changes{}
		record.add(&p.unwritten)
		record.add(batch)
	}
	if record.empty() {
		return nil
	}
	if l.overflow == nil {
		return errNoOverflow
	}
	data, err := record.encode()
	if err == nil {
		err = l.overflow.append(data)
	}
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.written.add(&record)
	p.unwritten = changes{}
	return nil
}

// keepOverflow makes a new overflow file if somebody removed it; replaced: the backlog is
// in memory alone now, and the next spill writes it to the new file.
func (l *Log) keepOverflow() (replaced bool) {
	if l.overflow == nil && !l.removed || l.overflow != nil && l.overflow.inPlace() {
		return false
	}
	if l.overflow != nil { // its records are lost with this process
		_ = l.overflow.close()
		l.overflow, l.removed = nil, true
		var all changes
		all.add(&l.pending.written)
		all.add(&l.pending.unwritten)
		l.pending.set(changes{}, all)
		replaced = true
	}
	err := os.MkdirAll(filepath.Dir(l.o.Overflow), 0o700)
	var file *overflowFile
	if err == nil {
		file, _, err = openOverflow(l.o.Overflow, l.o.OverflowSize)
	}
	if err == nil {
		err = file.reset() // it may be a copy of an older one
	}
	if err != nil {
		l.log.Warn("the overflow file was removed and cannot be made again", "file", l.o.Overflow, "error", err)
		return replaced
	}
	l.overflow, l.removed = file, false
	l.log.Warn("the overflow file was removed and is made again", "file", l.o.Overflow)
	return replaced
}

// keepInMemory adds the batch to the part of the backlog that is not durable.
func (l *Log) keepInMemory(batch *changes, spilled error) {
	p := &l.pending
	p.mu.Lock()
	p.unwritten.add(batch)
	dropped := p.unwritten.trim(maxUnwritten)
	p.mu.Unlock()
	if dropped > 0 {
		l.dropped += dropped
	}
	if now := time.Now(); now.Sub(l.logged) >= logEvery {
		l.logged = now
		l.log.Error("cannot save events, will try again", "waiting", len(p.unwritten.events), "dropped", l.dropped, "error", p.lastError, "overflow", spilled)
	}
}

// logEvery is the least time between log lines about a backlog that is not durable.
const logEvery = time.Minute

// stage is how far the changes of late are durable.
type stage int

const (
	inStore    stage = iota
	inOverflow       // in the overflow file: acknowledged
	inMemory         // some are in memory alone: not acknowledged
)

func (b *backlog) stage() stage {
	switch {
	case !b.unwritten.empty():
		return inMemory
	case !b.written.empty():
		return inOverflow
	}
	return inStore
}

// announce appends an event when the stage of the backlog changes.
func (l *Log) announce() {
	now := l.pending.stage()
	if now == l.announced {
		return
	}
	l.announced = now
	var message string
	err := l.pending.lastError
	switch now {
	case inStore:
		l.logged, l.dropped = time.Time{}, 0
		l.log.Info("what the overflow file kept is in the database")
		message = "the database takes changes again: what the overflow file kept is saved"
	case inOverflow:
		l.log.Error("changes are kept in the overflow file until the database takes them", "error", err)
		message = fmt.Sprintf("changes can't be saved in the database and are kept in the overflow file (%v)%s", err, hint.Of(err))
	case inMemory:
		message = fmt.Sprintf("changes can't be saved, not in the overflow file either, and are lost if the daemon ends (%v)%s", err, hint.Of(err))
	}
	unsaved := ""
	if now != inStore {
		unsaved = message
	}
	l.mu.Lock()
	l.unsaved = unsaved
	l.mu.Unlock()
	l.handle([]entry{{msg: api.WatchMessage{Event: &api.Event{At: time.Now().UTC(), Type: api.EventStoreHeld, Source: "daemon", Message: message}}}})
}

// replay opens the overflow file and commits the records of the previous daemon. If the
// store still refuses, they are the backlog.
func (l *Log) replay(ctx context.Context) error {
	last, err := l.store.LastSeq(ctx)
	if err != nil || l.o.Overflow == "" {
		return err
	}
	file, records, err := openOverflow(l.o.Overflow, l.o.OverflowSize)
	if err != nil {
		l.log.Warn("there is no overflow file for a full disk", "file", l.o.Overflow, "error", err)
		return nil
	}
	l.overflow = file
	left := decode(records, last)
	if err := l.save(&left); err != nil {
		l.pending.set(left, changes{})
	} else if len(records) > 0 {
		l.emptyOverflow()
	}
	return nil
}

// emptyOverflow deletes the records of the overflow file, which the store has. A file
// that cannot be emptied is given up: its records must not overwrite later values when
// the next daemon replays them.
func (l *Log) emptyOverflow() {
	if l.overflow == nil {
		return
	}
	err := l.overflow.reset()
	if err == nil {
		return
	}
	l.log.Error("the overflow file cannot be emptied and is not used until the daemon is started again", "file", l.overflow.path(), "error", err)
	if err := l.overflow.giveUp(); err != nil {
		l.log.Error("the overflow file that cannot be emptied cannot be removed either: remove it by hand, or the next daemon replays outdated changes", "file", l.overflow.path(), "error", err)
	}
	l.overflow = nil
}

// finish tries the store once more and closes the overflow file.
func (l *Log) finish() {
	if !l.pending.empty() {
		if err := l.save(&changes{}); err != nil {
			p := &l.pending
			l.log.Error("changes are left in the overflow file for the next daemon", "changes", len(p.written.events)+len(p.written.sessions),
				"lost", len(p.unwritten.events)+len(p.unwritten.sessions), "error", err)
		}
	}
	l.closeOverflow()
}

func (l *Log) closeOverflow() {
	if l.overflow == nil {
		return
	}
	if err := l.overflow.close(); err != nil {
		l.log.Error("the overflow file was not closed well", "error", err)
	}
	l.overflow = nil
}

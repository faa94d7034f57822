// Package agenda says which key is looked at next, and when: a schedule for loops that ask
// again and again about directories, but rest.
//
// Contract: a key is planned once at most, and the latest wins: planning it again moves its
// time, and adds nothing. A key that rests is not due before its rest is over, nor is any key
// while all rest. An urgent key comes before the others, and does not wait for the first part
// of a rest (Options.Patience). Of the keys that are due, the one that was planned for the
// earliest time comes first. At most MaxKeys keys are kept; if that many are planned or rest, a
// further one is refused, and planned when something happens there again.
//
// Methods may be called at the same time, from any goroutine; none but Wait blocks, and one
// goroutine at a time waits. An Agenda has no goroutine.
package agenda

import (
	"context"
	"sync"
	"time"
)

// MaxKeys bounds the keys of one Agenda.
const MaxKeys = 4096

// Options are the times of an Agenda. Zero values mean none.
type Options struct {
	// Settle is how long after its last event a key is due, AtMost the longest time after the
	// first one.
	Settle, AtMost time.Duration
	// Patience is how much of a rest an urgent key does not wait for.
	Patience time.Duration
}

// Agenda is a schedule. Make one with New.
type Agenda struct {
	o Options
	// wake says that something was planned; one slot.
	wake chan struct{}

	mu   sync.Mutex // guards what follows
	keys map[string]*entry
	// planned counts plans, for the order of those for the same time.
	planned uint64
	// rested is when the rest of all keys is over.
	rested time.Time
}

// entry is what is known of a key. Zero times: not planned, never taken, no rest.
type entry struct {
	// due is when the key is planned, latest the latest time to which events put it off.
	due, latest time.Time
	// order is the number of its plan, urgent whether others wait for it.
	order  uint64
	urgent bool
	// rested is when the rest of this key is over, taken when it was taken last.
	rested, taken time.Time
}

// New makes an Agenda on which nothing is planned.
func New(o Options) *Agenda {
	return &Agenda{o: o, wake: make(chan struct{}, 1), keys: map[string]*entry{}}
}

// Plan makes a key due at a time, unless it is planned for an earlier one.
func (a *Agenda) Plan(key string, at time.Time) {
	a.plan(key, func(e *entry) {
		if e.due.IsZero() || at.Before(e.due) {
			e.due, e.latest = at, at
		}
	})
}

// Urge makes a key urgent, and due now.
func (a *Agenda) Urge(key string) {
	a.plan(key, func(e *entry) {
		if !e.urgent {
			e.urgent, e.due, e.latest = true, time.Now(), time.Now()
			e.order = a.planned
		}
	})
}

// Settle plans a key after an event: Options.Settle after the last one, and at the latest
// Options.AtMost after the first.
func (a *Agenda) Settle(key string) {
	a.plan(key, func(e *entry) {
		now := time.Now()
		if e.due.IsZero() {
			e.latest = now.Add(a.o.AtMost)
		}
		e.due = earlier(now.Add(a.o.Settle), e.latest)
	})
}

// plan changes the plan of a key, and wakes whoever waits.
func (a *Agenda) plan(key string, change func(*entry)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	e := a.entry(key)
	if e == nil {
		return
	}
	a.planned++
	if e.due.IsZero() {
		e.order = a.planned
	}
	change(e)
	select {
	case a.wake <- struct{}{}:
	default: // it will look
	}
}

// Cancel takes a key off. Its rest stays.
func (a *Agenda) Cancel(key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if e := a.keys[key]; e != nil {
		e.due, e.urgent = time.Time{}, false
	}
}

// Rest has a key rest until a time, in place of a rest that was said before.
func (a *Agenda) Rest(key string, until time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if e := a.entry(key); e != nil {
		e.rested = until
	}
}

// RestAll has all keys rest for a time, after the rests of all until now. Time in which nothing
// rested is not made up for.
func (a *Agenda) RestAll(long time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rested = later(a.rested, time.Now()).Add(long)
}

// Resting reports whether a key itself rests.
func (a *Agenda) Resting(key string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	e := a.keys[key]
	return e != nil && time.Now().Before(e.rested)
}

// Taken returns when a key was taken last; zero: never, or it is forgotten.
func (a *Agenda) Taken(key string) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	if e := a.keys[key]; e != nil {
		return e.taken
	}
	return time.Time{}
}

// Next returns when a key is due next; zero: nothing is planned.
func (a *Agenda) Next() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, at := a.first(time.Now())
	return at
}

// Take takes a key off that is due; false: none is.
func (a *Agenda) Take() (key string, ok bool) {
	key, ok, _ = a.take()
	return key, ok
}

// Wait is Take that waits until a key is due; false: ctx has ended.
func (a *Agenda) Wait(ctx context.Context) (key string, ok bool) {
	for ctx.Err() == nil {
		key, ok, at := a.take()
		if ok {
			return key, true
		}
		var due <-chan time.Time
		if !at.IsZero() {
			due = time.After(time.Until(at))
		}
		select {
		case <-a.wake:
		case <-due:
		case <-ctx.Done():
		}
	}
	return "", false
}

// take is Take, and returns when the next key is due if none is now.
func (a *Agenda) take() (key string, ok bool, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	key, at = a.first(now)
	if at.IsZero() || now.Before(at) {
		return "", false, at
	}
	e := a.keys[key]
	e.due, e.urgent, e.taken = time.Time{}, false, now
	return key, true, at
}

// first returns the key that comes next and when it is due, which is now at the earliest; zero:
// none is planned.
func (a *Agenda) first(now time.Time) (key string, at time.Time) {
	var best *entry
	for k, e := range a.keys {
		if e.due.IsZero() {
			continue
		}
		rested := later(a.rested, e.rested)
		if e.urgent {
			rested = rested.Add(-a.o.Patience)
		}
		t := later(now, later(e.due, rested))
		if best == nil || t.Before(at) || t.Equal(at) && e.before(best) {
			key, at, best = k, t, e
		}
	}
	return key, at
}

// before reports whether an entry comes before another that may be taken at the same time.
func (e *entry) before(other *entry) bool {
	if e.urgent != other.urgent {
		return e.urgent
	}
	if !e.due.Equal(other.due) {
		return e.due.Before(other.due)
	}
	return e.order < other.order
}

// entry returns that of a key, which it makes; nil if there is no room. What is neither planned
// nor rests makes room.
func (a *Agenda) entry(key string) *entry {
	if e := a.keys[key]; e != nil {
		return e
	}
	if len(a.keys) >= MaxKeys {
		now := time.Now()
		for k, e := range a.keys {
			if e.due.IsZero() && !now.Before(e.rested) {
				delete(a.keys, k)
			}
		}
	}
	if len(a.keys) >= MaxKeys {
		return nil
	}
	e := &entry{}
	a.keys[key] = e
	return e
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

package journal

import (
	"cmp"
	"context"
	"slices"

	"ccdir/api"
)

// The store's limits of one read.
const (
	defaultLimit = 1000
	maxLimit     = 10_000
)

// The readers below take the backlog first and the store after it: changes that are
// committed in between are seen twice instead of not at all.

// Events reads events, oldest first, as api.EventFilter says.
func (l *Log) Events(ctx context.Context, f Filter) ([]api.Event, error) {
	pending := l.pending.events()
	f.Limit = min(cmp.Or(max(f.Limit, 0), defaultLimit), maxLimit)
	list, err := l.store.Events(ctx, f)
	if err != nil || len(pending) == 0 || f.Since != 0 && len(list) >= f.Limit { // the store has more
		return list, err
	}
	last := int64(0)
	if n := len(list); n > 0 {
		last = list[n-1].Seq
	}
	for _, e := range pending {
		if e.Seq > last && f.Matches(e) {
			list = append(list, e)
		}
	}
	if len(list) <= f.Limit {
		return list, nil
	}
	if f.Since == 0 { // the newest
		return list[len(list)-f.Limit:], nil
	}
	return list[:f.Limit], nil
}

// Keys returns the newest keys of a session's durable events, newest first.
func (l *Log) Keys(ctx context.Context, session string) ([]string, error) {
	pending := l.pending.durable()
	stored, err := l.store.Keys(ctx, session)
	if err != nil {
		return nil, err
	}
	var keys []string
	for i, e := range slices.Backward(pending.events) {
		if e.Session == session && pending.keys[i] != "" {
			keys = append(keys, pending.keys[i])
		}
	}
	return append(keys, stored...), nil
}

// Records returns the durable records of the sessions that are not removed, by id.
func (l *Log) Records(ctx context.Context) (map[string][]byte, error) {
	pending := l.pending.durable()
	records, err := l.store.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	for id, record := range pending.sessions {
		if record == nil {
			delete(records, id)
		} else {
			records[id] = record
		}
	}
	return records, nil
}

// KnownID reports whether a session of that id ever existed.
func (l *Log) KnownID(ctx context.Context, id string) (bool, error) {
	if _, ok := l.pending.durable().sessions[id]; ok {
		return true, nil
	}
	return l.store.KnownID(ctx, id)
}

// KnownKey reports whether a durable event of the session has that key.
func (l *Log) KnownKey(ctx context.Context, session, key string) (bool, error) {
	pending := l.pending.durable()
	for i, e := range pending.events {
		if e.Session == session && pending.keys[i] == key {
			return true, nil
		}
	}
	return l.store.KnownKey(ctx, session, key)
}

// lastSeq is the number of the newest event, 0 if there is none.
func (l *Log) lastSeq(ctx context.Context) (int64, error) {
	last, err := l.store.LastSeq(ctx)
	if events := l.pending.durable().events; len(events) > 0 {
		last = max(last, events[len(events)-1].Seq)
	}
	return last, err
}

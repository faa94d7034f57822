package overflow

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

// kept is what is held at this moment; its slices and map are the caller's.
func (s *Store) kept() batch {
	var b batch
	s.mu.Lock()
	defer s.mu.Unlock()
	b.add(s.held)
	return b
}

// Events reads events, oldest first, as api.EventFilter says.
func (s *Store) Events(ctx context.Context, f api.EventFilter) ([]api.Event, error) {
	// What is held is looked at first: saved meanwhile, it is there twice and not
	// missing.
	held := s.kept().Events
	f.Limit = min(cmp.Or(max(f.Limit, 0), defaultLimit), maxLimit)
	list, err := s.o.Under.Events(ctx, f)
	if err != nil || len(held) == 0 || f.Since != 0 && len(list) >= f.Limit { // or it goes on in the store
		return list, err
	}
	last := int64(0)
	if n := len(list); n > 0 {
		last = list[n-1].Seq
	}
	for _, e := range held {
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

// Keys returns the newest keys of a session's events, newest first.
func (s *Store) Keys(ctx context.Context, session string) ([]string, error) {
	held := s.kept()
	list, err := s.o.Under.Keys(ctx, session)
	if err != nil {
		return nil, err
	}
	var own []string
	for i, e := range slices.Backward(held.Events) {
		if e.Session == session && held.Keys[i] != "" {
			own = append(own, held.Keys[i])
		}
	}
	return append(own, list...), nil
}

// Sessions returns the records of the sessions that are not removed, by id.
func (s *Store) Sessions(ctx context.Context) (map[string][]byte, error) {
	held := s.kept()
	records, err := s.o.Under.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	for id, record := range held.records() {
		if record == nil {
			delete(records, id)
		} else {
			records[id] = record
		}
	}
	return records, nil
}

// LastSeq is the number of the newest event, 0 if there is none.
func (s *Store) LastSeq(ctx context.Context) (int64, error) {
	held := s.kept().Events
	last, err := s.o.Under.LastSeq(ctx)
	if n := len(held); n > 0 {
		last = max(last, held[n-1].Seq)
	}
	return last, err
}

// KnownID reports whether a session of that id ever existed.
func (s *Store) KnownID(ctx context.Context, id string) (bool, error) {
	if _, ok := s.kept().Sessions[id]; ok {
		return true, nil
	}
	return s.o.Under.KnownID(ctx, id)
}

// KnownKey reports whether an event of the session with that key is kept.
func (s *Store) KnownKey(ctx context.Context, session, key string) (bool, error) {
	held := s.kept() // looked at first, as in Events
	for i, e := range held.Events {
		if e.Session == session && held.Keys[i] == key {
			return true, nil
		}
	}
	return s.o.Under.KnownKey(ctx, session, key)
}

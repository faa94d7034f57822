package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"ccdir/api"
)

// memory is a store in memory. fail makes commits fail; gate, if set, holds each
// commit back until something is received from it.
type memory struct {
	mu       sync.Mutex
	fail     error
	gate     chan struct{}
	commits  int // that worked
	events   []api.Event
	keys     []string
	sessions map[string][]byte
}

func (m *memory) Commit(events []api.Event, keys []string, sessions map[string][]byte) error {
	m.mu.Lock()
	gate, fail := m.gate, m.fail
	m.mu.Unlock()
	if gate != nil {
		<-gate
	}
	if fail != nil {
		return fail
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.commits++
	m.events, m.keys = append(m.events, events...), append(m.keys, keys...)
	if m.sessions == nil {
		m.sessions = map[string][]byte{}
	}
	for id, record := range sessions {
		if m.sessions[id] = record; record == nil {
			delete(m.sessions, id)
		}
	}
	return nil
}

func (m *memory) Events(_ context.Context, f api.EventFilter) (list []api.Event, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.events {
		if f.Matches(e) {
			list = append(list, e)
		}
	}
	if f.Since == 0 {
		return list[max(0, len(list)-f.Limit):], nil
	}
	return list[:min(len(list), f.Limit)], nil
}

func (m *memory) Keys(_ context.Context, session string) (keys []string, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, e := range slices.Backward(m.events) {
		if e.Session == session && m.keys[i] != "" {
			keys = append(keys, m.keys[i])
		}
	}
	return keys, nil
}

func (m *memory) Sessions(context.Context) (map[string][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.sessions), nil
}

func (m *memory) LastSeq(context.Context) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.events) == 0 {
		return 0, nil
	}
	return m.events[len(m.events)-1].Seq, nil
}

func (m *memory) KnownID(_ context.Context, id string) (bool, error) {
	return m.sessions[id] != nil, nil
}

func (m *memory) KnownKey(_ context.Context, session, key string) (bool, error) {
	keys, err := m.Keys(context.Background(), session)
	return slices.Contains(keys, key), err
}

func (m *memory) refuse(fail error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = fail
}

func (m *memory) saved() []api.Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.events)
}

func (m *memory) session(id string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return string(m.sessions[id])
}

// place is a log over a store and an overflow file.
type place struct {
	*testing.T
	path  string
	size  int64
	store *memory
	*Log
}

func newPlace(t *testing.T, size int64) *place {
	return &place{T: t, path: filepath.Join(t.TempDir(), "reserve"), size: size, store: &memory{}}
}

func (p *place) open() {
	p.Helper()
	var err error
	if p.Log, err = Open(context.Background(), Options{Store: p.store, Overflow: p.path, OverflowSize: p.size}); err != nil {
		p.Fatal(err)
	}
}

// kill ends the log as a kill of its daemon would: the file keeps its records.
func (p *place) kill() {
	p.Helper()
	before := p.store.fail
	p.store.refuse(errDisk)
	p.Close()
	p.store.refuse(before)
}

// commit appends an event of session s with a key, and the session.
func (p *place) commit(n int) error {
	msg := api.WatchMessage{Event: &api.Event{Session: "s", Type: "t", At: time.Unix(int64(n), 5).UTC(), Message: strconv.Itoa(n), Data: json.RawMessage(`{"n":1}`)},
		Session: &api.Session{ID: "s"}}
	return <-p.Append(msg, fmt.Appendf(nil, `{"at":%d}`, n), fmt.Sprint("k", n))
}

// numbers are those of the events that commit made.
func (p *place) numbers(f api.EventFilter) (list []int) {
	p.Helper()
	events, err := p.Events(context.Background(), f)
	if err != nil {
		p.Fatal(err)
	}
	return numbersOf(events)
}

func numbersOf(events []api.Event) (list []int) {
	for _, e := range events {
		if n, err := strconv.Atoi(e.Message); err == nil {
			list = append(list, n)
		}
	}
	return list
}

// announced are the messages that tell of the overflow file.
func (p *place) announced() (list []string) {
	for _, e := range p.store.saved() {
		if e.Type == api.EventStoreHeld {
			list = append(list, e.Message)
		}
	}
	return list
}

func (p *place) want(what string, got, want any) {
	p.Helper()
	if !reflect.DeepEqual(got, want) {
		p.Errorf("%s: got %v, want %v", what, got, want)
	}
}

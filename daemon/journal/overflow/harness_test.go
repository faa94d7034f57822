package overflow

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"ccdir/api"
)

// under is a store in memory. fail makes commits fail.
type under struct {
	mu       sync.Mutex
	fail     error
	tries    int
	events   []api.Event
	keys     []string
	sessions map[string][]byte
}

func (u *under) Commit(events []api.Event, keys []string, sessions map[string][]byte) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.tries++
	if u.fail != nil {
		return u.fail
	}
	u.events, u.keys = append(u.events, events...), append(u.keys, keys...)
	if u.sessions == nil {
		u.sessions = map[string][]byte{}
	}
	for id, record := range sessions {
		if u.sessions[id] = record; record == nil {
			delete(u.sessions, id)
		}
	}
	return nil
}

func (u *under) Events(_ context.Context, f api.EventFilter) (list []api.Event, _ error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, e := range u.events {
		if f.Matches(e) {
			list = append(list, e)
		}
	}
	if f.Since == 0 {
		return list[max(0, len(list)-f.Limit):], nil
	}
	return list[:min(len(list), f.Limit)], nil
}

func (u *under) Keys(_ context.Context, session string) (keys []string, _ error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for i, e := range slices.Backward(u.events) {
		if e.Session == session && u.keys[i] != "" {
			keys = append(keys, u.keys[i])
		}
	}
	return keys, nil
}

func (u *under) Sessions(context.Context) (map[string][]byte, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return maps.Clone(u.sessions), nil
}

func (u *under) LastSeq(context.Context) (int64, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.events) == 0 {
		return 0, nil
	}
	return u.events[len(u.events)-1].Seq, nil
}

func (u *under) KnownID(_ context.Context, id string) (bool, error) {
	return u.sessions[id] != nil, nil
}

func (u *under) KnownKey(_ context.Context, session, key string) (bool, error) {
	keys, err := u.Keys(context.Background(), session)
	return slices.Contains(keys, key), err
}

func (u *under) set(fail error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.fail = fail
}

// place is a store over a file.
type place struct {
	*testing.T
	path  string
	size  int64
	under *under
	*Store
	mu   sync.Mutex // guards told
	told []string
}

func newPlace(t *testing.T, size int64) *place {
	return &place{T: t, path: filepath.Join(t.TempDir(), "reserve"), size: size, under: &under{}}
}

func (p *place) open() {
	p.Helper()
	var err error
	p.Store, err = Open(context.Background(), Options{Path: p.path, Size: p.size, Under: p.under, Changed: func(why error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.told = append(p.told, fmt.Sprint(why))
	}})
	if err != nil {
		p.Fatal(err)
	}
}

// commit saves one event of session s with a key, and the session.
func (p *place) commit(seq int64) error {
	return p.Commit([]api.Event{{Seq: seq, Session: "s", Type: "t", At: time.Unix(seq, 5).UTC(), Data: json.RawMessage(`{"n":1}`)}},
		[]string{fmt.Sprint("k", seq)}, map[string][]byte{"s": fmt.Appendf(nil, `{"at":%d}`, seq)})
}

func (p *place) seqs(f api.EventFilter) (list []int64) {
	p.Helper()
	events, err := p.Store.Events(context.Background(), f)
	if err != nil {
		p.Fatal(err)
	}
	for _, e := range events {
		list = append(list, e.Seq)
	}
	return list
}

func (p *place) want(what string, got, want any) {
	p.Helper()
	if !reflect.DeepEqual(got, want) {
		p.Errorf("%s: got %v, want %v", what, got, want)
	}
}

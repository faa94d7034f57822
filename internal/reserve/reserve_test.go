package reserve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/internal/api"
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

var errDisk = errors.New("disk full")

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

// TestHeld: what the store refuses is acknowledged, read as if it were saved, and
// saved in order when the store takes it again.
func TestHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace(t, 1<<20)
		p.open()
		ctx := context.Background()
		p.want("saved", p.commit(1), nil)
		p.under.set(errDisk)
		for seq := int64(2); seq <= 4; seq++ {
			p.want("held", p.commit(seq), nil)
		}
		p.want("removed", p.Commit(nil, nil, map[string][]byte{"gone": []byte("{}")}), nil)
		p.want("removed", p.Commit(nil, nil, map[string][]byte{"gone": nil}), nil)
		p.want("all", p.seqs(api.EventFilter{Since: -1}), []int64{1, 2, 3, 4})
		p.want("since", p.seqs(api.EventFilter{Since: 2, Limit: 1}), []int64{3})
		p.want("limited", p.seqs(api.EventFilter{Since: -1, Limit: 2}), []int64{1, 2})
		p.want("one in the store", p.seqs(api.EventFilter{Since: -1, Limit: 1}), []int64{1})
		p.want("newest", p.seqs(api.EventFilter{Limit: 2}), []int64{3, 4})
		p.want("before", p.seqs(api.EventFilter{Before: 3}), []int64{1, 2})
		p.want("another session", p.seqs(api.EventFilter{Since: -1, Session: "x"}), []int64(nil))
		keys, _ := p.Keys(ctx, "s")
		p.want("keys", keys, []string{"k4", "k3", "k2", "k1"})
		last, _ := p.LastSeq(ctx)
		p.want("last", last, int64(4))
		sessions, _ := p.Sessions(ctx)
		p.want("sessions", sessions, map[string][]byte{"s": []byte(`{"at":4}`)})
		known, _ := p.KnownID(ctx, "gone")
		p.want("known", known, true)
		for _, key := range []string{"k1", "k3"} { // in the store, and held
			known, _ = p.KnownKey(ctx, "s", key)
			p.want(key, known, true)
		}
		known, _ = p.KnownKey(ctx, "x", "k3")
		p.want("of another session", known, false)
		if p.Held() == nil {
			t.Error("nothing is said to be held")
		}
		p.under.set(nil)
		time.Sleep(2 * retryAfter) // the fake clock: it tries again by itself
		synctest.Wait()
		p.want("in the store", len(p.under.events), 4)
		p.want("keys in the store", p.under.keys, []string{"k1", "k2", "k3", "k4"})
		p.want("a session in the store", string(p.under.sessions["s"]), `{"at":4}`)
		p.want("held", p.Held(), nil)
		p.want("told", p.told, []string{"disk full", "<nil>"})
		p.want("saved", p.commit(5), nil)
		p.want("data", string(p.under.events[3].Data), `{"n":1}`)
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestNextDaemon: what was acknowledged is there after a kill, once, in whichever
// place it was.
func TestNextDaemon(t *testing.T) {
	p := newPlace(t, 1<<20)
	p.open()
	_ = p.commit(1)
	p.under.set(errDisk)
	_, _ = p.commit(2), p.commit(3)
	// Killed: nothing is closed. The store still refuses when the next one starts.
	killed := p.Store
	p.open()
	p.want("all", p.seqs(api.EventFilter{Since: -1}), []int64{1, 2, 3})
	p.want("held", p.commit(4), nil)
	second := p.Store
	// The third finds room.
	p.under.set(nil)
	p.open()
	p.want("in the store", len(p.under.events), 4)
	p.want("held", p.Held(), nil)
	third := p.Store
	// Killed between the store's commit and the emptying of the file.
	p.under.set(errDisk)
	_ = p.commit(5)
	p.under.set(nil)
	_ = p.under.Commit([]api.Event{{Seq: 5}}, []string{"k5"}, nil)
	p.open()
	p.want("once", len(p.under.events), 5)
	_ = p.Close()
	for _, s := range []*Store{killed, second, third} {
		s.mu.Lock()
		s.held = batch{} // only their goroutines are ended
		s.mu.Unlock()
		_ = s.Close()
	}
}

// TestCannotBeEmptied: a file whose head cannot be written is given up, which
// stops no daemon, and what is in it does not come back over newer values.
func TestCannotBeEmptied(t *testing.T) {
	p := newPlace(t, 1<<20)
	p.open()
	p.under.set(errDisk)
	p.want("held", p.commit(1), nil)
	p.under.set(nil)
	// Nothing can be written to the file any more.
	readOnly, err := os.Open(p.path)
	if err != nil {
		t.Fatal(err)
	}
	p.Store.saving.Lock()
	p.Store.file.f.Close()
	p.Store.file.f = readOnly
	p.Store.tried = time.Time{}
	p.Store.saving.Unlock()
	p.want("saved", p.commit(2), nil)
	p.want("in the store", len(p.under.events), 2)
	p.want("still saved", p.commit(3), nil)
	p.under.set(errDisk)
	p.want("nothing is promised without a file", p.commit(4), errDisk)
	p.under.set(nil)
	p.want("closed", p.Close(), nil)
	p.open()
	p.want("of the next one", string(p.under.sessions["s"]), `{"at":3}`)
	p.want("closed", p.Close(), nil)
}

// TestNotOverNewer: a record whose events the store has says nothing about sessions
// any more.
func TestNotOverNewer(t *testing.T) {
	p := newPlace(t, 1<<20)
	p.open()
	p.under.set(errDisk)
	p.want("held", p.commit(1), nil)
	killed := p.Store
	killed.mu.Lock()
	killed.held = batch{} // only its goroutine is to be ended
	killed.mu.Unlock()
	p.under.set(nil)
	// The store took it, the head was not written, and the store went on.
	_ = p.under.Commit([]api.Event{{Seq: 1}, {Seq: 2}}, []string{"k1", "k2"}, map[string][]byte{"s": []byte(`{"at":2}`)})
	p.open()
	p.want("a session", string(p.under.sessions["s"]), `{"at":2}`)
	p.want("events", len(p.under.events), 2)
	p.want("closed", p.Close(), nil)
	_ = killed.Close()
}

// TestFull: when the file is full nothing is promised any more; what was promised
// stays.
func TestFull(t *testing.T) {
	p := newPlace(t, recordsAt+700)
	p.open()
	p.under.set(errDisk)
	kept := int64(0)
	for seq := int64(1); seq < 20; seq++ {
		err := p.commit(seq)
		if err == nil && kept == seq-1 {
			kept = seq
		} else if !errors.Is(err, errDisk) {
			t.Fatalf("event %d after %d kept: %v", seq, kept, err)
		}
	}
	if kept < 2 || kept > 10 {
		t.Errorf("%d are kept", kept)
	}
	p.want("all", p.seqs(api.EventFilter{Since: -1})[kept-1], kept)
	p.under.set(nil)
	p.want("with room", p.commit(20), nil)
	p.want("in the store", int64(len(p.under.events)), kept+1)
	_ = p.Close()
}

// TestNoFile: without a reserve it is the store alone.
func TestNoFile(t *testing.T) {
	p := newPlace(t, 1<<20)
	p.path = filepath.Join(p.path, "no", "directory")
	p.open()
	p.want("saved", p.commit(1), nil)
	p.under.set(errDisk)
	p.want("refused", p.commit(2), errDisk)
	p.want("closed", p.Close(), nil)
}

// TestFile: what a torn write, another generation or damage leaves is no record.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reserve")
	f, records, err := openFile(path, 64<<10)
	if err != nil || len(records) != 0 {
		t.Fatal(records, err)
	}
	for _, text := range []string{"one", "two", "three"} {
		if err := f.append([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	again := func() []string {
		t.Helper()
		f, records, err := openFile(path, 64<<10)
		if err != nil {
			t.Fatal(err)
		}
		defer f.close()
		var list []string
		for _, r := range records {
			list = append(list, string(r))
		}
		return list
	}
	if got := again(); !slices.Equal(got, []string{"one", "two", "three"}) {
		t.Errorf("found %q", got)
	}
	if err := f.reset(); err != nil {
		t.Fatal(err)
	}
	if err := f.append([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if got := again(); !slices.Equal(got, []string{"new"}) { // "two" lies right behind it
		t.Errorf("after a reset: %q", got)
	}
	if err := f.append([]byte("more")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.f.WriteAt([]byte("X"), f.at-1); err != nil {
		t.Fatal(err)
	}
	if got := again(); !slices.Equal(got, []string{"new"}) {
		t.Errorf("with a torn record: %q", got)
	}
	// A header that was not written whole leaves the one before.
	if _, err := f.f.WriteAt(make([]byte, headerSize), int64((f.generation+1)%2)*slotSize); err != nil {
		t.Fatal(err)
	}
	if got := again(); !slices.Equal(got, []string{"new"}) {
		t.Errorf("with one header: %q", got)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() != 64<<10 || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

func FuzzRecords(f *testing.F) {
	dir := f.TempDir()
	file, _, err := openFile(filepath.Join(dir, "seed"), recordsAt+512)
	if err != nil {
		f.Fatal(err)
	}
	for _, b := range []batch{{Events: []api.Event{{Seq: 3, Type: "t"}}, Keys: []string{"k"}}, {Sessions: map[string]json.RawMessage{"s": json.RawMessage("null")}}} {
		data, err := json.Marshal(b)
		if err != nil {
			f.Fatal(err)
		}
		if err := file.append(data); err != nil {
			f.Fatal(err)
		}
	}
	whole, err := os.ReadFile(filepath.Join(dir, "seed"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:recordsAt])
	f.Add([]byte(strings.Repeat("x", 100)))
	f.Fuzz(func(t *testing.T, data []byte) {
		generation, ok := readHeader(data)
		if !ok {
			generation = 1
		}
		body := data[min(len(data), recordsAt):]
		records, used := readRecords(bytes.NewReader(body), generation, int64(len(body)))
		if used > int64(len(body)) {
			t.Errorf("%d bytes of %d are records", used, len(body))
		}
		if left := decode(append(records, body), 2); len(left.Events) != len(left.Keys) {
			t.Errorf("%d events with %d keys", len(left.Events), len(left.Keys))
		}
	})
}

// TestDamagedFile: whatever the file was, it can be used.
func TestDamagedFile(t *testing.T) {
	for _, data := range []string{"", "x", strings.Repeat("x", 100), fileMagic + strings.Repeat("\xff", 2000), strings.Repeat("\x01", 20_000)} {
		path := filepath.Join(t.TempDir(), "r")
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		r, records, err := openFile(path, 8<<10)
		if err != nil || len(records) != 0 || r.reset() != nil || r.append([]byte("mine")) != nil {
			t.Fatalf("%.20q: %q, %v", data, records, err)
		}
		r.close()
		if r, records, err = openFile(path, 8<<10); err != nil || len(records) != 1 || string(records[0]) != "mine" {
			t.Fatalf("%.20q, used: %q, %v", data, records, err)
		}
		r.close()
	}
}

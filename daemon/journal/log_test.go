package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/api"
)

func open(t testing.TB, o Options) *Log {
	t.Helper()
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func event(message string) api.WatchMessage {
	return api.WatchMessage{Event: &api.Event{Type: "test", Message: message}}
}

func session(id string, n int) api.WatchMessage {
	return api.WatchMessage{Event: &api.Event{Type: "test", Session: id}, Session: &api.Session{ID: id, Cols: n}}
}

// TestSnapshotAndStream: every watcher, whenever it comes, sees a snapshot and
// then each event once and in order, and a session's value never older than
// the events before it.
func TestSnapshotAndStream(t *testing.T) {
	store := &memory{}
	l := open(t, Options{Store: store})
	const writers, each, watchers = 4, 300, 8
	var wg sync.WaitGroup
	for range watchers {
		wg.Go(func() {
			w := l.Watch()
			defer w.Close()
			seq, cols := int64(-1), map[string]int{}
			for seq < writers*each {
				messages, err := w.Next(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				for _, m := range messages {
					if m.Snapshot != nil {
						seq = m.Snapshot.Seq
						for _, s := range m.Snapshot.Sessions {
							cols[s.ID] = s.Cols
						}
						if n := len(m.Snapshot.Events); n > recentLen || n > 0 && m.Snapshot.Events[n-1].Seq != seq {
							t.Errorf("a snapshot at %d with %d events", seq, n)
						}
						continue
					}
					if m.Event.Seq != seq+1 {
						t.Errorf("event %d after %d", m.Event.Seq, seq)
					}
					seq = m.Event.Seq
					if m.Session.Cols != cols[m.Session.ID]+1 {
						t.Errorf("session %s: %d after %d", m.Session.ID, m.Session.Cols, cols[m.Session.ID])
					}
					cols[m.Session.ID] = m.Session.Cols
				}
			}
		})
	}
	for n := range writers {
		wg.Go(func() {
			for i := range each {
				if err := <-l.Append(session(strconv.Itoa(n), i+1), []byte("{}"), ""); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	l.Close()
	if len(store.events) != writers*each {
		t.Errorf("%d events are saved", len(store.events))
	}
	for i, e := range store.events {
		if e.Seq != int64(i)+1 {
			t.Fatalf("event %d has the number %d", i, e.Seq)
		}
	}
}

// TestDurableBeforeVisible: nothing is seen and nobody is answered before the
// commit, and what comes meanwhile is one commit more.
func TestDurableBeforeVisible(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memory{gate: make(chan struct{}), events: []api.Event{{Seq: 10}}, keys: []string{""}}
		l := open(t, Options{Store: store})
		w := l.Watch()
		if m, err := w.Next(t.Context()); err != nil || m[0].Snapshot.Seq != 10 {
			t.Fatal(m, err)
		}
		first := l.Append(event("a"), nil, "key")
		synctest.Wait()
		var rest []<-chan error
		for i := range 50 {
			rest = append(rest, l.Append(event(fmt.Sprint(i)), nil, ""))
		}
		synctest.Wait()
		select {
		case <-first:
			t.Fatal("answered before the commit")
		default:
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		if m, err := w.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal("seen before the commit:", m, err)
		}
		cancel()
		store.gate <- struct{}{}
		if err := <-first; err != nil {
			t.Fatal(err)
		}
		if m, err := w.Next(t.Context()); err != nil || len(m) != 1 || m[0].Event.Seq != 11 {
			t.Fatal(m, err)
		}
		store.gate <- struct{}{}
		for _, done := range rest {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		if store.commits != 2 || store.keys[1] != "key" {
			t.Errorf("%d commits, keys %q", store.commits, store.keys[:2])
		}
		l.Close()
	})
}

// TestRemovedSessionAsksNothing: a session that is removed leaves no open request behind, even
// if its end was not published any more.
func TestRemovedSessionAsksNothing(t *testing.T) {
	l := open(t, Options{Store: &memory{}})
	defer l.Close()
	for id, session := range map[string]string{"r1": "a", "r2": "b"} {
		<-l.Append(api.WatchMessage{Request: &api.Request{ID: id, Session: session}}, nil, "")
	}
	<-l.Append(api.WatchMessage{Removed: "a"}, nil, "")
	w := l.Watch()
	defer w.Close()
	messages, err := w.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if open := messages[0].Snapshot.Requests; len(open) != 1 || open[0].ID != "r2" {
		t.Errorf("open: %+v", open)
	}
}

// TestSlowWatcher: it gets a snapshot instead of what it missed, and Append
// does not wait for it.
func TestSlowWatcher(t *testing.T) {
	store := &memory{}
	l := open(t, Options{Store: store})
	defer l.Close()
	w := l.Watch()
	defer w.Close()
	for i := range 3 * watcherLen {
		<-l.Append(session("s", i), nil, "")
	}
	messages, err := w.Next(t.Context())
	if err != nil || len(messages) != 1 || messages[0].Snapshot == nil {
		t.Fatalf("%d messages, %v", len(messages), err)
	}
	snap := messages[0].Snapshot
	if snap.Seq != 3*watcherLen || snap.Sessions[0].Cols != 3*watcherLen-1 || len(snap.Events) != recentLen {
		t.Errorf("snapshot at %d with %d events", snap.Seq, len(snap.Events))
	}
	<-l.Append(event("next"), nil, "")
	if messages, err = w.Next(t.Context()); err != nil || messages[0].Event.Seq != snap.Seq+1 {
		t.Errorf("after the snapshot: %+v %v", messages, err)
	}
}

// TestStoreFails: what cannot be saved is shown, kept, and saved later in order.
func TestStoreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		l := open(t, Options{Store: store})
		full := errors.New("disk full")
		<-l.Append(event("1"), nil, "")
		store.refuse(full)
		if err := <-l.Append(session("s", 1), []byte("1"), ""); !errors.Is(err, full) {
			t.Errorf("got %v", err)
		}
		<-l.Append(session("s", 2), []byte("2"), "")
		if s, ok := l.Session("s"); !ok || s.Cols != 2 {
			t.Errorf("the session shown: %+v", s)
		}
		store.refuse(nil)
		time.Sleep(2 * retryAfter) // the fake clock: the log tries again by itself
		synctest.Wait()
		var got []int64
		for _, e := range store.events {
			got = append(got, e.Seq)
		}
		if !slices.Equal(got, []int64{1, 2, 3, 4, 5}) || string(store.sessions["s"]) != "2" {
			t.Errorf("saved: %v %q", got, store.sessions["s"])
		}
		l.Close()
	})
}

// TestMemoryIsBounded: a disk that stays full costs a bounded memory.
func TestMemoryIsBounded(t *testing.T) {
	var c changes
	for i := range maxUnwritten + 10 {
		c.addEntry(&entry{msg: api.WatchMessage{Event: &api.Event{Seq: int64(i)}}})
	}
	if lost := c.trim(maxUnwritten); lost != 10 || len(c.events) != maxUnwritten || len(c.keys) != maxUnwritten || c.events[0].Seq != 10 {
		t.Errorf("%d lost, %d kept", lost, len(c.events))
	}
}

func TestClose(t *testing.T) {
	store := &memory{}
	l := open(t, Options{Store: store})
	w := l.Watch()
	var done []<-chan error
	for range 1000 {
		done = append(done, l.Append(event("x"), nil, ""))
	}
	l.Close()
	l.Close()
	for _, d := range done {
		if err := <-d; err != nil {
			t.Fatal("queued before Close, and:", err)
		}
	}
	if err := <-l.Append(event("late"), nil, ""); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	for _, w := range []*Watcher{w, l.Watch()} {
		if _, err := w.Next(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("a watcher after Close: %v", err)
		}
	}
	if len(store.events) != 1000 {
		t.Errorf("%d events saved", len(store.events))
	}
}

// TestTail: a reader of each event gets them all, past and to come, however
// slow it is.
func TestTail(t *testing.T) {
	store := &memory{}
	l := open(t, Options{Store: store})
	for range 2500 {
		l.Append(event("x"), nil, "")
	}
	<-l.Append(api.WatchMessage{Event: &api.Event{Type: "other"}}, nil, "")
	const total = 2501 + 3*watcherLen
	next := int64(1)
	over := errors.New("enough")
	err := l.Tail(t.Context(), Filter{Type: "test"}, func(e api.Event) error {
		if next == 2501 {
			next++ // of the other type
		}
		if e.Seq != next {
			return fmt.Errorf("event %d, want %d", e.Seq, next)
		}
		if next++; next == 100 {
			// It is slow here, and misses what its watcher's queue can't hold.
			for range 3 * watcherLen {
				l.Append(event("y"), nil, "")
			}
			<-l.Append(api.WatchMessage{}, nil, "")
		}
		if e.Seq == total {
			return over
		}
		return nil
	})
	if !errors.Is(err, over) {
		t.Error(err)
	}
	l.Close()
}

func TestWait(t *testing.T) {
	l := open(t, Options{Store: &memory{}, Sessions: []api.Session{{ID: "a", State: api.StateIdle}}})
	defer l.Close()
	is := func(want api.State) func(api.Session) bool {
		return func(s api.Session) bool { return s.State == want }
	}
	if s, err := l.Wait(t.Context(), "a", is(api.StateIdle)); err != nil || s.ID != "a" {
		t.Error(s, err)
	}
	if _, err := l.Wait(t.Context(), "b", is(api.StateIdle)); api.CodeOf(err) != api.CodeNotFound {
		t.Error(err)
	}
	go func() { l.Append(api.WatchMessage{Removed: "a"}, nil, "") }()
	if _, err := l.Wait(t.Context(), "a", is(api.StateExited)); api.CodeOf(err) != api.CodeNotFound {
		t.Error(err)
	}
}

// TestWaitSeesMoments: a state that lasts for a moment is seen by who waits.
func TestWaitSeesMoments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := open(t, Options{Store: &memory{}, Sessions: []api.Session{{ID: "a", State: api.StateIdle}}})
		defer l.Close()
		result := make(chan error)
		go func() {
			_, err := l.Wait(t.Context(), "a", func(s api.Session) bool { return s.State == api.StateWorking })
			result <- err
		}()
		synctest.Wait()
		l.Append(api.WatchMessage{Session: &api.Session{ID: "a", State: api.StateWorking}}, nil, "")
		l.Append(api.WatchMessage{Session: &api.Session{ID: "a", State: api.StateIdle}}, nil, "")
		if err := <-result; err != nil {
			t.Error(err)
		}
	})
}

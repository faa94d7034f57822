package journal

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/api"
)

var errDisk = errors.New("disk full")

// TestOverflow: changes that the store refuses are acknowledged, read as if they were
// saved, and saved in order when the store accepts them again.
func TestOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace(t, 1<<20)
		p.open()
		ctx := context.Background()
		p.want("saved", p.commit(1), nil)
		p.store.refuse(errDisk)
		for n := 2; n <= 4; n++ {
			p.want("acknowledged", p.commit(n), nil)
		}
		p.want("added", <-p.Append(api.WatchMessage{Session: &api.Session{ID: "gone"}}, []byte("{}"), ""), nil)
		p.want("removed", <-p.Append(api.WatchMessage{Removed: "gone"}, nil, ""), nil)
		p.want("all", p.numbers(api.EventFilter{Since: -1}), []int{1, 2, 3, 4})
		p.want("since", p.numbers(api.EventFilter{Since: 1, Type: "t", Limit: 1}), []int{2})
		p.want("limited", p.numbers(api.EventFilter{Since: -1, Limit: 2}), []int{1, 2})
		p.want("one in the store", p.numbers(api.EventFilter{Since: -1, Limit: 1}), []int{1})
		p.want("newest", p.numbers(api.EventFilter{Limit: 2}), []int{3, 4})
		p.want("before", p.numbers(api.EventFilter{Before: 3}), []int{1, 2})
		p.want("another session", p.numbers(api.EventFilter{Since: -1, Session: "x"}), []int(nil))
		keys, _ := p.Keys(ctx, "s")
		p.want("keys", keys, []string{"k4", "k3", "k2", "k1"})
		records, _ := p.Records(ctx)
		p.want("sessions", records, map[string][]byte{"s": []byte(`{"at":4}`)})
		known, _ := p.KnownID(ctx, "gone")
		p.want("known", known, true)
		for _, key := range []string{"k1", "k3"} { // in the store, and pending
			known, _ = p.KnownKey(ctx, "s", key)
			p.want(key, known, true)
		}
		known, _ = p.KnownKey(ctx, "x", "k3")
		p.want("of another session", known, false)
		p.store.refuse(nil)
		time.Sleep(2 * retryAfter) // the fake clock: the log retries by itself
		synctest.Wait()
		p.want("in the store", numbersOf(p.store.saved()), []int{1, 2, 3, 4})
		p.want("keys in the store", strings.Join(p.store.keys, " "), "k1 k2  k3 k4 ") // two are those of the announcements
		p.want("a session in the store", p.store.session("s"), `{"at":4}`)
		p.want("pending", p.pending.empty(), true)
		if list := p.announced(); len(list) != 2 || !strings.Contains(list[0], "kept in the overflow file (disk full)") || !strings.Contains(list[1], "takes changes again") {
			t.Errorf("announced: %q", list)
		}
		p.want("saved", p.commit(5), nil)
		p.want("data", string(p.store.saved()[1].Data), `{"n":1}`)
		p.Close()
	})
}

// TestOneOrder: whatever the store and the file refuse in between, events come to the
// store once and in the order of their numbers.
func TestOneOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace(t, recordsAt+3000)
		p.open()
		n := 0
		commit := func(count int) (refused int) {
			for range count {
				if n++; p.commit(n) != nil {
					refused++
				}
			}
			return refused
		}
		commit(3)
		p.store.refuse(errDisk)
		if refused := commit(40); refused == 0 || refused == 40 {
			t.Errorf("%d of 40 refused: the file was to be full at some point", refused)
		}
		time.Sleep(3 * retryAfter)
		commit(2)
		p.store.refuse(nil)
		commit(2) // within the back-off of the last failure, or not
		time.Sleep(2 * retryAfter)
		commit(2)
		p.store.refuse(errDisk)
		if refused := commit(3); refused != 0 {
			t.Errorf("%d refused after the file was emptied", refused)
		}
		p.store.refuse(nil)
		p.Close()
		for i, e := range p.store.saved() {
			if e.Seq != int64(i)+1 {
				t.Fatalf("event %d has the number %d", i+1, e.Seq)
			}
		}
		if got := numbersOf(p.store.saved()); len(got) != n || p.store.session("s") != `{"at":52}` {
			t.Errorf("%d events of %d, session %s", len(got), n, p.store.session("s"))
		}
	})
}

// TestNextDaemon: after a kill everything acknowledged is there, once, wherever it
// was.
func TestNextDaemon(t *testing.T) {
	p := newPlace(t, 1<<20)
	p.open()
	_ = p.commit(1)
	p.store.refuse(errDisk)
	_, _ = p.commit(2), p.commit(3)
	p.kill() // the store still refuses when the next daemon starts
	p.open()
	p.want("all", p.numbers(api.EventFilter{Since: -1}), []int{1, 2, 3})
	p.want("acknowledged", p.commit(4), nil)
	p.kill()
	p.store.refuse(nil) // the third finds room
	p.open()
	p.want("in the store", numbersOf(p.store.saved()), []int{1, 2, 3, 4})
	p.want("pending", p.pending.empty(), true)
	// Killed between the store's commit and the emptying of the file.
	p.store.refuse(errDisk)
	_ = p.commit(5)
	p.kill()
	p.store.refuse(nil)
	last := p.Log.seq
	_ = p.store.Commit([]api.Event{{Seq: last - 1}, {Seq: last}}, []string{"k5", ""}, nil)
	count := len(p.store.saved())
	p.open()
	p.want("once", len(p.store.saved()), count)
	p.Close()
}

// TestCannotBeEmptied: a file whose header cannot be written is given up, which stops no
// daemon, and its records do not overwrite newer values.
func TestCannotBeEmptied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace(t, 1<<20)
		p.open()
		p.store.refuse(errDisk)
		p.want("acknowledged", p.commit(1), nil)
		synctest.Wait()
		p.store.refuse(nil)
		// Nothing can be written to the file any more.
		readOnly, err := os.Open(p.path)
		if err != nil {
			t.Fatal(err)
		}
		p.overflow.f.Close()
		p.overflow.f = readOnly
		p.want("saved", p.commit(2), nil)
		p.want("in the store", numbersOf(p.store.saved()), []int{1, 2})
		p.want("still saved", p.commit(3), nil)
		p.store.refuse(errDisk)
		p.want("nothing is promised without a file", p.commit(4), errDisk)
		p.kill()
		p.store.refuse(nil)
		p.open()
		p.want("of the next one", p.store.session("s"), `{"at":3}`)
		p.Close()
	})
}

// TestNotOverNewer: a record whose events the store has no longer counts for sessions.
func TestNotOverNewer(t *testing.T) {
	p := newPlace(t, 1<<20)
	p.open()
	p.store.refuse(errDisk)
	p.want("acknowledged", p.commit(1), nil)
	p.kill()
	p.store.refuse(nil)
	// The store committed it, the header was not written, and the store went on.
	_ = p.store.Commit([]api.Event{{Seq: 1}, {Seq: 2}, {Seq: 3}}, []string{"k1", "", "k2"}, map[string][]byte{"s": []byte(`{"at":2}`)})
	p.open()
	p.want("a session", p.store.session("s"), `{"at":2}`)
	p.want("events", len(p.store.saved()), 3)
	p.Close()
}

// TestFull: when the file is full nothing more is acknowledged; what was stays.
func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace(t, recordsAt+1500)
		p.open()
		p.store.refuse(errDisk)
		kept := 0
		for n := 1; n < 20; n++ {
			err := p.commit(n)
			if err == nil && kept == n-1 {
				kept = n
			} else if !errors.Is(err, errDisk) {
				t.Fatalf("event %d after %d kept: %v", n, kept, err)
			}
		}
		if kept < 2 || kept > 15 {
			t.Errorf("%d are kept", kept)
		}
		known, _ := p.KnownKey(context.Background(), "s", "k19")
		p.want("a key that is only in memory", known, false)
		if unsaved := p.Server().Unsaved; !strings.Contains(unsaved, "lost if the daemon ends (disk full)") {
			t.Errorf("health says %q", unsaved)
		}
		p.want("all are shown", len(p.numbers(api.EventFilter{Since: -1})), 19)
		p.kill()
		p.store.refuse(nil)
		p.open()
		p.want("of the next daemon", len(numbersOf(p.store.saved())), kept)
		p.want("with room", p.commit(20), nil)
		p.Close()
	})
}

// TestNoFile: without an overflow file it is the store alone.
func TestNoFile(t *testing.T) {
	p := newPlace(t, 1<<20)
	p.path = filepath.Join(p.path, "no", "directory")
	p.open()
	p.want("saved", p.commit(1), nil)
	p.store.refuse(errDisk)
	p.want("refused", p.commit(2), errDisk)
	p.store.refuse(nil)
	p.Close()
	p.want("saved at the end", numbersOf(p.store.saved()), []int{1, 2})
}

// TestRecordForm: the records of the daemons before can be read.
func TestRecordForm(t *testing.T) {
	old := `{"events":[{"seq":7,"at":"2026-01-02T03:04:05Z","type":"t","message":"m"}],"keys":["k"],"sessions":{"a":{"x":1},"b":null}}`
	left := decode([][]byte{[]byte(old)}, 6)
	if len(left.events) != 1 || left.events[0].Message != "m" || left.keys[0] != "k" || string(left.sessions["a"]) != `{"x":1}` || left.sessions["b"] != nil || len(left.sessions) != 2 {
		t.Errorf("%+v", left)
	}
	data, err := left.encode()
	if err != nil || !json.Valid(data) || !strings.Contains(string(data), `"b":null`) {
		t.Errorf("%s %v", data, err)
	}
}

// TestRemovedOverflow: records whose file somebody removed are written to a new one, and
// the next daemon finds them.
func TestRemovedOverflow(t *testing.T) {
	for _, look := range []bool{true, false} {
		p := newPlace(t, 1<<20)
		p.path = filepath.Join(filepath.Dir(p.path), "state", "reserve")
		if err := os.Mkdir(filepath.Dir(p.path), 0o700); err != nil {
			t.Fatal(err)
		}
		p.open()
		p.store.refuse(errDisk)
		p.want("acknowledged", p.commit(1), nil)
		if err := os.RemoveAll(filepath.Dir(p.path)); err != nil {
			t.Fatal(err)
		}
		kept := []int{1, 2}
		if look { // without a further event
			p.Look()
			p.want("answered", <-p.Append(api.WatchMessage{}, nil, ""), nil)
			kept = kept[:1]
		} else {
			p.want("acknowledged", p.commit(2), nil)
		}
		p.kill()
		p.store.refuse(nil)
		p.open()
		p.want("in the store", numbersOf(p.store.saved()), kept)
		p.Close()
	}
}

package overflow

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/api"
)

var errDisk = errors.New("disk full")

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

package queue

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/daemon/journal"
	"ccdir/daemon/store"
)

// TestStepNotSettled: a step whose event the log could not save is kept until the
// event is there, in the database or in the reserve.
func TestStepNotSettled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, _, err := store.Open(filepath.Join(dir, "db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	r, err := journal.Open(t.Context(), journal.Options{Store: db, Overflow: filepath.Join(dir, "reserve"), OverflowSize: 256 << 10})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	failed, fine := make(chan error, 1), make(chan error, 1)
	failed <- errors.New("the disk is full")
	fine <- nil
	close(failed)
	close(fine)
	l := stepLog{store: db, journal: r, waiting: []waitingStep{{id: 1, session: "s", done: failed}, {id: 2, session: "s", done: fine}}}
	for range 3 {
		if n := l.settle(); n != 0 {
			t.Fatalf("settled up to %d, and the event of step 1 is nowhere", n)
		}
	}
	e := &api.Event{At: time.Unix(1, 0), Session: "s", Type: api.EventTaskState}
	if err := <-r.Append(api.WatchMessage{Event: e}, nil, stepKey(1)); err != nil {
		t.Fatal(err)
	}
	if n := l.settle(); n != 2 || len(l.waiting) != 0 {
		t.Errorf("settled up to %d, %d wait", n, len(l.waiting))
	}
}

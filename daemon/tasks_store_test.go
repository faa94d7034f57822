package daemon

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/daemon/journal/overflow"
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
	r, err := overflow.Open(t.Context(), overflow.Options{Path: filepath.Join(dir, "reserve"), Size: testReserve, Under: db})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	failed, fine := make(chan error, 1), make(chan error, 1)
	failed <- errors.New("the disk is full")
	fine <- nil
	close(failed)
	close(fine)
	l := stepLog{d: &daemon{store: db, reserve: r}, waiting: []waitingStep{{id: 1, session: "s", done: failed}, {id: 2, session: "s", done: fine}}}
	for range 3 {
		if n := l.settle(); n != 0 {
			t.Fatalf("settled up to %d, and the event of step 1 is nowhere", n)
		}
	}
	e := api.Event{Seq: 1, At: time.Unix(1, 0), Session: "s", Type: api.EventTaskState}
	if err := r.Commit([]api.Event{e}, []string{stepKey(1)}, nil); err != nil {
		t.Fatal(err)
	}
	if n := l.settle(); n != 2 || len(l.waiting) != 0 {
		t.Errorf("settled up to %d, %d wait", n, len(l.waiting))
	}
}

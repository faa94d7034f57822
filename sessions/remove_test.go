package sessions

import (
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/sessions/launch"
	"ccdir/sessions/state"
)

// TestNothingAfterRemove: functions that wait in the mailbox of a removed session do not
// run, and do not publish it again.
func TestNothingAfterRemove(t *testing.T) {
	r, j := newTestRegistry(t, &fakeHost{t: t})
	adapter, _ := adapters.Lookup(agents.KindShell)
	s := r.newSession("gone1", launch.Spec{Name: "a"}, adapter)
	s.cur = api.Session{ID: s.id, Name: "a", State: api.StateExited, Unread: true}
	s.fold = state.NewFold(false, r.now())
	s.fold.State = api.StateExited
	if err := r.add(s, "a"); err != nil {
		t.Fatal(err)
	}
	begun, busy := make(chan struct{}), make(chan struct{})
	s.post(func() { close(begun); <-busy })
	<-begun
	removed, seen := make(chan error, 1), make(chan error, 1)
	go func() { removed <- r.Remove(t.Context(), s.id) }()
	jobsWait(t, s, 1)
	go func() { seen <- r.Seen(t.Context(), s.id) }()
	jobsWait(t, s, 2)
	close(busy)
	if err := <-removed; err != nil {
		t.Fatal(err)
	}
	if err := <-seen; api.CodeOf(err) != api.CodeNotFound {
		t.Errorf("a session that was removed has been seen: %v", err)
	}
	<-s.box.Done()
	j.mu.Lock()
	defer j.mu.Unlock()
	if n := len(j.messages); n == 0 || j.messages[n-1].Removed != s.id {
		t.Errorf("published: %+v; want its removal last", j.messages)
	}
}

// jobsWait waits until n functions are in the busy actor's mailbox.
func jobsWait(t *testing.T, s *session, n int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); len(s.box.Mail) < n; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d jobs wait, want %d", len(s.box.Mail), n)
		}
	}
}

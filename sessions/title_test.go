package sessions

import (
	"fmt"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/sessions/launch"
	"ccdir/sessions/state"
	"ccdir/wire"
)

// TestTitlesArePaced: of titles that change all the time some a second are shown, the last one always.
func TestTitlesArePaced(t *testing.T) {
	r, _ := newTestRegistry(t, &fakeHost{t: t})
	adapter, _ := adapters.Lookup(agents.KindShell)
	s := r.newSession("turning", launch.Spec{Name: "turning"}, adapter)
	s.cur = api.Session{ID: s.id, Name: s.spec.Name, State: api.StateIdle}
	s.fold = state.NewFold(adapter.Managed(), r.now())
	if err := r.add(s, s.spec.Name); err != nil {
		t.Fatal(err)
	}
	shows := func(turn func(i int)) (n int) {
		t.Helper()
		for i := range 30 {
			if err := s.do(t.Context(), func() {
				before := s.titleShown
				if turn(i); !s.titleShown.Equal(before) {
					n++
				}
			}); err != nil {
				t.Fatal(err)
			}
		}
		return n
	}
	n := shows(func(i int) {
		s.fromHost(wire.Evidence{Seq: uint64(i + 1), At: r.now(), Name: wire.EvidenceTitle, Fields: map[string]string{"text": fmt.Sprint("title ", i)}})
	})
	n += shows(func(i int) { s.hostStatus(wire.Status{Title: fmt.Sprint("status ", i)}) })
	if n < 1 || n > 10 { // 1 but on a machine that stands still
		t.Errorf("%d of 60 titles were shown", n)
	}
	for { // until the last one is shown
		var due time.Time
		if err := s.do(t.Context(), func() { due = s.titleDue }); err != nil {
			t.Fatal(err)
		}
		if due.IsZero() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

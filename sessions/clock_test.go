package sessions

import (
	"sync/atomic"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/wire"
)

// TestClockSetBackWhileAStateIsPending: the clock is set back by a day while a state waits to
// take force. It takes force after its wait, not a day later.
func TestClockSetBackWhileAStateIsPending(t *testing.T) {
	h := &fakeHost{t: t, serve: func(n int, c *wire.Conn, _ wire.Hello) {
		welcome(c)
		for {
			m, err := c.Receive()
			if err != nil {
				return
			}
			if req, ok := m.(*wire.Request); ok {
				c.Send(&wire.Response{ID: req.ID})
			}
		}
	}}
	r, _ := newTestRegistry(t, h)
	var ahead atomic.Bool
	r.o.Now = func() time.Time {
		now := time.Now().Round(0) // as times that were read from a file
		if ahead.Load() {
			now = now.Add(24 * time.Hour)
		}
		return now
	}
	v, err := r.Create(t.Context(), api.NewSession{Agent: agents.KindClaude, Argv: []string{"/bin/true"}, CWD: "/"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.find(v.ID)
	if err != nil {
		t.Fatal(err)
	}
	hears := func(e api.Evidence) (pending bool) {
		t.Helper()
		e.At = r.now()
		if err := s.do(t.Context(), func() { s.weigh(e, change{}); pending = s.fold.Pending != nil; ahead.Store(false) }); err != nil {
			t.Fatal(err)
		}
		return pending
	}
	hears(api.Evidence{Source: api.SourceHook, Kind: api.KindConversationBegins, Says: api.StateIdle, Fields: map[string]string{"source": "startup"}})
	hears(api.Evidence{Source: api.SourceHook, Kind: api.KindPrompt, Says: api.StateWorking})
	ahead.Store(true)
	if !hears(api.Evidence{Source: api.SourceFile, Says: api.StateIdle, Fields: map[string]string{"status": "idle"}}) {
		t.Fatal("its rest is not pending")
	}
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		now, err := s.value(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if now.State == api.StateIdle {
			break
		}
		if time.Since(began) > 30*time.Second {
			t.Fatalf("it is still %s", now.State)
		}
	}
}

// TestSnoozeLongerThanAny: a snooze of which more is left than there can be, since the clock
// was set back while no daemon ran, is over.
func TestSnoozeLongerThanAny(t *testing.T) {
	r, _ := newTestRegistry(t, &fakeHost{t: t, serve: func(_ int, c *wire.Conn, _ wire.Hello) { welcome(c); _, _ = c.Receive() }})
	s, err := r.find(r.mustCreate(t).ID)
	if err != nil {
		t.Fatal(err)
	}
	for left, over := range map[time.Duration]bool{api.MaxSnooze - time.Minute: false, -time.Second: true, api.MaxSnooze + time.Hour: true} {
		err := s.do(t.Context(), func() {
			s.cur.SnoozedUntil = r.now().Add(left)
			s.unsnooze()
			if s.cur.SnoozedUntil.IsZero() != over {
				t.Errorf("with %s left: %v", left, s.cur.SnoozedUntil)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

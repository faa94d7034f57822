package conversations

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// TestOneWakeForAll: what is read once more is read at one moment for all sessions, about a
// second later, and a command is not read at all.
func TestOneWakeForAll(t *testing.T) {
	c := New(Options{Agent: func(agent string) (agents.Conversationalist, bool) { return nil, agent != api.PlainCommand }})
	x := NewIndexer(IndexOptions{Conversations: c, Of: func(v api.Session) Session { return Session{ID: v.ID, Agent: v.Agent} }})
	began := time.Now()
	x.take(&api.WatchMessage{Session: &api.Session{ID: "c", Agent: api.PlainCommand, State: api.StateIdle}}, began)
	x.take(&api.WatchMessage{Event: &api.Event{Session: "c"}}, began)
	if due := x.next(); !due.IsZero() {
		t.Errorf("a command is due at %s", due)
	}
	x.take(&api.WatchMessage{Session: &api.Session{ID: "a", Agent: "claude", State: api.StateIdle}}, began)
	if due := x.next(); !due.Equal(began.Add(indexAfter)) {
		t.Errorf("an agent is due after %s", due.Sub(began))
	}
	moments := map[string]bool{}
	for i := range 16 {
		now := began.Add(time.Duration(i) * 40 * time.Millisecond)
		at := again(now)
		if d := at.Sub(now); d < indexAgain/2 || d > 2*indexAgain {
			t.Errorf("once more after %s", d)
		}
		moments[fmt.Sprint(at.UnixMilli())] = true
	}
	if len(moments) > 2 {
		t.Errorf("%d moments", len(moments))
	}
}

// TestRest: the background rests in proportion to the processor time it used, however long
// that took; what the daemon used while it rested does not count.
func TestRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		used := 3 * time.Second
		asked := 0
		rest := resting(t.Context(), func() time.Duration {
			if asked++; asked%2 == 1 {
				used += 5 * time.Second // by others: before it works
			}
			return used
		})
		for _, work := range []time.Duration{20 * time.Millisecond, 0, time.Millisecond} {
			time.Sleep(50 * time.Millisecond) // it waits for a processor
			used += work
			began := time.Now()
			if rest(); time.Since(began) != rests*work {
				t.Errorf("after %s it rests for %s", work, time.Since(began))
			}
		}
	})
}

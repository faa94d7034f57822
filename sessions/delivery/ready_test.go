package delivery

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/sessions/state"
)

// lister is an agent that takes input before it lists our tools.
type lister struct {
	agents.Adapter
	agents.Deliverer
}

func (lister) ReadySigns(string) agents.ReadySigns { return agents.ReadySigns{Tools: true} }

// listing is a session of it: lists is when it lists them.
type listing struct {
	Session
	began    time.Time
	lists    time.Duration
	prompted bool
}

func (s *listing) Fold() *state.Fold {
	f := state.NewFold(true, s.began)
	f.State, f.Turn = api.StateIdle, true
	return &f
}
func (s *listing) Wake(context.Context) error { return nil }
func (s *listing) Value() *api.Session        { return &api.Session{} }
func (s *listing) Restarting() bool           { return false }
func (s *listing) Prompted() bool             { return s.prompted }
func (s *listing) LacksTools() bool           { return time.Since(s.began) < s.lists }

func (s *listing) Await(ctx context.Context, cond func() bool) error {
	for ; !cond(); time.Sleep(10 * time.Millisecond) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// TestToolsBeforeThePrompt: the first prompt of a process waits until the agent has listed our
// tools, but not for long; a later one does not wait.
func TestToolsBeforeThePrompt(t *testing.T) {
	for name, c := range map[string]struct {
		s        listing
		min, max time.Duration
	}{
		"listed late":    {listing{lists: time.Second}, time.Second, 1100 * time.Millisecond},
		"listed already": {listing{}, 0, 0},
		"never listed":   {listing{lists: time.Hour}, toolsLimit, toolsLimit + 100*time.Millisecond},
		"a later prompt": {listing{lists: time.Hour, prompted: true}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := c.s
				s.began = time.Now()
				d := New(&s, Options{Adapter: lister{}, Timeout: func() time.Duration { return time.Minute }})
				state, err := d.awaitInput(t.Context(), false, true)
				if took := time.Since(s.began); err != nil || state != api.StateIdle || took < c.min || took > c.max {
					t.Errorf("%s, %v after %s, want %s to %s", state, err, took, c.min, c.max)
				}
			})
		})
	}
}

package api

import "testing"

// TestIn: who waits until a session is idle is not told so before it has the prompt
// that it was started with.
func TestIn(t *testing.T) {
	rest := []State{StateIdle, StatePermission}
	for _, c := range []struct {
		s    Session
		want bool
	}{
		{Session{State: StateIdle}, true},
		{Session{State: StateIdle, PromptPending: true}, false},
		{Session{State: StatePermission, PromptPending: true}, true},
		{Session{State: StateWorking}, false},
	} {
		if got := c.s.In(rest); got != c.want {
			t.Errorf("%+v: %v", c.s, got)
		}
	}
}

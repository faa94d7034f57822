package queue

import (
	"testing"
	"time"

	"ccdir/api"
	"ccdir/config"
)

// TestWindowsOf: agents of one kind share their windows, of which one gives notices, and people use an account
// while their sessions work and for an hour after.
func TestWindowsOf(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	cfg := config.Parse([]byte("[agents.mine]\nkind = 'claude'\n"), "f", "/").Config
	used := 40.0
	end := now.Add(3 * time.Hour)
	q := &Queue{o: Options{Windows: func() []api.UsageWindow {
		return []api.UsageWindow{{Agent: "claude", Account: "work", Name: "5h", UsedPercent: &used, ResetsAt: &end}, {Agent: "claude", Account: "work", Name: "7d"}}
	}}}
	session := func(state api.State, ago time.Duration, change func(*api.Session)) worked {
		s := api.Session{Agent: "mine", Account: "work", Prompt: "p", State: state, Since: now.Add(-ago)}
		if change != nil {
			change(&s)
		}
		return workedOf(s)
	}
	for name, tt := range map[string]struct {
		s     worked
		until time.Time
	}{
		"at work":            {session(api.StateWorking, 9*time.Hour, nil), now.Add(2 * time.Hour)},
		"rests":              {session(api.StateIdle, 20*time.Minute, nil), now.Add(40 * time.Minute)},
		"rests for long":     {session(api.StateIdle, 61*time.Minute, nil), time.Time{}},
		"ended":              {session(api.StateExited, time.Minute, nil), time.Time{}},
		"a task's":           {session(api.StateWorking, 0, func(s *api.Session) { s.Task = "t1" }), time.Time{}},
		"of another login":   {session(api.StateWorking, 0, func(s *api.Session) { s.Account = "" }), time.Time{}},
		"of another agent":   {session(api.StateWorking, 0, func(s *api.Session) { s.Agent = "codex" }), time.Time{}},
		"was never prompted": {session(api.StateIdle, 0, func(s *api.Session) { s.Prompt = "" }), time.Time{}},
	} {
		list := q.windowsOf(cfg, map[string]worked{"s": tt.s}, now)
		if len(list) != 2 || list[0].Agent != "claude" || list[0].Again || list[1].Agent != "mine" || !list[1].Again {
			t.Fatalf("%+v", list)
		}
		if w := list[1]; w.Percent != 40 || !w.Until.Equal(end) || !w.Busy.Equal(tt.until) {
			t.Errorf("%s: %+v, busy until %v wanted", name, w, tt.until)
		}
	}
}

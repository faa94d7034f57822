package idle

import (
	"testing"
	"time"

	"ccdir/api"
	"ccdir/config"
)

func TestParkByRule(t *testing.T) {
	now := time.Now()
	idle := func(id string, ago time.Duration) api.Session {
		return api.Session{ID: id, State: api.StateIdle, Since: now.Add(-ago)}
	}
	all := []api.Session{idle("new", time.Minute), idle("old", time.Hour), idle("older", 2*time.Hour),
		{ID: "works", State: api.StateWorking, Since: now.Add(-time.Hour)}, {ID: "shell", State: api.StateIdle, Plain: api.PlainShell, Since: now.Add(-9 * time.Hour)},
		{ID: "parked", State: api.StateParked, Since: now.Add(-time.Hour)}}
	for _, tt := range []struct {
		after time.Duration
		keep  int
		want  string
	}{
		{0, 0, ""}, {30 * time.Minute, 0, "older old "}, {30 * time.Minute, 1, "older old "}, {30 * time.Minute, 2, "older "}, {30 * time.Minute, 9, ""}, {time.Second, 0, "older old new "},
	} {
		got := ""
		for _, s := range parkByRule(all, config.Config{ParkAfter: tt.after, ParkKeep: tt.keep}, now) {
			got += s.ID + " "
		}
		if got != tt.want {
			t.Errorf("after %s, keep %d: %q, want %q", tt.after, tt.keep, got, tt.want)
		}
	}
}

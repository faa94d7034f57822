package queue

import (
	"testing"
	"time"

	"ccdir/api"
)

func TestOutdated(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	task := func(id string, age time.Duration) api.Task {
		return api.Task{ID: id, State: api.TaskDone, Ended: now.Add(-age)}
	}
	list := []api.Task{task("old", 50*time.Hour), task("new", time.Hour), {ID: "open", State: api.TaskQueued}, task("middle", 10*time.Hour)}
	for _, tt := range []struct {
		kept int
		age  time.Duration
		want string
	}{{0, 0, ""}, {10, 0, ""}, {2, 0, "old "}, {1, 0, "middle old "}, {0, 24 * time.Hour, "old "}, {0, time.Minute, "new middle old "}, {1, 24 * time.Hour, "middle old "}} {
		got := ""
		for _, id := range outdated(append([]api.Task{}, list...), tt.kept, tt.age, now) {
			got += id + " "
		}
		if got != tt.want {
			t.Errorf("%d kept, %s: %q, want %q", tt.kept, tt.age, got, tt.want)
		}
	}
}

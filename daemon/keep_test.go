package daemon

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

// TestResultsKept: of what has ended as much is kept as configured; what has not
// stays, and ids are not given again.
func TestResultsKept(t *testing.T) {
	t.Parallel()
	p := newQueuePlace(t)
	p.run()
	p.queue(api.QueueChange{Mode: api.QueueAuto, Limit: new(2)})
	for _, text := range []string{"say heron one", "say heron two", "say heron three", "say heron four"} {
		id := p.addTasks(api.NewTask{Prompt: text, Kind: api.TaskPrint})[0].ID
		p.wait(p.waitTask(id, api.TaskDone).Session, api.StateExited)
	}
	until(t, "the transcripts", func() bool {
		var list []api.HistoryEntry
		p.call("GET", "/v1/history", nil, &list)
		return len(list) == 8
	})
	p.queue(api.QueueChange{Mode: api.QueueManual})
	p.addTasks(api.NewTask{Prompt: "wait for me"})
	p.stopDaemon()
	p.config("history_kept = 2\n" + demoConfig)
	p.run()
	var list []api.Task
	until(t, "old results to go", func() bool {
		p.call("GET", "/v1/tasks", nil, &list)
		return len(list) == 3
	})
	if list[0].ID != "t3" || list[1].ID != "t4" || list[2].State != api.TaskQueued {
		t.Errorf("%+v", list)
	}
	until(t, "old transcripts to go", func() bool {
		var entries []api.HistoryEntry
		p.call("GET", "/v1/history", nil, &entries)
		return len(entries) == 4
	})
	var hits []api.SearchHit
	p.call("GET", "/v1/search?q=heron+one", nil, &hits)
	for _, h := range hits {
		if h.Kind != "event" { // the log has bounds of its own
			t.Errorf("found after it was to go: %+v", h)
		}
	}
	p.wantCode(api.CodeNotFound, "GET", "/v1/tasks/t1/logs", nil)
	if id := p.addTasks(api.NewTask{Prompt: "another"})[0].ID; id != "t6" {
		t.Errorf("the next task is %s", id)
	}
}

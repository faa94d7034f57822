package daemon

import (
	"slices"
	"testing"

	"ccdir/api"
)

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
	until(t, "old sessions to be found no more", func() bool { // they are removed after their tasks
		var hits []api.SearchHit
		p.call("GET", "/v1/search?q=heron+one", nil, &hits)
		// The log has bounds of its own, and the index may be behind.
		return !slices.ContainsFunc(hits, func(h api.SearchHit) bool { return h.Kind != "event" && h.Kind != api.HitLeftOut })
	})
	p.wantCode(api.CodeNotFound, "GET", "/v1/tasks/t1/logs", nil)
	if id := p.addTasks(api.NewTask{Prompt: "another"})[0].ID; id != "t6" {
		t.Errorf("the next task is %s", id)
	}
}

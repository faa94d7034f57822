package queue

import (
	"path/filepath"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/daemon/store"
	"ccdir/orchestrator"
	"ccdir/sessions"
)

// TestFollowBackground: whichever of the moments around the end of background work a
// follower looks at, the task is done only after the turn of its report.
func TestFollowBackground(t *testing.T) {
	t.Parallel()
	db, _, err := store.Open(filepath.Join(t.TempDir(), "db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	start := time.Now()
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	moment := func(state api.State, idle, ended, background int, owed bool, reply string) sessions.TaskSession {
		s := sessions.TaskSession{Session: api.Session{State: state}, Delivery: "t1-1-0", Taken: start, Background: background, Owed: owed, Reply: reply, Ended: at(ended)}
		if state == api.StateIdle {
			s.Idle = at(idle)
		}
		return s
	}
	moments := []struct {
		at int // in seconds: a minute of work in the background
		sessions.TaskSession
	}{
		{1, moment(api.StateIdle, 1, 1, 0, true, "it runs")},   // the hook told of what the status does not name yet
		{1, moment(api.StateIdle, 1, 1, 1, false, "it runs")},  // it is named
		{61, moment(api.StateIdle, 1, 1, 0, true, "it runs")},  // it has ended
		{62, moment(api.StateWorking, 0, 1, 0, true, "later")}, // its report begins a turn
		{63, moment(api.StateIdle, 63, 63, 0, false, "later")},
	}
	for seen := range 1 << (len(moments) - 1) {
		core := orchestrator.Restore(orchestrator.DefaultTimes(), orchestrator.Settings{Mode: api.QueueAuto}, nil)
		now := start
		apply := func(e orchestrator.Event) {
			if _, err := core.Apply(now, e); err != nil {
				t.Fatal(err)
			}
		}
		task := func() *orchestrator.Record {
			r, err := core.Find("t1")
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		ref := orchestrator.Ref{Task: "t1", Attempt: 1}
		apply(orchestrator.SetLimit{Limit: 1})
		apply(orchestrator.Add{Tasks: []api.NewTask{{Prompt: "p"}}})
		apply(orchestrator.Started{Ref: ref, Session: "s"})
		apply(orchestrator.Delivered{Ref: ref})
		f := &follower{worker: worker{&Queue{o: Options{Store: db}}}, ref: ref, session: "s", report: apply}
		for i, m := range moments {
			if last := i == len(moments)-1; !last && seen&(1<<i) == 0 {
				continue // what comes next came before it looked
			}
			now = at(m.at)
			f.look(t.Context(), m.TaskSession)
			if r := task(); r.State != api.TaskRunning {
				t.Fatalf("looking at %b: %s at moment %d", seen, r.State, i)
			}
		}
		now = at(70)
		apply(orchestrator.Tick{})
		if r := task(); r.State != api.TaskDone || r.Result.Message != "later" {
			t.Errorf("looking at %b: %s, %q", seen, r.State, r.Result.Message)
		}
	}
}

// TestTurnOverBeforeDelivered: a task is done although its follower saw the end of a short turn
// before the delivery of its prompt reported.
func TestTurnOverBeforeDelivered(t *testing.T) {
	t.Parallel()
	db, _, err := store.Open(filepath.Join(t.TempDir(), "db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	now := time.Now()
	core := orchestrator.Restore(orchestrator.DefaultTimes(), orchestrator.Settings{Mode: api.QueueAuto}, nil)
	apply := func(e orchestrator.Event) {
		if _, err := core.Apply(now, e); err != nil {
			t.Fatal(err)
		}
	}
	ref := orchestrator.Ref{Task: "t1", Attempt: 1}
	apply(orchestrator.SetLimit{Limit: 1})
	apply(orchestrator.Add{Tasks: []api.NewTask{{Prompt: "p"}}})
	apply(orchestrator.Started{Ref: ref, Session: "s"})
	f := &follower{worker: worker{&Queue{o: Options{Store: db}}}, ref: ref, session: "s", report: apply}
	f.look(t.Context(), sessions.TaskSession{Session: api.Session{State: api.StateIdle}, Delivery: "t1-1-0", Taken: now, Ended: now.Add(time.Millisecond), Idle: now.Add(time.Millisecond), Reply: "done"})
	apply(orchestrator.Delivered{Ref: ref})
	now = now.Add(10 * time.Second)
	apply(orchestrator.Tick{})
	if r, err := core.Find("t1"); err != nil || r.State != api.TaskDone || r.Result.Message != "done" {
		t.Errorf("%v, %+v", err, r)
	}
}

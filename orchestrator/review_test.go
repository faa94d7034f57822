package orchestrator

import (
	"testing"
	"time"

	"ccdir/api"
)

// reviewed is a queue with a task whose steps have ended and that waits for a review, and one that needs it.
func reviewed(t *testing.T) *Core {
	t.Helper()
	c := queue(t, api.NewTask{Prompt: "p", Steps: []string{"q"}, Review: true, Timeout: api.Duration(time.Minute)}, api.NewTask{Prompt: "next", After: []api.TaskAfter{{Task: "t1"}}})
	do(t, c, 1, up("t1", 1)...)
	do(t, c, time.Second, TurnEnded{Ref: Ref{"t1", 1}})
	do(t, c, 9*time.Second, Tick{}, Delivered{Ref: Ref{"t1", 1}, Step: 1}, TurnEnded{Ref: Ref{"t1", 1}, Step: 1, Message: "all"})
	want(t, c, "t1", api.TaskRunning, "")
	do(t, c, 20*time.Second, Tick{})
	want(t, c, "t1", api.TaskWaiting, "waits for your review (`ccdir review s`): `ccdir task start t1`")
	return c
}

// TestReview: the end of the last step waits for a person's ok; what the session does on comments is followed, and neither time nor a
// failure ends it.
func TestReview(t *testing.T) {
	c := reviewed(t)
	ref := Ref{"t1", 1}
	do(t, c, time.Hour, Tick{})
	want(t, c, "t1", api.TaskWaiting, "your review")
	want(t, c, "t2", api.TaskQueued, "")
	do(t, c, 2*time.Hour, Observed{Ref: ref, State: api.StateWorking}, Used{Ref: ref, Turns: 5, Message: "changed it"})
	want(t, c, "t1", api.TaskRunning, "on what was said")
	if _, err := c.Apply(t0.Add(2*time.Hour), StartNow{Task: "t1"}); api.CodeOf(err) != api.CodeConflict {
		t.Errorf("done while it works: %v", err)
	}
	do(t, c, 5*time.Hour, Tick{})
	want(t, c, "t1", api.TaskRunning, "")
	do(t, c, 5*time.Hour, Observed{Ref: ref, State: api.StatePermission, Question: "may I?"})
	want(t, c, "t1", api.TaskWaiting, "may I?")
	do(t, c, 5*time.Hour, Failed{Ref: ref, Kind: FailTask, Reason: "x"}, Observed{Ref: ref, State: api.StateIdle})
	want(t, c, "t1", api.TaskWaiting, "your review")
	do(t, c, 6*time.Hour, SetMode{api.QueuePaused}, StartNow{Task: "t1"})
	want(t, c, "t1", api.TaskDone, "")
	if r := c.tasks["t1"]; r.Result.Message != "changed it" || r.UnderReview || !r.Ending {
		t.Errorf("%+v", r)
	}
}

// TestReviewAlone: the ok is waited for after the end of the session, too, also while no daemon ran; the slot is free.
func TestReviewAlone(t *testing.T) {
	for name, end := range map[string]func(c *Core) *Core{
		"ended": func(c *Core) *Core { do(t, c, time.Minute, Exited{Ref: Ref{"t1", 1}, Code: code(1)}); return c },
		"lost":  func(c *Core) *Core { do(t, c, time.Minute, Exited{Ref: Ref{"t1", 1}, Reason: "gone"}); return c },
		"while no daemon ran": func(c *Core) *Core {
			var records []Record
			for _, r := range c.tasks {
				records = append(records, *r)
			}
			again := Restore(DefaultTimes(), c.set, records)
			again.Recover(t0.Add(time.Minute), nil)
			return again
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := end(reviewed(t))
			want(t, c, "t1", api.TaskWaiting, "its session has ended")
			if c.slots != 0 {
				t.Errorf("%d slots", c.slots)
			}
			do(t, c, time.Hour, StartNow{Task: "t1"})
			want(t, c, "t1", api.TaskDone, "")
			want(t, c, "t2", api.TaskStarting, "")
		})
	}
}

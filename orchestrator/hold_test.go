package orchestrator

import (
	"testing"
	"time"

	"ccdir/api"
)

// TestHold: a task that is held back does not begin in mode auto, and others do; it begins when it is let go, or started by name.
func TestHold(t *testing.T) {
	for _, by := range []Event{Edit{"t1", api.EditTask{Hold: new(false)}}, StartNow{"t1"}} {
		c := Restore(DefaultTimes(), Settings{Mode: api.QueueManual, Limit: 4}, nil)
		do(t, c, 0, Add{Tasks: []api.NewTask{{Prompt: "p"}, {Prompt: "q"}}})
		do(t, c, 0, Edit{"t1", api.EditTask{Hold: new(true)}}, SetMode{api.QueueAuto})
		want(t, c, "t1", api.TaskQueued, "")
		want(t, c, "t2", api.TaskStarting, "")
		if h, words := c.Queue().Hold(c.tasks["t1"].Task, nil, t0); h != api.HoldPerson || words != "held back" {
			t.Errorf("%s %q", h, words)
		}
		do(t, c, time.Minute, by)
		want(t, c, "t1", api.TaskStarting, "")
		if c.tasks["t1"].Hold {
			t.Error("it is held still")
		}
	}
}

package orchestrator

import (
	"testing"
	"time"

	"ccdir/api"
)

// TestBackgroundReports: work in the background that has ended is no end of the task
// as long as its report may still begin a turn.
func TestBackgroundReports(t *testing.T) {
	ref := Ref{"t1", 1}
	s := func(n int) time.Duration { return time.Duration(n) * time.Second }
	left := func(t *testing.T) *Core {
		c := queue(t, api.NewTask{Prompt: "p"})
		do(t, c, 0, up("t1", 1)...)
		do(t, c, s(1), Observed{Ref: ref, State: api.StateWorking}, TurnEnded{Ref: ref, Message: "it runs", Background: true}, Observed{Ref: ref, State: api.StateIdle})
		do(t, c, s(60), Observed{Ref: ref, State: api.StateIdle}) // a sign of life after long
		want(t, c, "t1", api.TaskRunning, "")
		do(t, c, s(61), TurnEnded{Ref: ref, Message: "it runs", ReportDue: true})
		do(t, c, s(70), Tick{})
		want(t, c, "t1", api.TaskRunning, "")
		return c
	}
	t.Run("the report comes", func(t *testing.T) {
		c := left(t)
		do(t, c, s(70), Observed{Ref: ref, State: api.StateWorking})
		do(t, c, s(100), Tick{})
		want(t, c, "t1", api.TaskRunning, "")
		do(t, c, s(101), TurnEnded{Ref: ref, Message: "later"}, Observed{Ref: ref, State: api.StateIdle})
		do(t, c, s(103), Tick{})
		want(t, c, "t1", api.TaskDone, "")
		if got := c.tasks["t1"].Result.Message; got != "later" {
			t.Errorf("its result is %q", got)
		}
	})
	t.Run("no report comes", func(t *testing.T) {
		c := left(t)
		if at := c.NextWake(); !at.Equal(t0.Add(s(71))) {
			t.Error("wakes at", at.Sub(t0))
		}
		do(t, c, s(71), Tick{})
		want(t, c, "t1", api.TaskDone, "")
	})
}

// TestAsksBehindTurn: a task whose agent opens a dialog just behind its turn waits
// for the person, and is not done.
func TestAsksBehindTurn(t *testing.T) {
	c := queue(t, api.NewTask{Prompt: "p"})
	ref := Ref{"t1", 1}
	do(t, c, 0, up("t1", 1)...)
	do(t, c, time.Second, TurnEnded{Ref: ref})
	do(t, c, 2*time.Second, Observed{Ref: ref, State: api.StatePermission, Question: "may it?"})
	do(t, c, time.Minute, Tick{})
	want(t, c, "t1", api.TaskWaiting, "may it?")
	do(t, c, 2*time.Minute, Observed{Ref: ref, State: api.StateIdle}, TurnEnded{Ref: ref})
	do(t, c, 3*time.Minute, Tick{})
	want(t, c, "t1", api.TaskDone, "")
}

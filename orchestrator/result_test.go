package orchestrator

import (
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// TestResultAfterEnd: how long an attempt took is known when it is over, and what
// its session tells while it is being ended is part of the result.
func TestResultAfterEnd(t *testing.T) {
	c := queue(t, api.NewTask{Prompt: "p", MaxTurns: 1})
	ref := Ref{"t1", 1}
	do(t, c, 0, up("t1", 1)...)
	do(t, c, time.Minute, Cancel{"t1"})
	do(t, c, 2*time.Minute, Used{Ref: ref, Turns: 3, Tokens: 40, Cost: 0.5, Files: []string{"a.go"}, Denials: api.Denials{{Tool: "Bash"}}}, Exited{Ref: ref, Code: code(0)})
	want(t, c, "t1", api.TaskCancelled, "person") // its bounds do not matter any more
	r := c.tasks["t1"].Result
	if time.Duration(r.Duration) != time.Minute || r.Turns != 3 || r.Tokens != 40 || r.Cost != 0.5 || len(r.Files) != 1 || len(r.Denials) != 1 || r.ExitCode == nil {
		t.Errorf("%+v", r)
	}
	do(t, c, 3*time.Minute, Used{Ref: ref, Turns: 9})
	if c.tasks["t1"].Result.Turns != 3 {
		t.Error("a report about a session that has gone was taken")
	}
	do(t, c, 4*time.Minute, Cancel{"t1"}) // as it was asked for
	if ch := c.Take(); len(ch.Trail) == 0 || ch.Trail[len(ch.Trail)-1].To != api.TaskCancelled {
		t.Errorf("%+v", ch.Trail)
	}
}

// TestContinue: a task goes on in the conversation of another, and not in a new one
// because that has none.
func TestContinue(t *testing.T) {
	c := queue(t, api.NewTask{Name: "first", Prompt: "p"}, api.NewTask{Prompt: "q", Continue: "first"},
		api.NewTask{Prompt: "r", After: []api.TaskAfter{{Task: "first", Always: true}}, Continue: "first"})
	want(t, c, "t2", api.TaskQueued, "")
	if got := c.tasks["t2"].Continue; got != "t1" {
		t.Errorf("continues %q", got)
	}
	do(t, c, 0, up("t1", 1)...)
	do(t, c, 0, TurnEnded{Ref: Ref{"t1", 1}})
	do(t, c, 2*time.Second, Tick{}, Exited{Ref: Ref{"t1", 1}, Code: code(0)})
	for _, id := range []string{"t2", "t3"} {
		if r := c.tasks[id]; r.State != api.TaskStarting || r.Resume != "conv" {
			t.Errorf("%s is %s and goes on in %q", id, r.State, r.Resume)
		}
	}
	c = queue(t, api.NewTask{Prompt: " "}, api.NewTask{Prompt: "q", Continue: "t1"})
	want(t, c, "t2", api.TaskBlocked, "has no conversation")
	// Of a failed one only where that is wanted.
	c = queue(t, api.NewTask{Prompt: "p"}, api.NewTask{Prompt: "q", Continue: "t1"}, api.NewTask{Prompt: "r", After: []api.TaskAfter{{Task: "t1", Always: true}}, Continue: "t1"})
	do(t, c, 0, up("t1", 1)...)
	do(t, c, 0, Failed{Ref: Ref{"t1", 1}, Reason: "boom"})
	want(t, c, "t2", api.TaskBlocked, "is failed")
	if r := c.tasks["t3"]; r.State != api.TaskStarting || r.Resume != "conv" {
		t.Errorf("t3 is %s and goes on in %q", r.State, r.Resume)
	}
}

// TestPrintBackground: a one-shot agent that waits for its subagents after an
// answer is not ended.
func TestPrintBackground(t *testing.T) {
	c := queue(t, api.NewTask{Prompt: "p", Kind: api.TaskPrint})
	ref := Ref{"t1", 1}
	do(t, c, 0, up("t1", 1)...)
	do(t, c, time.Second, TurnEnded{Ref: ref, Message: "it runs", Background: true})
	do(t, c, 5*time.Minute, Tick{})
	want(t, c, "t1", api.TaskRunning, "")
	do(t, c, 6*time.Minute, Observed{Ref: ref, State: api.StateWorking}, TurnEnded{Ref: ref, Message: "it is done"}, Exited{Ref: ref, Code: code(0)})
	want(t, c, "t1", api.TaskDone, "")
	if r := c.tasks["t1"].Result; r.Message != "it is done" || r.Missing != "" {
		t.Errorf("%+v", r)
	}
}

// TestLostCommand: the command that goes on is one to copy.
func TestLostCommand(t *testing.T) {
	for dir, want := range map[string]string{
		"/src/api":    "`ccdir new -a claude -C /src/api --resume conv`",
		"/it's a dir": `-C '/it'\''s a dir' --resume`,
	} {
		c := queue(t, api.NewTask{Prompt: "p", Agent: "claude", CWD: dir})
		do(t, c, 0, up("t1", 1)...)
		do(t, c, 0, Exited{Ref: Ref{"t1", 1}})
		if r := c.tasks["t1"]; r.State != api.TaskFailed || !strings.Contains(r.Reason, want) {
			t.Errorf("%s (%s)", r.State, r.Reason)
		}
	}
}

func TestCheckQueue(t *testing.T) {
	for want, c := range map[string]api.QueueChange{
		"nothing to change": {}, "limit 0": {Limit: new(0), Mode: api.QueueAuto}, `"fast"`: {Limit: new(3), Mode: "fast"},
		"exclude": {Mode: api.QueueAuto, Paused: new(true)},
	} {
		if err := CheckQueue(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := CheckQueue(api.QueueChange{Limit: new(3), Paused: new(false)}); err != nil {
		t.Error(err)
	}
}

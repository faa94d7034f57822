package orchestrator

import (
	"testing"
	"time"

	"ccdir/api"
)

// TestStallInterrupted: an agent that stalls again and again is interrupted a few
// times and then fails; progress between two prompts of the task counts anew.
func TestStallInterrupted(t *testing.T) {
	c := queue(t, api.NewTask{Prompt: "p", Steps: []string{"q"}, OnStall: api.StallInterrupt, StallPrompt: "go on", Stall: api.Duration(time.Minute)})
	ref := Ref{"t1", 1}
	do(t, c, 0, up("t1", 1)...)
	at := time.Duration(0)
	interrupted := func(step int) {
		t.Helper()
		c.Settle()
		at += time.Minute
		do(t, c, at, Tick{})
		if ch := c.Take(); len(ch.Effects) != 1 || ch.Effects[0].Kind != DoInterrupt || ch.Effects[0].Text != "go on" || ch.Effects[0].Step != step {
			t.Fatalf("%+v", ch.Effects)
		}
		want(t, c, "t1", api.TaskRunning, "no progress")
		do(t, c, at, Delivered{Ref: ref, Step: step})
		if c.tasks["t1"].Stalled {
			t.Error("still flagged")
		}
	}
	interrupted(0)
	interrupted(0)
	do(t, c, at, TurnEnded{Ref: ref})
	at += 2 * time.Second
	do(t, c, at, Tick{}, Delivered{Ref: ref, Step: 1})
	for range maxStalls {
		interrupted(1)
	}
	at += time.Minute
	do(t, c, at, Tick{})
	want(t, c, "t1", api.TaskFailed, "after 3 interruptions")
}

// TestPrintStalled: a one-shot run cannot be typed to: it is ended and goes on in
// its conversation with the prompt for stalls.
func TestPrintStalled(t *testing.T) {
	c := queue(t, api.NewTask{Prompt: "p", Kind: api.TaskPrint, OnStall: api.StallInterrupt, StallPrompt: "go on", Stall: api.Duration(time.Minute)})
	do(t, c, 0, up("t1", 1)...)
	c.Settle()
	do(t, c, time.Minute, Tick{})
	want(t, c, "t1", api.TaskQueued, "interrupted")
	if ch := c.Take(); len(ch.Effects) != 1 || ch.Effects[0].Kind != DoEnd {
		t.Fatalf("%+v", ch.Effects)
	}
	c.Settle()
	do(t, c, time.Minute, Failed{Ref: Ref{"t1", 1}, Kind: FailTask, Reason: "ended by a signal"}, Exited{Ref: Ref{"t1", 1}, Code: code(143)})
	ch := c.Take()
	if len(ch.Effects) != 1 || ch.Effects[0].Kind != DoStart || ch.Effects[0].Text != "go on" || ch.Effects[0].Resume != "conv" {
		t.Fatalf("%+v", ch.Effects)
	}
	if r := c.tasks["t1"]; r.Attempt != 2 || r.Failures != 0 {
		t.Errorf("%+v", r)
	}
}

// TestParkedGoesOn: what met a limit in the middle of its work is told to go on;
// what did not begin gets its prompt again.
func TestParkedGoesOn(t *testing.T) {
	c := queue(t, api.NewTask{Prompt: "p"}, api.NewTask{Prompt: "q"})
	do(t, c, 0, append(up("t1", 1), up("t2", 1)...)...)
	at := time.Duration(0)
	park := func(attempt int, turns int) (texts []string) {
		t.Helper()
		c.Settle()
		for _, id := range []string{"t1", "t2"} {
			ref := Ref{id, attempt}
			if id == "t1" {
				do(t, c, at, Used{Ref: ref, Turns: turns})
			}
			do(t, c, at, Failed{Ref: ref, Kind: FailUsage, Reason: "limit", Reset: t0.Add(at + time.Hour)}, Exited{Ref: ref, Code: code(0)})
		}
		at += time.Hour
		do(t, c, at, Tick{})
		at += time.Minute
		do(t, c, at, Tick{})
		for _, id := range []string{"t1", "t2"} {
			for _, e := range up(id, attempt+1) {
				do(t, c, at, e)
			}
		}
		for _, e := range c.Take().Effects {
			if e.Kind == DoDeliver {
				texts = append(texts, e.Task+": "+e.Text)
			}
		}
		return texts
	}
	for attempt, turns := range []int{3, 0} {
		texts := park(attempt+1, turns)
		if len(texts) != 2 || texts[0] != "t1: "+continuePrompt || texts[1] != "t2: q" {
			t.Errorf("attempt %d: %q", attempt+2, texts)
		}
	}
}

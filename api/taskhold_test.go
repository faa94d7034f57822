package api

import (
	"testing"
	"time"
)

// TestTaskHold: what keeps a queued task from starting, and where that puts it in lists.
func TestTaskHold(t *testing.T) {
	now := time.Date(2026, 5, 4, 9, 30, 0, 0, time.Local)
	auto := Queue{Mode: QueueAuto, Limit: 2, Counts: map[TaskState]int{TaskRunning: 1}}
	full := Queue{Mode: QueueAuto, Limit: 2, Counts: map[TaskState]int{TaskRunning: 1, TaskWaiting: 1}}
	parked := Queue{Mode: QueueAuto, Limit: 2, Parked: map[string]time.Time{"claude": now.Add(26 * time.Hour)}}
	behind := Task{State: TaskQueued, NewTask: NewTask{After: []TaskAfter{{Task: "t3"}, {Task: "t4"}, {Task: "t5"}}}}
	again := Task{State: TaskQueued, Attempt: 1, Reason: "it broke", NotBefore: now.Add(11 * time.Minute)}
	for _, tt := range []struct {
		name string
		q    Queue
		task Task
		hold Hold
		line string
		need Need
	}{
		{"behind others", auto, behind, HoldAfter, "waits for t3, t5", NeedWaiting},
		{"back-off", auto, again, HoldBackoff, "back-off until 09:41: it broke", NeedWaiting},
		{"soon", auto, Task{State: TaskQueued, NotBefore: now.Add(10 * time.Second)}, HoldBackoff, "back-off until 09:30:10", NeedWaiting},
		{"usage limit", parked, Task{State: TaskQueued, NewTask: NewTask{Agent: "claude"}}, HoldAgent, "usage limit of claude until Tue 5 May 11:30", NeedWaiting},
		{"manual", Queue{Mode: QueueManual, Limit: 2}, Task{State: TaskQueued}, HoldManual, "mode is manual", NeedQueued},
		{"a retry in mode manual", Queue{Mode: QueueManual, Limit: 2}, Task{State: TaskQueued, Attempt: 1}, HoldNone, "", NeedQueued},
		{"paused", Queue{Mode: QueuePaused}, Task{State: TaskQueued}, HoldPaused, "the queue is paused", NeedQueued},
		{"limit", full, Task{State: TaskQueued}, HoldLimit, "limit of 2 reached", NeedQueued},
		{"next", auto, Task{State: TaskQueued}, HoldNone, "", NeedQueued},
		{"asks", auto, Task{State: TaskWaiting, Reason: "Which hash?"}, HoldNone, "Which hash?", NeedsYou},
		{"stalled", auto, Task{State: TaskRunning, Stalled: true, Reason: "no progress"}, HoldNone, "no progress", NeedsYou},
		{"done", auto, Task{State: TaskDone, Result: TaskResult{Message: "\nall green\nmore"}}, HoldNone, "all green", NeedDone},
		{"failed", auto, Task{State: TaskTimedOut, Reason: "too long"}, HoldNone, "too long", NeedFailed},
		{"blocked", auto, Task{State: TaskBlocked}, HoldNone, "", NeedFailed},
	} {
		hold, words := tt.q.Hold(tt.task, map[string]bool{"t3": true, "t5": true}, now)
		if line := tt.task.Headline(words); hold != tt.hold || line != tt.line || tt.task.Need(hold) != tt.need {
			t.Errorf("%s: %q %q %s", tt.name, hold, line, tt.task.Need(hold))
		}
	}
}

// TestStages: a task on its way out says where it is, unless a person is asked there.
func TestStages(t *testing.T) {
	for want, task := range map[string]Task{
		"in checks": {State: TaskRunning, Stage: StageChecks}, "in review": {State: TaskWaiting, Stage: StageReview}, "is pushed": {State: TaskRunning, Stage: StagePush},
		"pull request": {State: TaskRunning, Stage: StageOpen}, "asks": {State: TaskWaiting, Stage: StageOpen}, "timed out": {State: TaskTimedOut},
	} {
		if got := task.StandingWord(); got != want {
			t.Errorf("%+v: %q, want %q", task, got, want)
		}
	}
}

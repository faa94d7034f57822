package api

import (
	"testing"
	"time"
)

// TestNews: what has ended and was not looked at, those that failed apart; what a person
// cancelled, or has seen, is no news.
func TestNews(t *testing.T) {
	at := func(n int) time.Time { return time.Unix(int64(n), 0) }
	list := []Task{
		{ID: "t1", State: TaskDone, Unseen: true, Ended: at(1)},
		{ID: "t2", State: TaskFailed, Unseen: true, Ended: at(2)},
		{ID: "t3", State: TaskFailed, Ended: at(3)},
		{ID: "t4", State: TaskBlocked, Unseen: true, Ended: at(4)},
		{ID: "t5", State: TaskCancelled, Ended: at(5)},
		{ID: "t6", State: TaskRunning},
	}
	n := News(list)
	if got := n.String(); got != "1 done, 2 failed" || n.Failed[0].ID != "t4" {
		t.Errorf("%q %v", got, n.Failed)
	}
	if got := News(list[2:3]).String(); got != "" {
		t.Errorf("seen: %q", got)
	}
	for i, want := range []Standing{StandingDone, StandingFailed, StandingSettled, StandingFailed, StandingEnded, StandingWorking} {
		if got := list[i].Standing(); got != want {
			t.Errorf("%s: %s instead of %s", list[i].ID, got, want)
		}
	}
}

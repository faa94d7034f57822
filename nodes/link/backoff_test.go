package link

import (
	"testing"
	"time"
)

// TestBackoff: tries begin 0.1 s apart at first and 30 s at last, and never all at once.
func TestBackoff(t *testing.T) {
	b := backoff{}
	last := time.Duration(0)
	for i := range 12 {
		next := b.next()
		low := min(100*time.Millisecond<<i, 30*time.Second)
		if next < low || next > low*5/4 {
			t.Errorf("pause %d is %s, not %s and a quarter at most", i, next, low)
		}
		if next < last && low < 30*time.Second {
			t.Errorf("pause %d is %s after %s", i, next, last)
		}
		last = next
	}
}

// TestSleepWatch: the machine has slept when the clock on the wall went on and the other one stood.
func TestSleepWatch(t *testing.T) {
	wall, ran := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), time.Hour
	w := sleepWatch{}
	for i, step := range []struct {
		wall, ran time.Duration
		want      bool
	}{
		{0, 0, false}, // nothing is known yet
		{time.Second, time.Second, false},
		{20 * time.Second, 20 * time.Second, false}, // stopped, or a loaded machine
		{20 * time.Second, time.Second, true},
		{time.Second, time.Second, false},
		{-time.Hour, time.Second, false}, // the clock was set back
	} {
		wall, ran = wall.Add(step.wall), ran+step.ran
		if got := w.sleptAt(wall, ran); got != step.want {
			t.Errorf("step %d: %t", i, got)
		}
	}
}

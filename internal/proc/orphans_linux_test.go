package proc

import (
	"os/exec"
	"testing"
	"time"
)

// TestReap: a child that has ended is left to whoever waits for it until the grace is over, and
// one that runs is left alone.
func TestReap(t *testing.T) {
	ended, runs := exec.Command("true"), exec.Command("sleep", "1000")
	for _, c := range []*exec.Cmd{ended, runs} {
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = runs.Process.Kill(); _ = runs.Wait() })
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		if state, _, err := stat(ended.Process.Pid); err != nil || state == 'Z' {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("true has not ended")
		}
	}
	o := Orphans{Grace: time.Minute}
	begin := time.Now()
	for _, step := range []struct {
		after time.Duration
		want  int
	}{{0, 0}, {time.Second, 0}, {time.Minute, 1}, {2 * time.Minute, 0}} {
		if n := o.Reap(t.Context(), begin.Add(step.after)); n != step.want {
			t.Errorf("after %s: %d reaped, want %d", step.after, n, step.want)
		}
	}
	if err := ended.Wait(); err == nil {
		t.Error("it was not reaped")
	}
	if state, _, err := stat(runs.Process.Pid); err != nil || state == 'Z' {
		t.Errorf("what runs was reaped: %c, %v", state, err)
	}
}

package callers_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"ccdir/daemon/callers"
)

// TestReap: a child that nobody waits for is left for a minute, and then reaped. Not at the same time
// as other tests, whose children it would reap too.
func TestReap(t *testing.T) {
	path, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	child, err := os.StartProcess(path, []string{"true"}, &os.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Release() }()
	var info unix.Siginfo
	if err := unix.Waitid(unix.P_PID, child.Pid, &info, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	left := func() bool { return !errors.Is(syscall.Kill(child.Pid, 0), syscall.ESRCH) }
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); callers.Reap(ctx, nil) }()
		time.Sleep(time.Minute)
		synctest.Wait()
		if !left() {
			t.Error("it was reaped within the minute")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if left() {
			t.Error("it was not reaped")
		}
		cancel()
		<-ended
	})
}

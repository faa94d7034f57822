package timeslice

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// sliceOf is the slice of a thread, in nanoseconds, 0 where the system has none.
func sliceOf(t *testing.T, tid int) uint64 {
	t.Helper()
	a, err := unix.SchedGetAttr(tid, 0)
	if err != nil {
		t.Fatal(err)
	}
	return a.Runtime
}

// child starts a process that lives until the test ends.
func child(t *testing.T) (pid int) {
	t.Helper()
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	return cmd.Process.Pid
}

// All threads of the process have short slices, and what Normal starts has not. On
// systems without slices nothing changes.
func TestSlices(t *testing.T) {
	pid := 0
	Normal(func() { pid = child(t) })
	usual, want := sliceOf(t, pid), uint64(short)
	if usual == 0 {
		want = 0 // Linux before 6.12
	} else if usual <= want {
		t.Fatalf("a slice has %d ns", usual)
	}
	Short()
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil || len(tasks) < 2 {
		t.Fatal(len(tasks), err)
	}
	for _, task := range tasks {
		tid, _ := strconv.Atoi(task.Name())
		if a, err := unix.SchedGetAttr(tid, 0); err == nil && a.Runtime != want {
			t.Errorf("thread %d has a slice of %d ns, want %d", tid, a.Runtime, want)
		}
	}
	if got := sliceOf(t, child(t)); got != want {
		t.Errorf("a child has %d ns, want %d", got, want)
	}
	Normal(func() { pid = child(t) })
	if got := sliceOf(t, pid); got != usual {
		t.Errorf("what Normal started has %d ns, want %d", got, usual)
	}
	if a, err := unix.SchedGetAttr(pid, 0); err != nil || a.Flags != 0 {
		t.Errorf("what Normal started has the flags %#x (%v)", a.Flags, err)
	}
	if got := sliceOf(t, child(t)); got != want {
		t.Errorf("a later child has %d ns, want %d", got, want)
	}
}

// How nice a process is stays as it is.
func TestNiceStays(t *testing.T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // the thread ends with its priority
		tid := unix.Gettid()
		if err := unix.Setpriority(unix.PRIO_PROCESS, tid, 7); err != nil {
			t.Error(err)
			return
		}
		set(tid, 0)
		if a, err := unix.SchedGetAttr(tid, 0); err != nil || a.Nice != 7 {
			t.Errorf("it is %d (%v), was 7", a.Nice, err)
		}
		if err := unix.SchedSetAttr(tid, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_BATCH}, 0); err != nil {
			t.Error(err)
			return
		}
		set(tid, 0)
		if a, err := unix.SchedGetAttr(tid, 0); err != nil || a.Policy != unix.SCHED_BATCH || a.Runtime == uint64(short) {
			t.Errorf("another policy was changed: %+v (%v)", a, err)
		}
	}()
	<-done
}

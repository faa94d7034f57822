package timeslice

import (
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// short is the shortest slice that the scheduler accepts.
const short = 100 * time.Microsecond

// Short gives the process short slices: its threads and those that they start.
func Short() {
	for range 5 { // a thread without it may just have started another one
		if all := shorten(); all {
			return
		}
	}
}

// shorten sets every thread's slice, and reports whether all had short slices already,
// or cannot have them.
func shorten() (all bool) {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return true
	}
	all = true
	for _, t := range tasks {
		if tid, err := strconv.Atoi(t.Name()); err == nil && set(tid, 0) {
			all = false
		}
	}
	return all
}

// Normal runs start on a thread whose children have slices of the usual length, and
// waits for it.
func Normal(start func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: the setting cannot be undone, so the thread ends
		set(0, unix.SCHED_FLAG_RESET_ON_FORK)
		start()
	}()
	<-done
}

// set gives a thread a short slice and those flags, and reports whether it had another
// one before. Other attributes stay; a thread with a scheduling policy of its own is
// left alone.
func set(tid int, flags uint64) (changed bool) {
	a, err := unix.SchedGetAttr(tid, 0)
	if err != nil || a.Policy != unix.SCHED_NORMAL || a.Runtime == 0 { // 0: Linux before 6.12
		return false
	}
	changed = a.Runtime != uint64(short)
	a.Size, a.Runtime = unix.SizeofSchedAttr, uint64(short)
	a.Flags |= flags
	return unix.SchedSetAttr(tid, a, 0) == nil && changed
}

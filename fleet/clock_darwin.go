package fleet

import "golang.org/x/sys/unix"

// now is the time since the machine's start in nanoseconds, with the time in which it slept.
func now() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &t) // mach_continuous_time; never fails
	return t.Nano()
}

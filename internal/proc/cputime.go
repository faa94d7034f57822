package proc

import (
	"time"

	"golang.org/x/sys/unix"
)

// ChildTime is the processor time that processes have taken which this one started and that
// have ended.
func ChildTime() time.Duration { return usedTime(unix.RUSAGE_CHILDREN) }

// OwnTime is the processor time that this process has taken.
func OwnTime() time.Duration { return usedTime(unix.RUSAGE_SELF) }

func usedTime(who int) time.Duration {
	var u unix.Rusage
	if unix.Getrusage(who, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

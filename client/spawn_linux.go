package client

import (
	"errors"
	"math"

	"golang.org/x/sys/unix"
)

// closeOnExec sets close-on-exec on every descriptor above the standard ones, so that a
// daemon does not inherit descriptors that this process inherited. (Go sets it only on
// those that it opens.)
func closeOnExec() error {
	err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EPERM) {
		return markEach("/proc/self/fd") // before Linux 5.11, or forbidden
	}
	return err
}

//go:build unix

package notify

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock locks a file until it is closed.
func lock(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != unix.EINTR {
			return err
		}
	}
}

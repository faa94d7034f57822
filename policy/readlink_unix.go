//go:build unix

package policy

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// readlink is os.Readlink without allocations for names that are no link, which are nearly
// all.
func readlink(name string) (string, error) {
	var buf [512]byte
	for {
		n, err := unix.Readlink(name, buf[:])
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return "", err
		case n == len(buf):
			return os.Readlink(name)
		default:
			return string(buf[:n]), nil
		}
	}
}

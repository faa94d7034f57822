package tty

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// reopen opens the terminal behind f once more, nil if that is not possible
// (no permission, as after su).
func reopen(f *os.File, flag int) *os.File {
	n, err := os.OpenFile("/proc/self/fd/"+strconv.Itoa(int(f.Fd())), flag|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	return n
}

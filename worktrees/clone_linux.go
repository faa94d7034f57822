package worktrees

import (
	"os"

	"golang.org/x/sys/unix"
)

// nonblock keeps the opening of a FIFO from blocking.
const nonblock = unix.O_NONBLOCK

// cloneFile makes dst share the disk's blocks with src, where the file system can.
func cloneFile(dst, src *os.File) error {
	return unix.IoctlFileClone(int(dst.Fd()), int(src.Fd())) //nolint:gosec // descriptors
}

package worktrees

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// nonblock keeps the opening of a FIFO from blocking.
const nonblock = unix.O_NONBLOCK

// cloneFile cannot share blocks between files that are open: clonefile(2) makes the new
// file itself, by its name.
func cloneFile(_, _ *os.File) error { return errors.ErrUnsupported }

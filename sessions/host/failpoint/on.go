//go:build faults

package failpoint

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
)

// leaked is the memory that the fail point "leak" never frees, a megabyte per call.
var leaked [][]byte

// At fails at a named point, with the error that the system would give, while a file of
// that name exists in $CCDIR_FAULTS.
func At(name string) error {
	dir := os.Getenv("CCDIR_FAULTS")
	if dir == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
		return nil
	}
	switch name {
	case "pty":
		return syscall.ENOSPC // what openpty returns when there are no PTYs left
	case "leak":
		leaked = append(leaked, bytes.Repeat([]byte{1}, 1<<20))
		return nil
	}
	return syscall.EIO
}

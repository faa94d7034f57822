//go:build faults

package host

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
)

// leaked is what the point "leak" does not let go of, a megabyte each time.
var leaked [][]byte

// fault fails at a named point, as the system does there, while a file of that
// name is in the directory CCDIR_FAULTS.
func fault(name string) error {
	dir := os.Getenv("CCDIR_FAULTS")
	if dir == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
		return nil
	}
	switch name {
	case "pty":
		return syscall.ENOSPC // what openpty says when there are no more
	case "leak":
		leaked = append(leaked, bytes.Repeat([]byte{1}, 1<<20))
		return nil
	}
	return syscall.EIO
}

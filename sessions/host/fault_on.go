//go:build faults

package host

import (
	"os"
	"path/filepath"
	"syscall"
)

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
	}
	return syscall.EIO
}

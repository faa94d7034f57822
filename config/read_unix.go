//go:build unix

package config

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// readFile reads a configuration that only its user (or root) can have written: it
// names commands that are run. The group may have write permission, because many
// systems create files so, each user with a group of their own.
func readFile(file string) ([]byte, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO must not block
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", file)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s is larger than %d bytes", file, maxFile)
	}
	if err := trusted(file, info); err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(real)
	if info, err = os.Stat(dir); err != nil {
		return nil, err
	}
	if info.Mode()&os.ModeSticky == 0 {
		if err := trusted(dir, info); err != nil {
			return nil, err
		}
	}
	return io.ReadAll(io.LimitReader(f, maxFile))
}

// trusted refuses a file that every user can change, or that belongs to another user.
func trusted(name string, info os.FileInfo) error {
	if info.Mode().Perm()&0o002 != 0 {
		return fmt.Errorf("everybody may write %s: run `chmod o-w` on it", name)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() && st.Uid != 0 {
		return fmt.Errorf("%s belongs to another user (uid %d): it must be yours", name, st.Uid)
	}
	return nil
}

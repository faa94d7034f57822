//go:build unix

package file

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// readSecure reads a policy file that only uid and root can change. The checks apply to the
// open file and to its real directory.
func readSecure(file string, uid int) ([]byte, os.FileInfo, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a named pipe must not block
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, info, fmt.Errorf("%s is no regular file", file)
	}
	if err := private(file, info, uid, 0o022); err != nil {
		return nil, info, err
	}
	if real, err := filepath.EvalSymlinks(file); err != nil {
		return nil, info, err
	} else if err := privateDir(filepath.Dir(real), uid); err != nil {
		return nil, info, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	return data, info, err
}

func private(name string, info os.FileInfo, uid int, others os.FileMode) error {
	if info.Mode().Perm()&others != 0 {
		return fmt.Errorf("others may write %s: run chmod go-w on it", name)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != uid && st.Uid != 0 {
		return fmt.Errorf("%s belongs to another user (uid %d): it must be yours", name, st.Uid)
	}
	return nil
}

// privateDir refuses a directory in which every user can replace files. With the sticky bit
// they cannot.
func privateDir(dir string, uid int) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if info.Mode()&os.ModeSticky != 0 {
		return nil
	}
	return private(dir, info, uid, 0o002)
}

//go:build unix

package client

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"ccdir/internal/disk/paths"
)

// CheckRuntime checks the directories of the sockets, as far as they exist: they have to be
// directories (no symbolic links) that belong to uid, and that no other user can enter.
// They are in /tmp, where another user could create them first. A missing directory is no
// error.
func CheckRuntime(p paths.Paths, uid int) error {
	for _, dir := range p.RuntimeDirs() {
		info, err := os.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("cannot look at the socket directory %s: %w", dir, err)
		}
		if err := checkDir(dir, info, uid); err != nil {
			return err
		}
	}
	return nil
}

// CheckState checks that no other user can write to the state directory, if it exists: it
// has tokens and the daemon's database.
func CheckState(dir string, uid int) error {
	info, err := os.Stat(dir) // a link of the user's own may lead elsewhere
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot look at the state directory: %w", err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory: remove it, or set CCDIR_HOME", dir)
	case !ok || int(st.Uid) != uid:
		return fmt.Errorf("the state directory %s belongs to another user: set CCDIR_HOME to a directory of yours", dir)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("others may write the state directory %s (mode %04o): run `chmod go-w %s`", dir, info.Mode().Perm(), dir)
	}
	return nil
}

func checkDir(dir string, info fs.FileInfo, uid int) error {
	if info.Mode()&fs.ModeSymlink != 0 || !info.IsDir() {
		return fmt.Errorf("the socket directory %s is not a directory but %s: somebody may be after your sessions; remove it", dir, kind(info.Mode()))
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if ok && int(st.Uid) != uid {
		return fmt.Errorf("the socket directory %s belongs to user %d, not to you (%d): have it removed, then try again", dir, st.Uid, uid)
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return fmt.Errorf("the socket directory %s is open to other users (mode %04o): run `chmod 700 %s`", dir, perm, dir)
	}
	return nil
}

func kind(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m.IsRegular():
		return "a file"
	}
	return "something else"
}

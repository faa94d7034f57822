//go:build unix

package listen

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ccdir/internal/disk/paths"
	"ccdir/internal/tune/rawio"
)

// EnsureRuntime makes the socket directories and checks that only this user has access:
// they are in /tmp, where anybody can make a directory of that name first.
func EnsureRuntime(p paths.Paths, uid int) error {
	for _, dir := range p.RuntimeDirs() {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("cannot make the socket directory: %w", err)
		}
		info, err := os.Lstat(dir)
		if err != nil {
			return fmt.Errorf("cannot look at the socket directory: %w", err)
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		switch {
		case !info.IsDir():
			return fmt.Errorf("%s is not a directory: remove it, sockets must lie there", dir)
		case !ok || int(st.Uid) != uid:
			return fmt.Errorf("the socket directory %s belongs to another user: have it removed, then try again", dir)
		case info.Mode().Perm()&0o077 != 0:
			return fmt.Errorf("the socket directory %s is open to other users (mode %04o): run `chmod 700 %s`", dir, info.Mode().Perm(), dir)
		}
	}
	return nil
}

// Socket is the listening socket, identified by its inode. It accepts connections from Open until
// Close.
type Socket struct {
	path     string
	listener *net.UnixListener
	dev, ino uint64
}

// Open makes the socket under a temporary name, so that it has its mode and accepts
// connections before it is visible, and renames it over a stale one.
func Open(path string) (*Socket, error) {
	if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
		c.Close()
		return nil, fmt.Errorf("another daemon answers at %s, of another state directory: stop it, or set CCDIR_HOME", path)
	}
	tmp := path + "." + strconv.Itoa(os.Getpid())
	if err := os.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	l, err := rawio.ListenPrivate(tmp)
	if err != nil {
		return nil, fmt.Errorf("cannot make the daemon's socket: %w", err)
	}
	s := &Socket{path: path, listener: l}
	s.dev, s.ino, err = inode(tmp)
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		l.Close()
		os.Remove(tmp)
		return nil, fmt.Errorf("cannot make the daemon's socket: %w", err)
	}
	return s, nil
}

// inode returns the identity of a file.
func inode(path string) (dev, ino uint64, err error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return 0, 0, err
	}
	return uint64(st.Dev), st.Ino, nil //nolint:unconvert // Dev is int32 on darwin
}

// Listener accepts the socket's connections; closing it leaves the path.
func (s *Socket) Listener() net.Listener { return s.listener }

// Ours reports whether the path still names this socket.
func (s *Socket) Ours() bool {
	dev, ino, err := inode(s.path)
	return err == nil && dev == s.dev && ino == s.ino
}

// Close removes the socket, if it still is ours, and stops accepting.
func (s *Socket) Close() error {
	var err error
	if s.Ours() {
		err = os.Remove(s.path)
	}
	return errors.Join(err, s.listener.Close())
}

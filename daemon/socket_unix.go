//go:build unix

package daemon

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

// ensureRuntime makes the socket directories and checks that only this user has access:
// they are in /tmp, where anybody can make a directory of that name first.
func ensureRuntime(p paths.Paths, uid int) error {
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

// lockFile is the daemon's lock, held while the file is open. Only one goroutine at a time
// uses it.
type lockFile struct {
	path string
	f    *os.File
}

// lock takes the daemon's lock. The file stays; the lock ends with the process.
func lock(path string) (*lockFile, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot open the daemon's lock: %w", err)
	}
	// A daemon that is stopping holds the lock a moment longer than its socket.
	for deadline := time.Now().Add(lockTime); ; {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return &lockFile{path: path, f: f}, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			f.Close()
			return nil, fmt.Errorf("cannot lock %s: %w: is the state directory on a network file system? set CCDIR_HOME", path, err)
		}
		if time.Now().After(deadline) {
			f.Close()
			return nil, fmt.Errorf("%w (its lock is %s): see `ccdir daemon status`", ErrRunning, path)
		}
		time.Sleep(lockPoll)
	}
}

// inPlace reports whether the path still names the locked file.
func (l *lockFile) inPlace() bool {
	own, err := l.f.Stat()
	if err != nil {
		return true
	}
	there, err := os.Stat(l.path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return os.SameFile(own, there)
}

// remake makes and locks the file again, after somebody removed it.
func (l *lockFile) remake() error {
	again, err := lock(l.path)
	if err != nil {
		return err
	}
	l.f.Close()
	l.f = again.f
	return nil
}

func (l *lockFile) release() { l.f.Close() }

// lockTime bounds the wait for the lock; lockPoll is the interval of attempts, because
// there is no event for its release.
const (
	lockTime = 2 * time.Second
	lockPoll = 20 * time.Millisecond
)

// socket is the listening socket, identified by its inode.
type socket struct {
	path     string
	listener *net.UnixListener
	dev, ino uint64
}

// listen makes the socket under a temporary name, so that it has its mode and accepts
// connections before it is visible, and renames it over a stale one.
func listen(path string) (*socket, error) {
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
	s := &socket{path: path, listener: l}
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

// ours reports whether the path still names this socket.
func (s *socket) ours() bool {
	dev, ino, err := inode(s.path)
	return err == nil && dev == s.dev && ino == s.ino
}

// close removes the socket, if it still is ours, and stops accepting.
func (s *socket) close() error {
	var err error
	if s.ours() {
		err = os.Remove(s.path)
	}
	return errors.Join(err, s.listener.Close())
}

// removeServerFile removes server.json.
func removeServerFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

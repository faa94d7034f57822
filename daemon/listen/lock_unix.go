//go:build unix

package listen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// ErrRunning: another daemon holds the lock.
var ErrRunning = errors.New("another daemon runs already")

// LockFile is the daemon's lock, held while the file is open. Only one goroutine at a time
// uses it.
type LockFile struct {
	path string
	f    *os.File
}

// Lock takes the daemon's lock; ErrRunning if another process keeps it. The file stays; the lock
// ends with the process. Lock blocks for up to lockTime.
func Lock(path string) (*LockFile, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot open the daemon's lock: %w", err)
	}
	// A daemon that is stopping holds the lock a moment longer than its socket.
	for deadline := time.Now().Add(lockTime); ; {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return &LockFile{path: path, f: f}, nil
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

// InPlace reports whether the path still names the locked file.
func (l *LockFile) InPlace() bool {
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

// Remake makes and locks the file again, after somebody removed it.
func (l *LockFile) Remake() error {
	again, err := Lock(l.path)
	if err != nil {
		return err
	}
	l.f.Close()
	l.f = again.f
	return nil
}

// Release gives the lock up.
func (l *LockFile) Release() { l.f.Close() }

// lockTime bounds the wait for the lock; lockPoll is the interval of attempts, because
// there is no event for its release.
const (
	lockTime = 2 * time.Second
	lockPoll = 20 * time.Millisecond
)

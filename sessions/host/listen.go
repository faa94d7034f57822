package host

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ccdir/internal/tune/rawio"
	"ccdir/wire"
)

// listener is the host's socket. It can be made again when its file vanished:
// connections that wait on the old one are lost, those accepted are not.
type listener struct {
	path string

	mu     sync.Mutex
	l      *net.UnixListener
	file   os.FileInfo // of the socket, to remove no other's
	closed bool
}

// listen makes the socket, readable and writable by its owner alone. A stale
// one is replaced, a live one is an error.
func listen(path string) (*listener, error) {
	l := &listener{path: path}
	if err := l.bind(); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *listener) bind() error {
	if err := privateDir(filepath.Dir(l.path)); err != nil {
		return err
	}
	if _, err := os.Lstat(l.path); err == nil {
		if c, err := net.DialTimeout("unix", l.path, time.Second); err == nil {
			c.Close()
			return fmt.Errorf("socket %s is in use by another process", l.path)
		}
		if err := os.Remove(l.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("stale socket cannot be replaced: %w", err)
		}
	}
	nl, err := rawio.ListenPrivate(l.path)
	if err != nil {
		return fmt.Errorf("socket %s cannot be made: %w", l.path, err)
	}
	info, err := os.Lstat(l.path)
	if err != nil {
		nl.Close()
		return err
	}
	l.l, l.file = nl, info
	return nil
}

// privateDir makes dir (0700), or checks that it is a directory of this user
// that nobody else can use.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("socket directory %s cannot be made: %w", dir, err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory: remove it", dir)
	case !ok || int(st.Uid) != os.Getuid():
		return fmt.Errorf("socket directory %s belongs to another user", dir)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("socket directory %s can be used by others: chmod 700 %s", dir, dir)
	}
	return nil
}

// accept waits for a connection; a new socket replaces the old one while it
// waits.
func (l *listener) accept() (*net.UnixConn, error) {
	for {
		l.mu.Lock()
		cur, closed := l.l, l.closed
		l.mu.Unlock()
		if closed {
			return nil, net.ErrClosed
		}
		c, err := cur.AcceptUnix()
		if err == nil {
			return c, nil
		}
		l.mu.Lock()
		replaced := l.l != cur
		l.mu.Unlock()
		if !replaced {
			return nil, err
		}
	}
}

// rebind makes the socket again if its file is not ours any more.
func (l *listener) rebind() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.ours() {
		return nil
	}
	old := l.l
	if err := l.bind(); err != nil {
		return err
	}
	old.Close()
	return nil
}

// ours reports whether the socket's file is the one made here.
func (l *listener) ours() bool {
	info, err := os.Lstat(l.path)
	return err == nil && os.SameFile(info, l.file)
}

// close ends accept and removes the socket's file.
func (l *listener) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	if l.ours() {
		os.Remove(l.path)
	}
	l.l.Close()
}

// tidyDir removes the directory of the sockets if it is empty and no daemon runs, which
// does so itself: daemons hold the lock from before they make the directory. Hosts share
// it, so that of two that end at once the last one finds nobody in its way.
func tidyDir(spec wire.HostSpec) {
	if spec.Lock == "" {
		return
	}
	f, err := os.Open(spec.Lock)
	if err != nil {
		return
	}
	defer f.Close() // which unlocks
	if unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == nil {
		_ = os.Remove(filepath.Dir(spec.Socket)) // fails when it is not empty
	}
}

// rebindLoop makes the socket again when asked to. A failure leaves the host
// without a socket until it is asked again.
func (h *host) rebindLoop(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-h.opts.Rebind:
			_ = h.listen.rebind()
		}
	}
}

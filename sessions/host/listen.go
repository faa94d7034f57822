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

// listener is the host's socket. rebind creates it again if its file vanished: pending
// connections on the old one are lost, accepted ones are not.
type listener struct {
	path string

	mu     sync.Mutex
	l      *net.UnixListener
	file   os.FileInfo // of the socket file: no other file is removed
	closed bool
}

// listen creates the socket with mode 0600. It replaces a stale socket and fails if another
// process answers.
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

// privateDir creates dir (0700), or checks that it belongs to this user and nobody else can
// use it.
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

// accept waits for a connection, on whichever socket is current.
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

// rebind creates the socket again if its file is no longer ours.
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

// ours reports whether the socket's file is the one that this process created.
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

// tidyDir removes the socket directory if it is empty and no daemon runs (a daemon removes
// it itself, and holds the lock from before it creates it). Hosts share the lock, so that
// the last of two that end together can remove the directory.
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

// rebindLoop creates the socket again when asked to. If that fails, the host has no socket
// until it is asked again.
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

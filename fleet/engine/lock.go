package engine

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Lock takes a server's directory for this process, until the file is closed or the process ends: a second server
// in it would rewrite the streams under the first one. It does not wait.
func Lock(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "serve.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
		return f, nil
	}
	_ = f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, fmt.Errorf("a server runs from %s already: `ccdir-fleet status` shows it; another one needs another --dir", dir)
	}
	return nil, fmt.Errorf("cannot lock %s: %w: is it on a network file system? name another --dir", f.Name(), err)
}

// free tells whether somebody else listens there. The engine itself would open the streams first, and try for long.
func free(host string, port int) error {
	if port <= 0 {
		return nil
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, fmt.Sprint(port)))
	if err != nil {
		return fmt.Errorf("cannot serve: %w: end what listens there, or name another address", err)
	}
	return l.Close()
}

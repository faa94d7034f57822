package engine

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Lock takes a server's directory for this process, until the file is closed or the process ends: a second server
// in it would rewrite the streams under the first one. It does not wait.
func Lock(dir string) (*os.File, error) {
	return lock(dir, "serve.lock", "a server runs from %s already (%s): `ccdir-fleet status` shows it; another one needs another --dir")
}

// LockJoin makes this process the one that takes tasks for a machine, whose state directory is dir, until the file
// is closed or the process ends: two would answer for the same places. It does not wait.
func LockJoin(dir string) (*os.File, error) {
	return lock(dir, "fleet-join.lock", "this machine (%s) takes part already (%s): end that `ccdir-fleet join` first")
}

// lock holds a file, and says by held, of the directory and the process, who does.
func lock(dir, name, held string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
		if err = f.Truncate(0); err == nil {
			_, err = fmt.Fprintln(f, os.Getpid())
		}
		if err == nil {
			return f, nil
		}
	}
	who := holder(f)
	_ = f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, fmt.Errorf(held, dir, who)
	}
	return nil, fmt.Errorf("cannot lock %s: %w: is it on a network file system, or its disk full?", f.Name(), err)
}

// holder is the process that a lock's file names.
func holder(f *os.File) string {
	text, err := io.ReadAll(io.LimitReader(f, 32))
	pid, bad := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || bad != nil {
		return "by another process"
	}
	return fmt.Sprintf("pid %d", pid)
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

//go:build unix

package rawio

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
)

// ListenPrivate listens at path, for its user alone (mode 0600). On Linux the socket
// has that mode from the start, whatever the umask is: a socket file gets the mode of
// its descriptor.
func ListenPrivate(path string) (*net.UnixListener, error) {
	conf := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { _ = syscall.Fchmod(int(fd), 0o600) }) // other systems: chmod after bind does it
	}}
	l, err := conf.Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, err
	}
	unix, ok := l.(*net.UnixListener)
	if !ok {
		return nil, errors.Join(net.ErrClosed, l.Close())
	}
	unix.SetUnlinkOnClose(false)
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, unix.Close())
	}
	return unix, nil
}

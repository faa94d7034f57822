package rawio

import (
	"context"
	"errors"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// queuePause is how long Dial waits for room in a listener's queue. The system
// tells nobody that there is some.
const queuePause = 2 * time.Millisecond

// Dial connects to the unix socket of that path. That takes no time: the listener
// need not have accepted yet. Where its queue is full, ctx bounds the wait.
func Dial(ctx context.Context, path string) (*Conn, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, dialError(path, os.NewSyscallError("socket", err))
	}
	if err := connect(ctx, fd, path); err != nil {
		unix.Close(fd)
		return nil, dialError(path, err)
	}
	n := &Conn{local: &net.UnixAddr{Net: "unix"}, remote: &net.UnixAddr{Name: path, Net: "unix"}}
	if err := n.own(fd); err != nil {
		return nil, err
	}
	return n, nil
}

func connect(ctx context.Context, fd int, path string) error {
	for {
		err := unix.Connect(fd, &unix.SockaddrUnix{Name: path})
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN):
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(queuePause):
			}
		default:
			return os.NewSyscallError("connect", err)
		}
	}
}

// dialError is err as the net package has it.
func dialError(path string, err error) error {
	return &net.OpError{Op: "dial", Net: "unix", Addr: &net.UnixAddr{Name: path, Net: "unix"}, Err: err}
}

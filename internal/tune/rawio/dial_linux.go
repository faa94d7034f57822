package rawio

import (
	"context"
	"errors"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// queuePause is how long Dial waits before it retries when a listener's queue is full:
// no event announces that there is room.
const queuePause = 2 * time.Millisecond

// Dial connects to the unix socket at path, and does not wait for the listener to
// accept. If the listener's queue is full, ctx bounds the wait.
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

// dialError wraps err as package net does.
func dialError(path string, err error) error {
	return &net.OpError{Op: "dial", Net: "unix", Addr: &net.UnixAddr{Name: path, Net: "unix"}, Err: err}
}

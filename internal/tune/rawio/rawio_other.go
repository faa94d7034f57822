//go:build !linux

package rawio

import (
	"context"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// File is a terminal or another file that supports polling.
type File struct{ *os.File }

// NewFile takes ownership of f: f is closed, also after an error. The runtime's poller
// waits for the new file, whatever mode f was in, so that a read holds no thread and
// deadlines work.
func NewFile(f *os.File) (*File, error) {
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, os.NewSyscallError("fcntl", err)
	}
	return &File{os.NewFile(uintptr(fd), f.Name())}, nil
}

// Control calls g with the descriptor, which is valid during the call.
func (f *File) Control(g func(fd uintptr)) error {
	rc, err := f.SyscallConn()
	if err != nil {
		return err
	}
	return rc.Control(g)
}

// Conn is a connection on a unix socket.
type Conn struct{ *net.UnixConn }

// NewConn takes ownership of c: c is closed after an error.
func NewConn(c *net.UnixConn) (*Conn, error) { return &Conn{c}, nil }

// Control calls g with the descriptor, which is valid during the call.
func (c *Conn) Control(g func(fd uintptr)) error {
	rc, err := c.SyscallConn()
	if err != nil {
		return err
	}
	return rc.Control(g)
}

// ReadWith calls read, which does not block, until it returns true; between calls it
// waits for input, at most until the read deadline. It counts as a Read.
func (c *Conn) ReadWith(read func(fd uintptr) bool) error {
	rc, err := c.SyscallConn()
	if err != nil {
		return err
	}
	return rc.Read(read)
}

// Dial connects to the unix socket at path. ctx bounds it.
func Dial(ctx context.Context, path string) (*Conn, error) {
	nc, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	return NewConn(nc.(*net.UnixConn))
}

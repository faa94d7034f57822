//go:build unix

package call

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ccdir/internal/proc"
)

// A hook process does one thing at a time, so it uses blocking system calls. The runtime's
// poller would add an epoll, an eventfd and switches between threads, which take as long as
// the call itself.

// errLate is returned when a deadline has passed.
var errLate = errors.New("too late")

// rawConn is a blocking connection to a unix socket. One goroutine uses it.
type rawConn struct {
	fd       int
	deadline time.Time
}

// dial connects until limit; later calls end at deadline. The connect of a unix socket blocks
// while the listener's backlog is full.
func dial(path string, limit, deadline time.Time) (*rawConn, error) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	c := &rawConn{fd: fd, deadline: limit}
	for {
		if err = c.within(syscall.SO_SNDTIMEO); err != nil {
			break
		}
		if err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: path}); err != syscall.EINTR {
			break
		}
	}
	if err == nil {
		err = proc.CheckListener(uintptr(fd), os.Getuid()) // before the token is sent
	}
	if err != nil {
		c.close()
		return nil, err
	}
	c.deadline = deadline
	return c, nil
}

func (c *rawConn) close() { _ = syscall.Close(c.fd) }

// within bounds the next call by the deadline.
func (c *rawConn) within(option int) error {
	left := time.Until(c.deadline)
	if left <= 0 {
		return errLate
	}
	tv := syscall.NsecToTimeval(max(left, time.Millisecond).Nanoseconds())
	return syscall.SetsockoptTimeval(c.fd, syscall.SOL_SOCKET, option, &tv)
}

// Read implements io.Reader.
func (c *rawConn) Read(p []byte) (int, error) {
	for {
		if err := c.within(syscall.SO_RCVTIMEO); err != nil {
			return 0, err
		}
		switch n, err := syscall.Read(c.fd, p); {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			return 0, errLate
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// Write implements io.Writer.
func (c *rawConn) Write(p []byte) (written int, err error) {
	for written < len(p) {
		if err := c.within(syscall.SO_SNDTIMEO); err != nil {
			return written, err
		}
		switch n, err := syscall.Write(c.fd, p[written:]); {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			return written, errLate
		case err != nil:
			return written, err
		default:
			written += n
		}
	}
	return written, nil
}

// timedFile reads a file or pipe until a deadline.
type timedFile struct {
	fd       int
	deadline time.Time
}

// Read implements io.Reader.
func (f timedFile) Read(p []byte) (int, error) {
	for {
		left := time.Until(f.deadline)
		if left <= 0 {
			return 0, errLate
		}
		fds := []unix.PollFd{{Fd: int32(f.fd), Events: unix.POLLIN}}
		ready, err := unix.Poll(fds, int((left+time.Millisecond-1)/time.Millisecond))
		if err == unix.EINTR || err == nil && ready == 0 {
			continue
		}
		if err != nil {
			return 0, err
		}
		switch n, err := syscall.Read(f.fd, p); {
		case err == syscall.EINTR || err == syscall.EAGAIN:
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// timed returns r with a deadline; ok is false if r cannot have one.
func timed(r io.Reader, deadline time.Time) (io.Reader, bool) {
	f, ok := r.(*os.File)
	if !ok {
		return r, false
	}
	return timedFile{int(f.Fd()), deadline}, true
}

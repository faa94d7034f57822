package rawio

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// quickReads is how many reads in a row may find data without waiting before the reader
// counts as busy. Two: a key's bytes, and those that came while the key was handled.
const quickReads = 2

// File is a terminal or another file that supports polling.
type File struct {
	fd descriptor
	in waiter // for reading

	reader
	writer
}

// NewFile takes ownership of f: f is closed, also after an error.
func NewFile(f *os.File) (*File, error) {
	defer f.Close()
	n := &File{}
	if err := n.take(f); err != nil {
		return nil, err
	}
	return n, nil
}

// take duplicates the descriptor of from and watches it.
func (f *File) take(from syscall.Conn) error {
	rc, err := from.SyscallConn()
	if err != nil {
		return err
	}
	dup := -1
	ctlErr := rc.Control(func(fd uintptr) {
		if dup, err = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 3); err == nil {
			err = unix.SetNonblock(dup, true)
		}
	})
	if err == nil {
		err = ctlErr
	}
	if err != nil {
		if dup >= 0 {
			unix.Close(dup)
		}
		return os.NewSyscallError("fcntl", err)
	}
	return f.own(dup)
}

// own watches fd, a non-blocking descriptor that belongs to f from now on.
func (f *File) own(fd int) error {
	if err := f.in.open(fd, unix.EPOLLIN|unix.EPOLLRDHUP); err != nil {
		unix.Close(fd)
		return os.NewSyscallError("epoll", err)
	}
	f.fd.n = fd
	f.reader.init(&f.fd, &f.in)
	f.writer.init(&f.fd)
	return nil
}

// Close frees the descriptor and ends a Read or Write that waits.
func (f *File) Close() error {
	if !f.fd.close() {
		return os.ErrClosed
	}
	f.in.close()
	f.writer.out.close()
	return nil
}

// Control calls g with the descriptor, which is valid during the call.
func (f *File) Control(g func(fd uintptr)) error {
	if !f.fd.use(func(fd int) { g(uintptr(fd)) }) {
		return os.ErrClosed
	}
	return nil
}

// ReadWith calls read, which does not block, until it returns true; between calls it
// waits for input, at most until the read deadline. It counts as a Read.
func (f *File) ReadWith(read func(fd uintptr) bool) error {
	err := f.in.rc.Read(func(uintptr) (done bool) {
		return !f.fd.use(func(fd int) { done = read(uintptr(fd)) }) || done
	})
	if err != nil {
		return f.fd.reason(err)
	}
	return nil
}

// SetReadDeadline implements net.Conn.
func (f *File) SetReadDeadline(t time.Time) error { return f.in.setDeadline(t) }

// SetWriteDeadline implements net.Conn.
func (f *File) SetWriteDeadline(t time.Time) error { return f.writer.out.setDeadline(t) }

// SetDeadline implements net.Conn.
func (f *File) SetDeadline(t time.Time) error {
	if err := f.SetReadDeadline(t); err != nil {
		return err
	}
	return f.SetWriteDeadline(t)
}

// Conn is a connection on a unix socket.
type Conn struct {
	File
	local, remote net.Addr
}

// LocalAddr implements net.Conn.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr implements net.Conn.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// NewConn takes ownership of c: c is closed, also after an error.
func NewConn(c *net.UnixConn) (*Conn, error) {
	defer c.Close()
	n := &Conn{local: c.LocalAddr(), remote: c.RemoteAddr()}
	if err := n.take(c); err != nil {
		return nil, err
	}
	return n, nil
}

// descriptor is a non-blocking file descriptor. No call on it blocks, so the lock is
// held for one system call at most.
type descriptor struct {
	mu     sync.RWMutex
	n      int
	closed bool
}

// use calls f unless the descriptor is closed.
func (d *descriptor) use(f func(fd int)) bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		return false
	}
	f(d.n)
	return true
}

// close reports whether the descriptor was open.
func (d *descriptor) close() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	d.closed = true
	unix.Close(d.n)
	return true
}

// reader is the reading half; step is bound once, so that a read allocates nothing.
type reader struct {
	fd     *descriptor
	in     *waiter
	step   func(uintptr) bool
	p      []byte
	n      int
	errno  syscall.Errno
	streak int // reads since the last wait
}

func (r *reader) init(fd *descriptor, in *waiter) {
	r.fd, r.in = fd, in
	r.step = func(uintptr) bool { return r.try() }
}

// Read is io.Reader's.
func (r *reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	r.p, r.n, r.errno = p, 0, 0
	err := r.in.rc.Read(r.step)
	r.p = nil
	switch {
	case err != nil:
		return 0, r.fd.reason(err)
	case r.errno != 0:
		return 0, os.NewSyscallError("read", r.errno)
	case r.n == 0:
		return 0, io.EOF
	}
	return r.n, nil
}

// reason returns why waiting failed.
func (d *descriptor) reason(err error) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		return os.ErrClosed
	}
	return err
}

// try reads once; false asks the poller to wait.
func (r *reader) try() bool {
	r.fd.mu.RLock()
	defer r.fd.mu.RUnlock()
	if r.fd.closed {
		r.errno = unix.EBADF
		return true
	}
	for {
		var n uintptr
		if r.streak < quickReads {
			n, _, r.errno = syscall.RawSyscall(unix.SYS_READ, uintptr(r.fd.n), uintptr(unsafe.Pointer(unsafe.SliceData(r.p))), uintptr(len(r.p)))
		} else {
			n, _, r.errno = syscall.Syscall(unix.SYS_READ, uintptr(r.fd.n), uintptr(unsafe.Pointer(unsafe.SliceData(r.p))), uintptr(len(r.p)))
		}
		switch r.errno {
		case 0:
			r.n = int(n)
			r.streak++
			return true
		case unix.EINTR:
		case unix.EAGAIN:
			r.streak, r.errno = 0, 0
			return false
		default:
			return true
		}
	}
}

// writer is the writing half.
type writer struct {
	fd   *descriptor
	out  waiter // opened when a write first has to wait
	step func(uintptr) bool

	wmu   sync.Mutex // held for a whole Write
	p     []byte
	n     int
	errno syscall.Errno
}

func (w *writer) init(fd *descriptor) {
	w.fd = fd
	w.step = func(uintptr) bool { return w.try() }
}

// TryWrite writes without waiting, and returns how much was written. An error is left
// to the next Write.
func (w *writer) TryWrite(p []byte) int {
	w.wmu.Lock()
	defer w.wmu.Unlock()
	w.p, w.n, w.errno = p, 0, 0
	w.try()
	w.p = nil
	return w.n
}

// Write is io.Writer's.
func (w *writer) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	w.wmu.Lock()
	defer w.wmu.Unlock()
	w.p, w.n, w.errno = p, 0, 0
	var err error
	if w.out.passed() {
		err = os.ErrDeadlineExceeded
	} else if !w.try() {
		err = w.wait()
	}
	w.p = nil
	if err == nil && w.errno != 0 {
		err = os.NewSyscallError("write", w.errno)
	}
	if err != nil {
		err = w.fd.reason(err)
	}
	return w.n, err
}

// wait writes the rest, waiting for room. The descriptor is watched meanwhile.
func (w *writer) wait() error {
	var err error
	open := w.fd.use(func(fd int) {
		if w.out.file == nil {
			err = w.out.open(fd, unix.EPOLLOUT)
			return
		}
		err = w.out.watch(fd, unix.EPOLLOUT)
	})
	if !open {
		return os.ErrClosed
	}
	if err != nil {
		return os.NewSyscallError("epoll", err)
	}
	err = w.out.rc.Read(w.step)
	w.fd.use(func(fd int) { _ = w.out.watch(fd, 0) })
	return err
}

// try writes without waiting; false: not everything was written.
func (w *writer) try() bool {
	w.fd.mu.RLock()
	defer w.fd.mu.RUnlock()
	if w.fd.closed {
		w.errno = unix.EBADF
		return true
	}
	for w.n < len(w.p) {
		rest := w.p[w.n:]
		n, _, errno := syscall.RawSyscall(unix.SYS_WRITE, uintptr(w.fd.n), uintptr(unsafe.Pointer(unsafe.SliceData(rest))), uintptr(len(rest)))
		switch errno {
		case 0:
			w.n += int(n)
		case unix.EINTR:
		case unix.EAGAIN:
			return false
		default:
			w.errno = errno
			return true
		}
	}
	return true
}

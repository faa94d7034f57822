package rawio

import (
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// waiter waits for one kind of readiness of a descriptor: an epoll instance
// that the runtime's poller watches.
type waiter struct {
	mu       sync.Mutex
	file     *os.File
	rc       syscall.RawConn
	deadline time.Time
	closed   bool
}

// open starts watching fd for events.
func (w *waiter) open(fd int, events uint32) error {
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	err = unix.EpollCtl(ep, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: events, Fd: int32(fd)})
	if err == nil {
		err = unix.SetNonblock(ep, true)
	}
	if err != nil {
		unix.Close(ep)
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		unix.Close(ep)
		return os.ErrClosed
	}
	w.file = os.NewFile(uintptr(ep), "epoll")
	if err = w.file.SetReadDeadline(w.deadline); err == nil { // fails if the descriptor cannot be polled
		w.rc, err = w.file.SyscallConn()
	}
	return err
}

func (w *waiter) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.file != nil {
		w.file.Close()
	}
}

func (w *waiter) setDeadline(t time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deadline = t
	if w.closed {
		return os.ErrClosed
	}
	if w.file == nil {
		return nil
	}
	return w.file.SetReadDeadline(t)
}

// passed reports whether the deadline has passed.
func (w *waiter) passed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.deadline.IsZero() && !time.Now().Before(w.deadline)
}

// watch changes the events that an open waiter waits for; 0 is none.
func (w *waiter) watch(fd int, events uint32) error {
	var err error
	ctlErr := w.rc.Control(func(ep uintptr) {
		err = unix.EpollCtl(int(ep), unix.EPOLL_CTL_MOD, fd, &unix.EpollEvent{Events: events, Fd: int32(fd)})
	})
	if err == nil {
		err = ctlErr
	}
	return err
}

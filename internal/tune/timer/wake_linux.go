package timer

import (
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fdWaker waits with a timerfd (timerfd_create(2)).
type fdWaker struct {
	file *os.File // closes fd
	raw  syscall.RawConn
	fd   int
}

// newWaker falls back to a runtime timer if the system has no timerfd left, or the
// runtime's poller refuses it.
func newWaker() waker {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return newTimerWaker()
	}
	w := &fdWaker{file: os.NewFile(uintptr(fd), "timerfd"), fd: fd}
	if err = w.file.SetReadDeadline(time.Time{}); err == nil { // fails if the descriptor cannot be polled
		w.raw, err = w.file.SyscallConn()
	}
	if err != nil {
		w.close()
		return newTimerWaker()
	}
	return w
}

func (w *fdWaker) set(d time.Duration) {
	at := unix.ItimerSpec{Value: unix.NsecToTimespec(d.Nanoseconds())}
	_ = unix.TimerfdSettime(w.fd, 0, &at, nil) // fails for bad arguments alone
}

// wait implements waker. A read through package os would wake the runtime's monitor.
func (w *fdWaker) wait() bool {
	return w.raw.Read(func(fd uintptr) bool {
		var ends uint64
		_, _, errno := unix.RawSyscall(unix.SYS_READ, fd, uintptr(unsafe.Pointer(&ends)), unsafe.Sizeof(ends))
		return errno != unix.EAGAIN
	}) == nil
}

func (w *fdWaker) close() { _ = w.file.Close() }

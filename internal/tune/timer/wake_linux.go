package timer

import (
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fdWaker waits by a timerfd (timerfd_create(2)).
type fdWaker struct {
	file *os.File // closes fd
	raw  syscall.RawConn
	fd   int
}

// newWaker returns one by the runtime's timers where the system gives no file, or no
// place for it in the runtime's poller.
func newWaker() waker {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return newTimerWaker()
	}
	w := &fdWaker{file: os.NewFile(uintptr(fd), "timerfd"), fd: fd}
	if err = w.file.SetReadDeadline(time.Time{}); err == nil { // fails if it isn't polled
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

// wait implements waker. A read that the runtime knows of would wake up its monitor.
func (w *fdWaker) wait() bool {
	return w.raw.Read(func(fd uintptr) bool {
		var ends uint64
		_, _, errno := unix.RawSyscall(unix.SYS_READ, fd, uintptr(unsafe.Pointer(&ends)), unsafe.Sizeof(ends))
		return errno != unix.EAGAIN
	}) == nil
}

func (w *fdWaker) close() { _ = w.file.Close() }

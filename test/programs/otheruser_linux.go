package programs

import (
	"fmt"
	"net"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Impostor is a socket that another user listens on.
type Impostor struct {
	// Path is the socket's; everybody may connect.
	Path string
	// heard counts the bytes received from callers, called the connections.
	heard, called atomic.Int64
}

// Heard is how many bytes callers have sent.
func (i *Impostor) Heard() int64 { return i.heard.Load() }

// Called is how many callers have connected.
func (i *Impostor) Called() int64 { return i.called.Load() }

// Impersonate listens at path as the user uid until the test ends; only root can. It
// answers each caller as an accepting daemon would.
func Impersonate(t testing.TB, path string, uid int, answer string) *Impostor {
	t.Helper()
	type made struct {
		l   net.Listener
		err error
	}
	done := make(chan made)
	// The kernel records the user of the thread that listens. The thread keeps this
	// user until it ends, so it must not be reused.
	onEndingThread(func() {
		l, err := listenAs(path, uid)
		done <- made{l, err}
	})
	m := <-done
	if m.err != nil {
		t.Fatal(m.err)
	}
	imp := &Impostor{Path: path}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			c, err := m.l.Accept()
			if err != nil {
				return
			}
			imp.called.Add(1)
			_, _ = c.Write([]byte(answer)) // the caller may have hung up
			buf := make([]byte, 64<<10)
			for {
				n, err := c.Read(buf)
				imp.heard.Add(int64(n))
				if err != nil {
					break
				}
			}
			c.Close()
		}
	}()
	t.Cleanup(func() { m.l.Close(); <-ended })
	return imp
}

// onEndingThread starts f on a thread that ends when f returns. The process's first thread
// never ends, and /proc shows its user as the process's: f does not run there.
func onEndingThread(f func()) {
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() != unix.Getpid() {
			f()
			return
		}
		begun := make(chan struct{})
		onEndingThread(func() { close(begun); f() })
		<-begun // until then this thread is taken
		runtime.UnlockOSThread()
	}()
}

func listenAs(path string, uid int) (net.Listener, error) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	if err := syscall.Chmod(path, 0o666); err != nil {
		return nil, err
	}
	raw, err := l.SyscallConn()
	if err != nil {
		return nil, err
	}
	// Only this thread changes its user.
	if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid)); errno != 0 {
		return nil, fmt.Errorf("cannot be user %d: %w", uid, errno)
	}
	var again error
	if err := raw.Control(func(fd uintptr) { again = unix.Listen(int(fd), 16) }); err != nil {
		return nil, err
	}
	return l, again
}

//go:build unix

package verb

import (
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// WhileRead returns a context that also ends when the reader of out closes it. A verb that
// follows something would notice that only at its next write, which may be hours away. Only
// pipes and sockets have such a reader. stop ends the watch and waits for its goroutine.
func WhileRead(ctx context.Context, out io.Writer) (read context.Context, stop func(), err error) {
	f, ok := out.(*os.File)
	if !ok {
		return ctx, func() {}, nil
	}
	if st, err := f.Stat(); err != nil || st.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return ctx, func() {}, nil
	}
	wake, end, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if gone(f, wake) {
			cancel()
		}
	}()
	return ctx, func() {
		_ = end.Close()
		<-done
		_ = wake.Close()
		cancel()
	}, nil
}

// gone blocks until out has no reader, or the other end of wake is closed.
func gone(out, wake *os.File) bool {
	fds := []unix.PollFd{{Fd: int32(out.Fd())}, {Fd: int32(wake.Fd())}}
	for {
		_, err := unix.Poll(fds, -1)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return false
		default:
			return fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
		}
	}
}

package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"ccdir/api"
)

// A daemon that hangs (it was stopped by SIGSTOP, its disk does not answer) takes
// connections and says nothing. Whoever begins by asking it waits for the time that a
// daemon may take to start, and is told.

// errHung is what the errors of hung are.
var errHung = errors.New("the daemon did not answer in time")

// hung says that the daemon did not answer, and what to do.
func (c *Client) hung() error {
	who, end := "", ""
	if f, ok := c.serverFile(); ok {
		who, end = fmt.Sprintf(" (pid %d)", f.PID), fmt.Sprintf("; if it stays so, end it by `kill -9 %d`: the next call starts another", f.PID)
	}
	return &hungError{api.Errorf(api.CodeTimeout,
		"the daemon%s did not answer in time: it hangs, or the machine is overloaded (`ccdir doctor`); sessions run on without it%s", who, end)}
}

type hungError struct{ err *api.Error }

// Error implements error.
func (e *hungError) Error() string { return e.err.Error() }

// Is makes it an errHung.
func (e *hungError) Is(target error) bool { return target == errHung }

// Unwrap returns the error that tells its code.
func (e *hungError) Unwrap() error { return e.err }

// healthInTime is Health that does not wait for a daemon that hangs.
func (c *Client) healthInTime(ctx context.Context) (api.Server, error) {
	ctx, cancel := context.WithTimeout(ctx, c.opts.StartTimeout)
	defer cancel()
	return c.Health(ctx)
}

// watchInTime asks for the watch stream: the answer has to begin in time, and may then
// take as long as it likes.
func (c *Client) watchInTime(ctx context.Context) (io.ReadCloser, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	late := time.AfterFunc(c.opts.StartTimeout, func() { cancel(errHung) })
	resp, err := c.request(ctx, http.MethodGet, watchPath, watchQuery(), nil)
	late.Stop()
	if err != nil {
		if errors.Is(context.Cause(ctx), errHung) {
			err = c.hung()
		}
		cancel(nil)
		return nil, err
	}
	return &cancelBody{resp.Body, cancel}, nil
}

// cancelBody is the body of a call whose context ends with it.
type cancelBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

// Close implements io.Closer.
func (b *cancelBody) Close() error {
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}

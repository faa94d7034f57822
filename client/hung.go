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

// A daemon that hangs (it was stopped by SIGSTOP, its disk does not answer) accepts
// connections and does not answer. The first call of a program waits for as long as a
// daemon may take to start, and then fails.

// errHung is matched by the errors of hung.
var errHung = errors.New("the daemon did not answer in time")

// hung returns the error for a daemon that did not answer, with advice.
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

// Is reports whether target is errHung.
func (e *hungError) Is(target error) bool { return target == errHung }

// Unwrap returns the api.Error.
func (e *hungError) Unwrap() error { return e.err }

// healthInTime is Health with a timeout, for a daemon that hangs.
func (c *Client) healthInTime(ctx context.Context) (api.Server, error) {
	ctx, cancel := context.WithTimeout(ctx, c.opts.StartTimeout)
	defer cancel()
	return c.Health(ctx)
}

// watchInTime opens the watch stream. The timeout holds for the header of the answer, not
// for the stream.
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

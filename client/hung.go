package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
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
	if c.opts.Far != nil {
		return &hungError{api.Errorf(api.CodeTimeout, "node %s does not answer: its daemon hangs, or the line does (`ccdir node doctor %[1]s`); sessions there run on", c.Node())}
	}
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

// probeAfter is how long a call to another machine may be without an answer before the daemon
// there is asked whether it answers at all.
const probeAfter = 300 * time.Millisecond

// answering is ctx for a call to another machine, which ends, with the cause errHung, when the
// daemon there does not answer: a call may rightly take long, so another one asks for its health.
// The times count from the connection, whose making is bounded by Far. Only this call ends it:
// answered is called with its answer, nil if there is none.
func (c *Client) answering(ctx context.Context, path string) (call context.Context, answered func(*http.Response)) {
	ctx, cancel := context.WithCancelCause(ctx)
	var mu sync.Mutex
	var timer *time.Timer
	over := false
	hangs := func() {
		probe, end := context.WithTimeout(ctx, c.opts.StartTimeout-probeAfter)
		defer end()
		var health api.Server
		if err := c.callOnce(probe, http.MethodGet, healthPath, nil, nil, &health); errors.Is(context.Cause(probe), context.DeadlineExceeded) && err != nil {
			cancel(errHung)
		}
	}
	after := probeAfter
	if path == healthPath {
		hangs, after = func() { cancel(errHung) }, c.opts.StartTimeout
	}
	trace := httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		mu.Lock()
		defer mu.Unlock()
		if timer == nil && !over {
			timer = time.AfterFunc(after, hangs)
		}
	}}
	return httptrace.WithClientTrace(ctx, &trace), func(resp *http.Response) {
		mu.Lock()
		defer mu.Unlock()
		if over = true; timer != nil {
			timer.Stop()
		}
		if resp == nil {
			cancel(nil)
			return
		}
		resp.Body = &cancelBody{resp.Body, cancel}
	}
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

// quietTime is the read timeout of streams. The daemon sends a heartbeat every 20 s; if it
// hangs, the state that it sent last may no longer be true.
const quietTime = 50 * time.Second

// errQuiet is the error of a stream whose daemon hangs.
var errQuiet = errors.New("it has said nothing for a while: it hangs, or the machine is overloaded")

// quietGrain is how much too early the timeout may be, so that a stream of thousands of
// events per second does not set a timer for each.
const quietGrain = 5 * time.Second

// quietBody is a stream's body with a read timeout.
type quietBody struct {
	io.ReadCloser
	most time.Duration
	over atomic.Bool

	mu    sync.Mutex
	timer *time.Timer // nil: closed
	set   time.Time   // when timer was set
}

func newQuietBody(body io.ReadCloser, most time.Duration) *quietBody {
	q := &quietBody{ReadCloser: body, most: most, set: time.Now()}
	q.timer = time.AfterFunc(most, q.end)
	return q
}

func (q *quietBody) end() {
	q.over.Store(true)
	_ = q.ReadCloser.Close() // Read returns the error
}

// Read implements io.Reader.
func (q *quietBody) Read(p []byte) (int, error) {
	n, err := q.ReadCloser.Read(p)
	switch {
	case err == nil:
		q.again()
	case q.over.Load():
		err = errQuiet
	}
	return n, err
}

// again sets a new timer. A reset would wake up the runtime at the old time too: Go 1.23 to
// 1.26 leave a timer that is reset to a later time in the heap until then. The kernel ends
// such a wait of half a minute some 10 ms late, and the runtime's monitor wakes up sixty
// times in these.
func (q *quietBody) again() {
	now := time.Now()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.timer == nil || now.Sub(q.set) < min(quietGrain, q.most/10) {
		return
	}
	q.timer.Stop()
	q.timer, q.set = time.AfterFunc(q.most, q.end), now
}

// Close implements io.Closer.
func (q *quietBody) Close() error {
	q.mu.Lock()
	if q.timer != nil {
		q.timer.Stop()
		q.timer = nil
	}
	q.mu.Unlock()
	return q.ReadCloser.Close()
}

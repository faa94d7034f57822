package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"ccdir/api"
)

// backoff is the pause between redials: short at first, because a daemon that restarts is
// back within a second, and at most 2 s, because a person waits.
type backoff struct{ next time.Duration }

const (
	backoffFirst = 20 * time.Millisecond
	backoffMost  = 2 * time.Second
)

func (b *backoff) reset() { b.next = 0 }

func (b *backoff) wait(ctx context.Context) error {
	if b.next == 0 {
		b.next = backoffFirst
	}
	t := time.NewTimer(b.next)
	defer t.Stop()
	b.next = min(b.next*2, backoffMost)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// retryable reports whether a retry may soon succeed.
func retryable(err error) bool {
	return errors.Is(err, ErrNotRunning) || errors.Is(err, errGap) || errors.Is(err, io.EOF) ||
		api.CodeOf(err) == api.CodeUnavailable
}

// errGap: the daemon dropped messages because the watcher was too slow.
var errGap = errors.New("events were skipped")

// Watcher has the callbacks of Watch, which run on the goroutine that called it.
type Watcher struct {
	// Message is called with each message. The first one, and the first after each redial,
	// has a Snapshot that replaces all earlier state.
	Message func(api.WatchMessage)
	// Link is called with nil when the daemon is connected, and with the reason when the
	// connection is lost or cannot be made again. May be nil.
	Link func(error)
}

// Watch follows all changes until ctx ends or the daemon cannot be used (another version,
// access denied). It starts a daemon that crashed again, without limit, and waits for one
// that was stopped.
func (c *Client) Watch(ctx context.Context, w Watcher) error {
	retry := backoff{}
	up := false
	for {
		err := c.WatchOnce(ctx, func(m api.WatchMessage) {
			if !up && w.Link != nil {
				w.Link(nil)
			}
			up = true
			retry.reset()
			w.Message(m)
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !retryable(err) && !passes(err) {
			return err
		}
		if up && !errors.Is(err, errGap) {
			up = false
			if w.Link != nil {
				w.Link(err)
			}
		}
		if err := c.again(ctx, &retry, w.Link); err != nil {
			return err
		}
	}
}

// again waits and reconnects. Failures that may pass, also that the daemon was stopped, are
// reported to tell and are no error.
func (c *Client) again(ctx context.Context, retry *backoff, tell func(error)) error {
	if err := retry.wait(ctx); err != nil {
		return err
	}
	_, err := c.Reconnect(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrNotRunning) && retry.next == backoffMost: // longer than a restart takes
	case err == nil, retryable(err):
		return nil
	case !passes(err):
		return err
	}
	if tell != nil {
		tell(err)
	}
	return nil
}

// WatchOnce is Watch over one connection: a snapshot, then messages whose events have
// numbers without gaps. It returns when the connection ends; its error is never nil.
func (c *Client) WatchOnce(ctx context.Context, fn func(api.WatchMessage)) error {
	seq := int64(-1)
	take := func(m api.WatchMessage) error {
		switch {
		case m.Snapshot != nil:
			seq = m.Snapshot.Seq
			c.meet(m.Snapshot.Server)
			c.hosts.set(m.Snapshot.Hosts)
			m.Snapshot.Hosts = nil // tickets are for Host only
		case seq < 0:
			return api.Errorf(api.CodeBadVersion, "the daemon's watch stream has no snapshot: run `ccdir daemon restart`")
		case m.Event != nil && m.Event.Seq <= seq:
			return nil // the snapshot has it
		case m.Event != nil && m.Event.Seq != seq+1:
			return errGap
		case m.Event != nil:
			seq = m.Event.Seq
		}
		fn(m)
		return nil
	}
	decode := func(data []byte) error {
		m, err := watchMessage(data)
		if err != nil {
			return err
		}
		return take(m)
	}
	if o := c.opened.Swap(nil); o != nil {
		return o.read(ctx, take, decode)
	}
	return c.stream(ctx, watchPath, watchQuery(), decode)
}

const watchPath = "/v1/watch"

func watchQuery() url.Values { return url.Values{"hosts": {"1"}} }

func watchMessage(data []byte) (m api.WatchMessage, err error) {
	if err := json.Unmarshal(data, &m); err != nil {
		return m, api.Errorf(api.CodeBadVersion, "the daemon's watch stream is not understood (%v): run `ccdir daemon restart`", err)
	}
	return m, nil
}

// Follow calls fn with each event after f.Since, past ones first, until ctx ends or fn
// returns an error, which Follow returns. No event is skipped when the daemon restarts.
// f.Limit is ignored.
func (c *Client) Follow(ctx context.Context, f EventFilter, fn func(api.Event) error) error {
	f.Limit = 0
	retry := backoff{}
	for {
		var stop error
		// A stream begins with event 1 only if the log was started anew.
		begun := true
		q := f.query()
		q.Set("since", strconv.FormatInt(f.Since, 10)) // also 0: from the beginning
		err := c.stream(ctx, "/v1/events/stream", q, func(data []byte) error {
			var e api.Event
			if err := json.Unmarshal(data, &e); err != nil {
				return api.Errorf(api.CodeBadVersion, "the daemon's event stream is not understood (%v): run `ccdir daemon restart`", err)
			}
			retry.reset()
			if e.Seq <= f.Since && !(begun && e.Seq == 1) {
				return nil
			}
			begun = false
			if stop = fn(e); stop != nil {
				return stop
			}
			f.Since = e.Seq
			return nil
		})
		switch {
		case stop != nil:
			return stop
		case ctx.Err() != nil:
			return ctx.Err()
		case !retryable(err):
			return err
		}
		if err := c.resume(ctx, &retry); err != nil {
			return err
		}
	}
}

// maxStreamEvent bounds one event of a stream: a snapshot with 500 events.
const maxStreamEvent = 64 << 20

// maxFarEvent is maxStreamEvent for another machine, which is not trusted.
const maxFarEvent = 16 << 20

// mostEvent bounds one event of a stream, in bytes.
func (c *Client) mostEvent() int {
	if c.opts.Far != nil {
		return maxFarEvent
	}
	return maxStreamEvent
}

// stream reads server-sent events until the connection ends (io.EOF), ctx ends
// or fn returns an error.
func (c *Client) stream(ctx context.Context, path string, query url.Values, fn func(data []byte) error) error {
	return c.streamOf(ctx, http.MethodGet, path, query, nil, fn)
}

// streamOf is stream for the answer to a call with that method and body (nil: none).
func (c *Client) streamOf(ctx context.Context, method, path string, query url.Values, in any, fn func(data []byte) error) error {
	resp, err := c.request(ctx, method, path, query, in)
	if err != nil {
		return err
	}
	body := newQuietBody(resp.Body, c.quiet)
	defer body.Close()
	return streamError(ctx, newEventStream(body, c.mostEvent()).each(fn))
}

// streamError returns the error of stream for an error of reading.
func streamError(ctx context.Context, err error) error {
	if err == nil {
		return io.EOF
	}
	var own *api.Error
	if errors.Is(err, errGap) || errors.As(err, &own) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var cb callbackError
	if errors.As(err, &cb) {
		return cb.err
	}
	if errors.Is(err, errQuiet) {
		return quietError{err}
	}
	return fmt.Errorf("%w: %w", io.EOF, err)
}

// quietError counts as io.EOF in retryable and keeps its own message.
type quietError struct{ error }

// Is implements errors.Is.
func (quietError) Is(target error) bool { return target == io.EOF }

// callbackError marks an error of fn, to tell it from those of reading.
type callbackError struct{ err error }

func (e callbackError) Error() string { return e.err.Error() }
func (e callbackError) Unwrap() error { return e.err }

// eventStream parses a stream of server-sent events (WHATWG HTML, section 9.2).
type eventStream struct {
	br         *bufio.Reader
	most       int // bytes of one event
	line, data []byte
}

func newEventStream(r io.Reader, most int) *eventStream {
	return &eventStream{br: bufio.NewReaderSize(r, 64<<10), most: most}
}

// each calls fn with the data of each event. It returns nil at the end of the stream.
func (e *eventStream) each(fn func(data []byte) error) error {
	for {
		data, err := e.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := fn(data); err != nil {
			return callbackError{err}
		}
	}
}

// next returns the data of the next event, valid until the next call; other fields are
// ignored. At the end of the stream the error is io.EOF; an incomplete event there is
// dropped.
func (e *eventStream) next() ([]byte, error) {
	has := false
	e.line, e.data = e.line[:0], e.data[:0]
	for {
		part, err := e.br.ReadSlice('\n')
		e.line = append(e.line, part...)
		if len(e.line)+len(e.data) > e.most {
			return nil, fmt.Errorf("an event of the stream is over %d bytes", e.most)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, err
		}
		text := bytes.TrimSuffix(bytes.TrimSuffix(e.line, []byte("\n")), []byte("\r"))
		field, value, _ := bytes.Cut(text, []byte(":"))
		if len(text) == 0 && has {
			return e.data, nil
		}
		if string(field) == "data" {
			if has {
				e.data = append(e.data, '\n')
			}
			e.data, has = append(e.data, bytes.TrimPrefix(value, []byte(" "))...), true
		}
		e.line = e.line[:0]
	}
}

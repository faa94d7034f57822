// Package hostlink is one connection from the daemon to a host: requests go out and are
// matched with their responses, every other message goes to the reader's callback.
//
// Read runs in one goroutine; Call may be used by many at once and blocks until the
// response, the end of its context or of the connection. A request whose context ended
// may still have been carried out.
package hostlink

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/wire"
)

// writeTimeout bounds the writing of one message: a host reads at once unless it is
// stopped.
const writeTimeout = 5 * time.Second

// ErrNoHost says that the session has no connection to its host at this moment.
var ErrNoHost = api.Errorf(api.CodeUnavailable, "the session's host does not answer; try again")

// SilentHost is the error of a request that the host did not answer in time: the host is
// stopped, or its machine overloaded. Whether the request was carried out is unknown.
type SilentHost struct{ err *api.Error }

func (e *SilentHost) Error() string { return e.err.Error() }

// Unwrap returns the API's error.
func (e *SilentHost) Unwrap() error { return e.err }

// Link is one connection to a host.
type Link struct {
	conn *wire.Conn
	// writing serialises messages. Read goes on while it is held: the host may be
	// blocked until we read. No lock is taken under it.
	writing sync.Mutex

	mu      sync.Mutex // guards the fields below
	next    uint64     // id of the newest request
	waiting map[uint64]chan *wire.Response
	err     error // why the link ended; nil while it lives
}

// New makes a link of a connection whose greeting is over. The caller runs Read.
func New(conn *wire.Conn) *Link {
	conn.SetWriteTimeout(writeTimeout)
	return &Link{conn: conn, waiting: map[uint64]chan *wire.Response{}}
}

// Pending is the number of requests without a response.
func (l *Link) Pending() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting)
}

// Read passes every message but responses to each, until the connection ends, and
// returns why it ended.
func (l *Link) Read(each func(wire.Message)) error {
	for {
		m, err := l.conn.Receive()
		if err != nil {
			l.fail(err)
			return err
		}
		if r, ok := m.(*wire.Response); ok {
			l.answer(r)
			continue
		}
		each(m)
	}
}

func (l *Link) answer(r *wire.Response) {
	l.mu.Lock()
	ch := l.waiting[r.ID]
	delete(l.waiting, r.ID)
	l.mu.Unlock()
	if ch != nil {
		ch <- r // buffered, and answered once
	}
}

// fail ends the link; pending and later calls return ErrNoHost.
func (l *Link) fail(err error) {
	l.conn.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
	}
	for id, ch := range l.waiting {
		close(ch)
		delete(l.waiting, id)
	}
}

// Call sends a request and decodes the result into out, unless that is nil.
func (l *Link) Call(ctx context.Context, method string, params, out any) error {
	var body json.RawMessage
	if params != nil {
		data, err := json.Marshal(params)
		if err != nil {
			return err
		}
		body = data
	}
	ch := make(chan *wire.Response, 1)
	l.mu.Lock()
	if l.err != nil {
		l.mu.Unlock()
		return ErrNoHost
	}
	l.next++
	id := l.next
	l.waiting[id] = ch
	l.mu.Unlock()
	l.writing.Lock()
	err := l.conn.Send(&wire.Request{ID: id, Method: method, Params: body})
	l.writing.Unlock()
	if err != nil {
		l.fail(err)
		return ErrNoHost
	}
	select {
	case r, ok := <-ch:
		switch {
		case !ok:
			return ErrNoHost
		case r.Error != nil:
			return hostError(r.Error)
		case out != nil:
			return json.Unmarshal(r.Result, out)
		}
		return nil
	case <-ctx.Done():
		l.mu.Lock()
		delete(l.waiting, id)
		l.mu.Unlock()
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return &SilentHost{&api.Error{Code: api.CodeTimeout, Message: "the session's host did not answer in time (" + method + ")"}}
		}
		return ctx.Err()
	}
}

// hostError translates a host's error into the API's.
func hostError(e *wire.Error) error {
	code := api.Code(e.Code)
	if code.Status() == api.CodeInternal.Status() || strings.TrimSpace(e.Code) == "" {
		return fmt.Errorf("host: %w", e)
	}
	return &api.Error{Code: code, Message: e.Message}
}

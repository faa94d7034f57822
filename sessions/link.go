package sessions

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

// hostWriteTimeout bounds one message to a host: it reads at once unless it is
// stopped.
const hostWriteTimeout = 5 * time.Second

// errNoHost: the session has no connection to a host now.
var errNoHost = api.Errorf(api.CodeUnavailable, "the session's host does not answer; try again")

// link is one connection to a host: requests go out and are matched with their
// responses. read runs in one goroutine; call may be used by many.
type link struct {
	conn *wire.Conn
	// writing is held for one message; reading goes on meanwhile, or a host
	// that waits for us to read could not read from us. No
	// lock is taken under it.
	writing sync.Mutex

	mu      sync.Mutex // guards the fields below
	next    uint64
	waiting map[uint64]chan *wire.Response
	err     error
}

func newLink(conn *wire.Conn) *link {
	conn.SetWriteTimeout(hostWriteTimeout)
	return &link{conn: conn, waiting: map[uint64]chan *wire.Response{}}
}

// read hands every message but responses to each, until the connection ends.
func (l *link) read(each func(wire.Message)) error {
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

func (l *link) answer(r *wire.Response) {
	l.mu.Lock()
	ch := l.waiting[r.ID]
	delete(l.waiting, r.ID)
	l.mu.Unlock()
	if ch != nil {
		ch <- r // buffered, and answered once
	}
}

// fail ends the link: every call gets an error.
func (l *link) fail(err error) {
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

// call sends a request and decodes the result into out (nil: not wanted).
func (l *link) call(ctx context.Context, method string, params, out any) error {
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
		return errNoHost
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
		return errNoHost
	}
	select {
	case r, ok := <-ch:
		switch {
		case !ok:
			return errNoHost
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
			return &silentHost{&api.Error{Code: api.CodeTimeout, Message: "the session's host did not answer in time (" + method + ")"}}
		}
		return ctx.Err()
	}
}

// hostError makes a host's error one of the API's.
func hostError(e *wire.Error) error {
	code := api.Code(e.Code)
	if code.Status() == api.CodeInternal.Status() || strings.TrimSpace(e.Code) == "" {
		return fmt.Errorf("host: %w", e)
	}
	return &api.Error{Code: code, Message: e.Message}
}

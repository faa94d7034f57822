package client

import (
	"errors"
	"io"
	"sync/atomic"
	"time"
)

// quietTime is how long a stream may say nothing: the daemon says every 20 s that it
// lives. One that hangs is as good as none, and what was heard of it last may not be
// true any more.
const quietTime = 50 * time.Second

// errQuiet is how a stream ends whose daemon hangs.
var errQuiet = errors.New("it has said nothing for a while: it hangs, or the machine is overloaded")

// quietBody is a stream's body that ends when nothing has come for a while.
type quietBody struct {
	io.ReadCloser
	most  time.Duration
	timer *time.Timer
	over  atomic.Bool
}

func newQuietBody(body io.ReadCloser, most time.Duration) *quietBody {
	q := &quietBody{ReadCloser: body, most: most}
	q.timer = time.AfterFunc(most, func() {
		q.over.Store(true)
		_ = body.Close() // Read tells
	})
	return q
}

// Read implements io.Reader.
func (q *quietBody) Read(p []byte) (int, error) {
	n, err := q.ReadCloser.Read(p)
	switch {
	case err == nil:
		q.timer.Reset(q.most)
	case q.over.Load():
		err = errQuiet
	}
	return n, err
}

// Close implements io.Closer.
func (q *quietBody) Close() error {
	q.timer.Stop()
	return q.ReadCloser.Close()
}

package client

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// quietTime is how long a stream may say nothing: the daemon says every 20 s that it
// lives. One that hangs is as good as none, and what was heard of it last may not be
// true any more.
const quietTime = 50 * time.Second

// errQuiet is how a stream ends whose daemon hangs.
var errQuiet = errors.New("it has said nothing for a while: it hangs, or the machine is overloaded")

// quietGrain is how much of that may be missing when it is over: a stream of thousands
// of events a second doesn't make a timer for each.
const quietGrain = 5 * time.Second

// quietBody is a stream's body that ends when nothing has come for a while.
type quietBody struct {
	io.ReadCloser
	most time.Duration
	over atomic.Bool

	mu    sync.Mutex
	timer *time.Timer // nil: closed
	set   time.Time   // when it was
}

func newQuietBody(body io.ReadCloser, most time.Duration) *quietBody {
	q := &quietBody{ReadCloser: body, most: most, set: time.Now()}
	q.timer = time.AfterFunc(most, q.end)
	return q
}

func (q *quietBody) end() {
	q.over.Store(true)
	_ = q.ReadCloser.Close() // Read tells
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

// again sets the timer anew. It makes another one instead of resetting it, because the
// runtime would wake up at the old time (Go 1.23 to 1.26 leave a timer that is set to
// later in its place until then), and for a timer of half a minute the kernel wakes it some
// 10 ms late, in which the runtime's monitor wakes up sixty times.
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

package client

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

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

package httpapi

import (
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// stuckWriter is a connection that takes nothing while it is stuck, until a write
// deadline that has passed is set.
type stuckWriter struct {
	http.ResponseWriter // nil
	stuck               bool
	written             int
	passed              chan struct{}
}

func (w *stuckWriter) Header() http.Header { return http.Header{} }
func (w *stuckWriter) WriteHeader(int)     {}
func (w *stuckWriter) FlushError() error   { return nil }

func (w *stuckWriter) SetWriteDeadline(t time.Time) error {
	if !t.IsZero() && !t.After(time.Now()) {
		close(w.passed)
	}
	return nil
}

func (w *stuckWriter) Write(p []byte) (int, error) {
	if w.stuck {
		<-w.passed
		return 0, os.ErrDeadlineExceeded
	}
	w.written += len(p)
	return len(p), nil
}

// A stream whose reader takes nothing ends after writeTimeout; one that took what there
// was has no deadline behind it.
func TestStreamLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &stuckWriter{passed: make(chan struct{})}
		out, err := (&server{}).newSSE(w)
		if err != nil {
			t.Fatal(err)
		}
		if err := out.beat(); err != nil || w.written == 0 {
			t.Fatalf("%d bytes, %v", w.written, err)
		}
		time.Sleep(2 * writeTimeout)
		select {
		case <-w.passed:
			t.Error("a deadline was left behind a write")
		default:
		}
		w.stuck = true
		began := time.Now()
		if err := out.beat(); err == nil {
			t.Error("a write to a stuck reader succeeded")
		}
		if passed := time.Since(began); passed != writeTimeout {
			t.Errorf("it took %s", passed)
		}
	})
}

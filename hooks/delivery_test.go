package hooks

import (
	"context"
	"net/http/httptest"
	"testing"

	"ccdir/api"
)

// flushing notes what had been delivered when the answer was written and flushed.
type flushing struct {
	*httptest.ResponseRecorder
	delivery <-chan struct{}
	early    bool
	flushes  int
}

func (f *flushing) Write(p []byte) (int, error) {
	f.look()
	return f.ResponseRecorder.Write(p)
}

func (f *flushing) Flush() {
	f.look()
	f.flushes++
	f.ResponseRecorder.Flush()
}

func (f *flushing) look() {
	select {
	case <-f.delivery:
		f.early = true
	default:
	}
}

// A reply is delivered when it has left for the hook process, not before.
func TestReplyIsDelivered(t *testing.T) {
	w := &flushing{ResponseRecorder: httptest.NewRecorder()}
	e := NewEndpoint(registry(func(ctx context.Context, _ Call) (api.HookReply, error) {
		w.delivery = api.Delivery(ctx)
		return api.HookReply{Stdout: "yes"}, nil
	}), clock)
	r := httptest.NewRequest("POST", "/hook", nil)
	r.Header.Set(api.HeaderSession, "s")
	r.Header.Set(api.HeaderHook, "PermissionRequest")
	e.ServeHTTP(w, r)
	if w.delivery == nil || w.early || w.flushes == 0 {
		t.Fatalf("delivered before it was written: %v; flushed %d times", w.early, w.flushes)
	}
	select {
	case <-w.delivery:
	default:
		t.Error("the reply was written and does not count as delivered")
	}
	if w.Body.String() != "{\"stdout\":\"yes\"}\n" {
		t.Errorf("the reply is %q", w.Body)
	}
}

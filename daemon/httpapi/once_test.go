package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"ccdir/api"
	"ccdir/daemon/httpapi/access"
)

// memoryKeys keeps calls in memory, or fails.
type memoryKeys struct {
	mu   sync.Mutex
	kept map[owned]api.CallRecord
	full bool
}

var errFull = errors.New("no space left on device")

func (m *memoryKeys) BeginCall(c api.CallRecord) (api.CallRecord, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.full {
		return api.CallRecord{}, false, errFull
	}
	k := owned{c.Owner, c.Key}
	if old, known := m.kept[k]; known {
		return old, true, nil
	}
	m.kept[k] = c
	return api.CallRecord{}, false, nil
}

func (m *memoryKeys) EndCall(c api.CallRecord) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.full {
		return errFull
	}
	m.kept[owned{c.Owner, c.Key}] = c
	return nil
}

// inside says that the process with pid n runs in session "s<n>"; 1 is the person.
type inside struct{}

func (inside) Identify(_ context.Context, pid int, _ string) (api.Origin, error) {
	if pid == 1 {
		return api.Origin{}, nil
	}
	return api.Origin{Inside: true, Session: "s" + string(rune('0'+pid))}, nil
}

// onceServer serves one route with keys.
type onceServer struct {
	*server
	route route
	keys  *memoryKeys
}

func newOnce(handle handler) *onceServer {
	keys := &memoryKeys{kept: map[owned]api.CallRecord{}}
	srv := &server{Deps: Deps{Keys: keys, Callers: inside{}, Pause: func(string) {}}, log: slog.New(slog.DiscardHandler), records: newRecords()}
	return &onceServer{server: srv, route: route{method: "POST", path: "/v1/x", kind: call, handle: handle}, keys: keys}
}

// call makes a call of the process pid.
func (o *onceServer) call(ctx context.Context, pid int, key, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/v1/x", strings.NewReader(body)).WithContext(access.OfProcess(ctx, pid, ""))
	r.Header.Set(api.HeaderKey, key)
	w := httptest.NewRecorder()
	if err := o.carryOut(o.route, w, r); err != nil {
		o.fail(w, r, err)
	}
	return w
}

// TestKeysOfOthers: the same key of two callers names two calls, and the ids that
// their calls leave are two.
func TestKeysOfOthers(t *testing.T) {
	var ids []string
	o := newOnce(func(_ *server, w http.ResponseWriter, r *http.Request) error {
		ids = append(ids, attemptOf(r.Context()).id)
		return ok(w, len(ids), nil)
	})
	for range 2 {
		for i, pid := range []int{1, 2, 3} {
			if got := strings.TrimSpace(o.call(t.Context(), pid, "same", "{}").Body.String()); got != string(rune('1'+i)) {
				t.Errorf("process %d got the answer %s", pid, got)
			}
		}
	}
	if len(ids) != 3 || ids[0] == ids[1] || ids[1] == ids[2] || ids[0] == ids[2] {
		t.Errorf("the calls were %q", ids)
	}
	if id, err := o.inputID(httptest.NewRequest("POST", "/", nil).WithContext(access.OfProcess(t.Context(), 2, "")), "t1-1-0"); err != nil || id == "t1-1-0" {
		t.Errorf("a session can take the id of a prompt of the queue: %q %v", id, err)
	}
}

// TestKeysNotKept: what may be otherwise next time is carried out again, and the
// handler is told so; what has failed for good is not.
func TestKeysNotKept(t *testing.T) {
	for _, test := range []struct {
		err   error
		calls int
	}{{api.Errorf(api.CodeUnavailable, "x"), 2}, {api.Errorf(api.CodeLimit, "x"), 2}, {errors.New("x"), 2},
		{api.Errorf(api.CodeConflict, "x"), 1}, {api.Errorf(api.CodeTimeout, "x"), 1}, {api.Errorf(api.CodeNotFound, "x"), 1}} {
		var again []bool
		o := newOnce(func(_ *server, _ http.ResponseWriter, r *http.Request) error {
			again = append(again, attemptOf(r.Context()).retry)
			return test.err
		})
		first, second := o.call(t.Context(), 1, "k", ""), o.call(t.Context(), 1, "k", "")
		if len(again) != test.calls || again[0] || test.calls == 2 && !again[1] || first.Code != second.Code || first.Body.String() != second.Body.String() {
			t.Errorf("%v: %v, answered %d and %d", test.err, again, first.Code, second.Code)
		}
	}
}

// TestKeysHangUp: a caller that hangs up leaves its call to the one that waits.
func TestKeysHangUp(t *testing.T) {
	began := make(chan struct{}, 2)
	calls := 0
	o := newOnce(func(_ *server, w http.ResponseWriter, r *http.Request) error {
		calls++
		began <- struct{}{}
		if !attemptOf(r.Context()).retry {
			<-r.Context().Done()
			return r.Context().Err()
		}
		return ok(w, "done", nil)
	})
	ctx, hangUp := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { o.call(ctx, 1, "k", "") })
	<-began
	wg.Go(func() {
		if w := o.call(t.Context(), 1, "k", ""); w.Code != http.StatusOK {
			t.Errorf("the one that waited got %d %s", w.Code, w.Body)
		}
	})
	hangUp()
	wg.Wait()
	if calls != 2 {
		t.Errorf("carried out %d times", calls)
	}
}

// TestKeysFullDisk: while nothing can be written down, calls are carried out, and
// known for as long as the daemon lives.
func TestKeysFullDisk(t *testing.T) {
	calls := 0
	o := newOnce(func(_ *server, w http.ResponseWriter, _ *http.Request) error { calls++; return ok(w, calls, nil) })
	o.keys.full = true
	for range 2 {
		if w := o.call(t.Context(), 1, "k", ""); w.Code != http.StatusOK || strings.TrimSpace(w.Body.String()) != "1" {
			t.Errorf("got %d %s", w.Code, w.Body)
		}
	}
	for i := range maxUnsaved {
		o.call(t.Context(), 1, "k"+string(rune('a'+i%26))+strings.Repeat("x", i/26), "")
	}
	if n := o.records.unsaved.Len(); n != maxUnsaved {
		t.Errorf("%d are kept", n)
	}
}

// TestKeysPanic: a call that panics does not keep others from its key.
func TestKeysPanic(t *testing.T) {
	calls := 0
	o := newOnce(func(_ *server, w http.ResponseWriter, _ *http.Request) error {
		if calls++; calls == 1 {
			panic("x")
		}
		return ok(w, calls, nil)
	})
	func() {
		defer func() { _ = recover() }()
		o.call(t.Context(), 1, "k", "")
	}()
	if w := o.call(t.Context(), 1, "k", ""); w.Code != http.StatusOK {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/api"
)

// keyedDaemon is a fake daemon that hangs up on the first calls.
type keyedDaemon struct {
	*fake
	mu     sync.Mutex
	calls  []string // key and body of each call
	breaks int      // calls that are still to be broken
	mute   int      // questions of who it is that are still to be broken
	called func()   // nil, or told of each call
	keys   bool
	match  string // the precondition of the last call
	moved  bool   // calls that are not broken are refused: the target has changed
}

func (d *keyedDaemon) serve() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/health", func(w http.ResponseWriter, _ *http.Request) {
		d.mu.Lock()
		broken := d.mute > 0
		d.mute--
		d.mu.Unlock()
		if broken {
			panic(http.ErrAbortHandler)
		}
		reply(w, http.StatusOK, api.Server{PID: 4242, Version: "1.2.3", Revision: api.Revision, Keys: d.keys})
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		d.mu.Lock()
		d.calls = append(d.calls, r.Header.Get(api.HeaderKey)+" "+string(data))
		broken := d.breaks > 0
		d.breaks--
		d.match = r.Header.Get(api.HeaderMatch)
		if d.called != nil {
			d.called()
		}
		d.mu.Unlock()
		if broken {
			panic(http.ErrAbortHandler)
		}
		if d.moved {
			reply(w, http.StatusPreconditionFailed, api.Errorf(api.CodePrecondition, "s has changed since"))
			return
		}
		reply(w, http.StatusOK, api.Session{ID: "made"})
	})
	d.fake.serve(mux)
}

// made are the calls that arrived.
func (d *keyedDaemon) made() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls
}

func (d *keyedDaemon) connected() *Client {
	d.t.Helper()
	c := d.client()
	if _, err := c.Connect(testContext(d.t)); err != nil {
		d.t.Fatal(err)
	}
	return c
}

// TestActRepeats: a call whose answer is lost is made again, with the same key and
// body, also by a daemon that comes later; two calls have two keys.
func TestActRepeats(t *testing.T) {
	d := &keyedDaemon{fake: newFake(t), breaks: 2, keys: true}
	d.serve()
	c := d.connected()
	for range 2 {
		if s, err := c.CreateSession(testContext(t), api.NewSession{CWD: "/x"}); err != nil || s.ID != "made" {
			t.Fatalf("got %+v, %v", s, err)
		}
	}
	got := d.made()
	if len(got) != 4 || got[0] != got[1] || got[1] != got[2] || got[3] == got[2] || strings.HasPrefix(got[0], " ") {
		t.Fatalf("the calls were %q", got)
	}
	// Stopped, and there again a little later.
	d.stop()
	done := make(chan error, 1)
	go func() { _, err := c.KillSession(testContext(t), "s", api.Kill{}); done <- err }()
	d.serve()
	if err := <-done; err != nil {
		t.Error("over a restart:", err)
	}
	if n := len(d.made()); n != 5 {
		t.Errorf("%d calls", n)
	}
	// The caller's own key.
	if _, err := c.CreateSession(testContext(t), api.NewSession{CWD: "/x", Request: "mine"}); err != nil {
		t.Fatal(err)
	}
	if last := d.made()[5]; !strings.HasPrefix(last, "mine {") || strings.Contains(last, "request") {
		t.Errorf("the call was %q", last)
	}
}

// TestActBeforeItIsMet: a daemon that dies when it is asked who it is gets no call
// without a key: the next one, which takes keys, would carry out its repeat once more.
func TestActBeforeItIsMet(t *testing.T) {
	d := &keyedDaemon{fake: newFake(t), mute: 1, keys: true}
	d.serve()
	c := d.client()
	if _, err := c.CreateSession(testContext(t), api.NewSession{CWD: "/x", Request: "mine"}); err != nil {
		t.Fatal(err)
	}
	if got := d.made(); len(got) != 1 || !strings.HasPrefix(got[0], "mine ") {
		t.Errorf("the calls were %q", got)
	}
}

// TestSnoozeRepeats: to put a wait off, and to end that, is asked for again when the
// answer is lost.
func TestSnoozeRepeats(t *testing.T) {
	d := &keyedDaemon{fake: newFake(t), keys: true}
	d.serve()
	c := d.connected()
	for i, long := range []time.Duration{time.Hour, 0} {
		d.mu.Lock()
		d.breaks = 1
		d.mu.Unlock()
		if s, err := c.Snooze(testContext(t), "s", long); err != nil || s.ID != "made" {
			t.Errorf("for %v: %+v, %v", long, s, err)
		}
		if got := d.made(); len(got) != 2*i+2 || got[2*i] != got[2*i+1] || strings.HasPrefix(got[2*i], " ") {
			t.Errorf("for %v: the calls were %q", long, got)
		}
	}
}

// TestActWithoutKeys: a daemon that knows no keys is told none and asked once.
func TestActWithoutKeys(t *testing.T) {
	d := &keyedDaemon{fake: newFake(t), breaks: 1}
	d.serve()
	c := d.connected()
	_, err := c.CreateSession(testContext(t), api.NewSession{CWD: "/x"})
	if !api.Unsure(err) || !strings.Contains(err.Error(), "not known") || !strings.Contains(err.Error(), "ccdir ls") {
		t.Errorf("got %v", err)
	}
	if got := d.made(); len(got) != 1 || !strings.HasPrefix(got[0], " ") {
		t.Errorf("the calls were %q", got)
	}
	// What may be done twice is repeated all the same, and a prompt has an id.
	d.mu.Lock()
	d.breaks = 2
	d.mu.Unlock()
	if err := c.Resize(testContext(t), "s", 80, 24); err != nil {
		t.Error(err)
	}
	if _, err := c.SendPrompt(testContext(t), "s", api.SendPrompt{Text: "hi"}); err != nil {
		t.Error(err)
	}
}

// TestActGivesUp: the patience and the context end the repeating. It is said whether
// anything can have been done.
func TestActGivesUp(t *testing.T) {
	d := &keyedDaemon{fake: newFake(t), breaks: 1 << 30, keys: true}
	d.serve()
	c := d.connected()
	c.opts.Patience = 50 * time.Millisecond
	if _, err := c.CreateSession(testContext(t), api.NewSession{}); !api.Unsure(err) || api.CodeOf(err) != api.CodeUnavailable {
		t.Errorf("it broke again and again: %v", err)
	}
	c.opts.Patience = time.Hour
	ctx, cancel := context.WithCancel(testContext(t))
	d.mu.Lock()
	d.called = cancel
	d.mu.Unlock()
	if _, err := c.CreateSession(ctx, api.NewSession{}); !api.Unsure(err) {
		t.Errorf("cancelled: %v", err)
	}
	before := len(d.made())
	if err := c.RemoveSession(ctx, "s"); api.Unsure(err) || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before it was asked: %v", err)
	}
	d.stop()
	ctx, cancel = context.WithTimeout(testContext(t), 500*time.Millisecond)
	defer cancel()
	if err := c.RemoveSession(ctx, "s"); api.Unsure(err) || !errors.Is(err, ErrNotRunning) && api.CodeOf(err) != api.CodeTimeout {
		t.Errorf("no daemon: %v", err)
	}
	if len(d.made()) != before {
		t.Error("it was asked all the same")
	}
	// A client that has met none does not wait for one.
	began := time.Now()
	if _, err := d.client().KillSession(testContext(t), "s", api.Kill{}); !errors.Is(err, ErrNotRunning) || time.Since(began) > 10*time.Second {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
}

// TestActWithPrecondition: a call tells the version that it is meant for. One that is
// refused did nothing; after an attempt without an answer that is not known.
func TestActWithPrecondition(t *testing.T) {
	d := &keyedDaemon{fake: newFake(t), keys: true, moved: true}
	d.serve()
	c := d.connected()
	ctx := api.IfMatch(testContext(t), "s/1/2")
	for _, breaks := range []int{0, 1} {
		d.mu.Lock()
		d.breaks = breaks
		d.mu.Unlock()
		_, err := c.RestartSession(ctx, "s")
		if api.CodeOf(err) != api.CodePrecondition || api.Unsure(err) != (breaks > 0) {
			t.Errorf("after %d lost answers: %v", breaks, err)
		}
		if d.match != `"s/1/2"` {
			t.Errorf("the precondition was %s", d.match)
		}
	}
	if _, err := c.Session(ctx, "s"); err == nil || d.match != "" {
		t.Errorf("a call that reads had the precondition %s", d.match)
	}
}

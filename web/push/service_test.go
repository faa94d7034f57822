package push

import (
	"context"
	"crypto/ecdh"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/api"
)

// world stands for the daemon, and for the push service.
type world struct {
	mu       sync.Mutex // guards what follows
	key      string
	subs     []Subscribed
	requests []api.Request
	sessions []api.Session
	looking  bool
	status   int
	got      [][]byte
	notes    []string

	messages chan api.WatchMessage
}

func (w *world) PushKey() (string, error) { return w.key, nil }

func (w *world) Subscribe(device string, s *Subscription) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.subs = nil
	if s != nil {
		w.subs = []Subscribed{{Device: device, Name: "phone", Subscription: *s}}
	}
	return nil
}

func (w *world) Subscriptions() []Subscribed {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.subs
}

// service is one that runs in a bubble of testing/synctest, with a device that has subscribed.
func (w *world) service(t *testing.T) (*Service, Subscription, *ecdh.PrivateKey) {
	t.Helper()
	sub, own := browser(t)
	w.key, w.status, w.messages = must[string](t)(NewKey()), http.StatusCreated, make(chan api.WatchMessage)
	s := New(Options{Store: w, Secure: true, Subject: "https://box.net.ts.net/", Now: time.Now, Logger: slog.New(slog.DiscardHandler),
		Watch: func() (func(context.Context) ([]api.WatchMessage, error), func()) {
			return func(ctx context.Context) ([]api.WatchMessage, error) {
				select {
				case m := <-w.messages:
					return []api.WatchMessage{m}, nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}, func() {}
		},
		Requests: func() []api.Request { w.mu.Lock(); defer w.mu.Unlock(); return w.requests },
		Sessions: func() []api.Session { w.mu.Lock(); defer w.mu.Unlock(); return w.sessions },
		Looking:  func() bool { w.mu.Lock(); defer w.mu.Unlock(); return w.looking },
		Note:     func(m string) { w.mu.Lock(); defer w.mu.Unlock(); w.notes = append(w.notes, m) },
		Client: &http.Client{Transport: service(func(r *http.Request) (*http.Response, error) {
			body, err := io.ReadAll(r.Body)
			w.mu.Lock()
			defer w.mu.Unlock()
			w.got = append(w.got, body)
			return &http.Response{StatusCode: w.status, Status: http.StatusText(w.status), Body: io.NopCloser(strings.NewReader("no"))}, err
		})}})
	data := must[[]byte](t)(json.Marshal(sub))
	if err := s.Subscribe("d1", data); err != nil {
		t.Fatal(err)
	}
	return s, sub, own
}

// TestService: a request that is open after five seconds is told, whoever looks; that a session is done
// is told unless somebody looks or has looked; each push is an event.
func TestService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{}
		s, sub, own := w.service(t)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); s.Run(ctx) }()
		defer func() { cancel(); <-ended }()
		pushes := func() int { synctest.Wait(); w.mu.Lock(); defer w.mu.Unlock(); return len(w.got) }
		w.messages <- api.WatchMessage{Snapshot: &api.Snapshot{}}
		r := api.Request{ID: "r1", SessionName: "api", Tool: "Bash", Kind: api.RequestPermission}
		w.looking, w.requests = true, []api.Request{r}
		w.messages <- api.WatchMessage{Request: &r}
		time.Sleep(waitTime - time.Millisecond)
		if n := pushes(); n != 0 {
			t.Fatalf("told too early: %d", n)
		}
		time.Sleep(2 * time.Millisecond)
		if n := pushes(); n != 1 {
			t.Fatalf("%d pushes", n)
		}
		var n notice
		if err := json.Unmarshal([]byte(open(t, sub, own, w.got[0])), &n); err != nil || n.Title != "api wants Bash" || n.URL != "/approvals/r1" {
			t.Errorf("%+v: %v", n, err)
		}
		if s.Last().Failed || !strings.Contains(s.Last().Said, "was sent to phone (d1)") || len(w.notes) != 1 {
			t.Errorf("%q, %q", s.Last().Said, w.notes)
		}
		r.ID = "r2"
		w.messages <- api.WatchMessage{Request: &r}
		w.messages <- api.WatchMessage{RequestEnded: &api.Decision{Request: r}}
		time.Sleep(time.Minute)
		if n := pushes(); n != 1 {
			t.Errorf("an answered request was told: %d", n)
		}
		done := api.Session{ID: "s1", Name: "api", State: api.StateIdle, Unread: true, Answer: "All is well", Prompt: "go", LastTurn: &api.TurnDiff{}}
		if done.Standing(time.Now()) != api.StandingDone {
			t.Fatalf("the session is %s", done.Standing(time.Now()))
		}
		works := done
		works.State = api.StateWorking
		for i, c := range []struct {
			looking, unread bool
			want            int
		}{{true, true, 1}, {false, false, 1}, {false, true, 2}, {false, true, 2}} {
			w.mu.Lock()
			done.Unread = c.unread
			w.looking, w.sessions = c.looking, []api.Session{done}
			w.mu.Unlock()
			done.Unread = true
			w.messages <- api.WatchMessage{Session: &works}
			w.messages <- api.WatchMessage{Session: &done}
			time.Sleep(waitTime + time.Second)
			if n := pushes(); n != c.want {
				t.Errorf("done, case %d: %d pushes, want %d", i, n, c.want)
			}
		}
		w.status = http.StatusGone
		if err := s.Test(t.Context(), "d1"); err == nil || s.Subscribed("d1") || !s.Last().Failed || !strings.Contains(s.Last().Said, "has ended its subscription") {
			t.Errorf("a browser that has gone: %v, %q", err, s.Last().Said)
		}
	})
}

// TestProblem: without TLS or a name that can be written to, nothing is sent, and it is said why.
func TestProblem(t *testing.T) {
	for _, o := range []Options{{Subject: "https://box.net.ts.net/"}, {Secure: true, Subject: "https://127.0.0.1:7435/"}, {Secure: true, Subject: "https://box.local/"}} {
		s := New(o)
		if s.Problem() == "" {
			t.Errorf("%+v has no problem", o)
		}
		s.Run(t.Context()) // ends at once
		if err := s.Subscribe("d1", nil); api.CodeOf(err) != api.CodeConflict {
			t.Errorf("%v", err)
		}
	}
}

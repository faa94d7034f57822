package hooks

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/api"
)

// registry is a Registry made of a function.
type registry func(ctx context.Context, c Call) (api.HookReply, error)

func (r registry) Hook(ctx context.Context, session, token, hook, id string, at time.Time, payload []byte) (api.HookReply, error) {
	return r(ctx, Call{Session: session, Token: token, Hook: hook, ID: id, At: at, Payload: payload})
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return noon }

// post makes a call with these headers.
func post(h http.Handler, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/v1/hook", strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestEndpoint(t *testing.T) {
	var got Call
	e := NewEndpoint(registry(func(_ context.Context, c Call) (api.HookReply, error) {
		got = c
		return api.HookReply{Stdout: "hi", Exit: 2}, nil
	}), clock)
	at := noon.Add(-3 * time.Second)
	w := post(e, "payload", api.HeaderSession, "s", api.HeaderToken, "t", api.HeaderHook, "Stop", api.HeaderHookID, "1",
		api.HeaderAt, at.Format(time.RFC3339Nano))
	var reply api.HookReply
	if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil || w.Code != 200 || reply.Stdout != "hi" || reply.Exit != 2 {
		t.Errorf("answer %d %s", w.Code, w.Body)
	}
	if got.Session != "s" || got.Token != "t" || got.Hook != "Stop" || got.ID != "1" || !got.At.Equal(at) || string(got.Payload) != "payload" {
		t.Errorf("call %+v", got)
	}
}

func TestEndpointRefuses(t *testing.T) {
	e := NewEndpoint(registry(func(_ context.Context, c Call) (api.HookReply, error) {
		return api.HookReply{}, api.Errorf(api.Code(c.Hook), "no")
	}), clock)
	tests := []struct {
		name    string
		body    string
		headers []string
		code    int
	}{
		{"no session", "{}", []string{api.HeaderHook, "Stop"}, 400},
		{"no hook", "{}", []string{api.HeaderSession, "s"}, 400},
		{"a long header", "{}", []string{api.HeaderSession, strings.Repeat("s", 300), api.HeaderHook, "Stop"}, 400},
		{"too large", strings.Repeat("x", api.MaxHookPayload+1), []string{api.HeaderSession, "s", api.HeaderHook, "Stop"}, 413},
		{"the registry forbids", "{}", []string{api.HeaderSession, "s", api.HeaderHook, "forbidden"}, 403},
		{"the registry ends", "{}", []string{api.HeaderSession, "s", api.HeaderHook, "unavailable"}, 503},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := post(e, tt.body, tt.headers...)
			var e api.Error
			if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code != tt.code || e.Message == "" {
				t.Errorf("answer %d %s, want %d", w.Code, w.Body, tt.code)
			}
		})
	}
	w := httptest.NewRecorder()
	e.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/hook", nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("GET is answered %d", w.Code)
	}
}

func TestEndpointClampsTheFuture(t *testing.T) {
	for at, want := range map[string]time.Time{
		noon.Add(time.Hour).Format(time.RFC3339Nano): noon,
		"yesterday": noon,
		"":          noon,
	} {
		var got time.Time
		e := NewEndpoint(registry(func(_ context.Context, c Call) (api.HookReply, error) {
			got = c.At
			return api.HookReply{}, nil
		}), clock)
		post(e, "{}", api.HeaderSession, "s", api.HeaderHook, "Stop", api.HeaderAt, at)
		if !got.Equal(want) {
			t.Errorf("at %q became %v", at, got)
		}
	}
}

func TestRepeatGetsTheSameReply(t *testing.T) {
	calls := 0
	e := NewEndpoint(registry(func(_ context.Context, c Call) (api.HookReply, error) {
		calls++
		return api.HookReply{Stdout: fmt.Sprint(calls)}, nil
	}), clock)
	do := func(session, token, id string) string {
		r, err := e.Do(t.Context(), Call{Session: session, Token: token, ID: id})
		if err != nil {
			t.Fatal(err)
		}
		return r.Stdout
	}
	if a, b := do("s", "t", "1"), do("s", "t", "1"); a != "1" || b != "1" {
		t.Errorf("replies %s and %s", a, b)
	}
	// Another token, session or no id is another call.
	if a, b, c, d := do("s", "x", "1"), do("z", "t", "1"), do("s", "t", ""), do("s", "t", ""); a != "2" || b != "3" || c != "4" || d != "5" {
		t.Errorf("replies %s %s %s %s", a, b, c, d)
	}
	for i := range remembered {
		do("s", "t", fmt.Sprint("other", i))
	}
	if n := e.calls.Len(); n != remembered {
		t.Errorf("%d calls are remembered", n)
	}
}

func TestRepeatTakesOverFromACallThatHungUp(t *testing.T) {
	entered := make(chan context.Context, 2)
	e := NewEndpoint(registry(func(ctx context.Context, c Call) (api.HookReply, error) {
		entered <- ctx
		if ctx.Value(registryKey{}) == nil {
			<-ctx.Done()
			return api.HookReply{}, ctx.Err()
		}
		return api.HookReply{Stdout: "answered"}, nil
	}), clock)
	call := Call{Session: "s", ID: "1"}
	ctx, cancel := context.WithCancel(t.Context())
	var first sync.WaitGroup
	first.Go(func() {
		if _, err := e.Do(ctx, call); err == nil {
			t.Error("the call that hung up was answered")
		}
	})
	<-entered
	var reply api.HookReply
	var second sync.WaitGroup
	second.Go(func() {
		var err error
		if reply, err = e.Do(context.WithValue(t.Context(), registryKey{}, true), call); err != nil {
			t.Error(err)
		}
	})
	cancel()
	first.Wait()
	second.Wait()
	if reply.Stdout != "answered" {
		t.Errorf("reply %+v", reply)
	}
}

type registryKey struct{}

func TestWaitingRepeatHangsUp(t *testing.T) {
	release := make(chan struct{})
	entered := make(chan struct{})
	e := NewEndpoint(registry(func(context.Context, Call) (api.HookReply, error) {
		close(entered)
		<-release
		return api.HookReply{}, nil
	}), clock)
	var first sync.WaitGroup
	first.Go(func() { _, _ = e.Do(t.Context(), Call{Session: "s", ID: "1"}) })
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Do(ctx, Call{Session: "s", ID: "1"}); api.CodeOf(err) != api.CodeUnavailable {
		t.Errorf("error %v", err)
	}
	close(release)
	first.Wait()
}

func TestPanicOfTheRegistryFreesTheCall(t *testing.T) {
	first := true
	e := NewEndpoint(registry(func(context.Context, Call) (api.HookReply, error) {
		if first {
			first = false
			panic("oops")
		}
		return api.HookReply{Stdout: "ok"}, nil
	}), clock)
	func() {
		defer func() { _ = recover() }()
		_, _ = e.Do(t.Context(), Call{Session: "s", ID: "1"})
	}()
	if r, err := e.Do(t.Context(), Call{Session: "s", ID: "1"}); err != nil || r.Stdout != "ok" {
		t.Errorf("reply %+v, %v", r, err)
	}
}

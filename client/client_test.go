package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/paths"
	"ccdir/wire"
)

// TestRoutes: every call reaches its route with the right body and query.
func TestRoutes(t *testing.T) {
	type call struct {
		want string // method, path, query, body
		do   func(context.Context, *Client) error
	}
	paste := "p"
	calls := []call{
		{"GET /v1/health  ", func(ctx context.Context, c *Client) error { _, err := c.Health(ctx); return err }},
		{"GET /v1/sessions  ", func(ctx context.Context, c *Client) error { _, err := c.Sessions(ctx); return err }},
		{`POST /v1/sessions  {"name":"n","cwd":"/w","env":["A=b"]}`, func(ctx context.Context, c *Client) error {
			_, err := c.CreateSession(ctx, api.NewSession{Name: "n", CWD: "/w", Env: []string{"A=b"}})
			return err
		}},
		{"GET /v1/sessions/a%2Fb%20%3F  ", func(ctx context.Context, c *Client) error { _, err := c.Session(ctx, "a/b ?"); return err }},
		{"DELETE /v1/sessions/s  ", func(ctx context.Context, c *Client) error { return c.RemoveSession(ctx, "s") }},
		{"GET /v1/sessions/s/explain  ", func(ctx context.Context, c *Client) error { _, err := c.Explain(ctx, "s"); return err }},
		{"GET /v1/sessions/s/host  ", func(ctx context.Context, c *Client) error { _, err := c.HostAddress(ctx, "s"); return err }},
		{`POST /v1/sessions/s/input  {"text":"hi","wait":true,"id":"x1"}`, func(ctx context.Context, c *Client) error {
			_, err := c.SendPrompt(ctx, "s", api.SendPrompt{Text: "hi", Wait: true, ID: "x1"})
			return err
		}},
		{`POST /v1/sessions/s/input/raw  {"paste":"p"}`, func(ctx context.Context, c *Client) error {
			return c.Input(ctx, "s", api.RawInput{Paste: &paste})
		}},
		{`POST /v1/sessions/s/resize  {"cols":10,"rows":5}`, func(ctx context.Context, c *Client) error { return c.Resize(ctx, "s", 10, 5) }},
		{`POST /v1/sessions/s/kill  {"force":true}`, func(ctx context.Context, c *Client) error {
			_, err := c.KillSession(ctx, "s", api.Kill{Force: true})
			return err
		}},
		{"POST /v1/sessions/s/restart  ", func(ctx context.Context, c *Client) error { _, err := c.RestartSession(ctx, "s"); return err }},
		{`POST /v1/sessions/s/rename  {"name":"x"}`, func(ctx context.Context, c *Client) error { _, err := c.RenameSession(ctx, "s", "x"); return err }},
		{"POST /v1/sessions/s/focus  ", func(ctx context.Context, c *Client) error { return c.Focus(ctx, "s") }},
		{"POST /v1/sessions/s/seen  ", func(ctx context.Context, c *Client) error { return c.Seen(ctx, "s") }},
		{"GET /v1/sessions/s/buffer format=raw&from=9&scrollback=1 ", func(ctx context.Context, c *Client) error {
			_, err := c.Output(ctx, "s", wire.OutputParams{Format: "raw", Scrollback: true, From: 9})
			return err
		}},
		{"GET /v1/sessions/s/wait state=idle%2Cexited&timeout=5m0s ", func(ctx context.Context, c *Client) error {
			_, err := c.Wait(ctx, "s", []api.State{api.StateIdle, api.StateExited}, 0)
			return err
		}},
		{"GET /v1/events limit=5&session=s&since=3&type=Stop ", func(ctx context.Context, c *Client) error {
			_, err := c.Events(ctx, EventFilter{Since: 3, Session: "s", Type: "Stop", Limit: 5})
			return err
		}},
		{"GET /v1/agents  ", func(ctx context.Context, c *Client) error { _, err := c.Agents(ctx); return err }},
		{"GET /v1/accounts  ", func(ctx context.Context, c *Client) error { _, err := c.Accounts(ctx); return err }},
		{`POST /v1/sessions/s/resume  {"mode":"off"}`, func(ctx context.Context, c *Client) error {
			_, err := c.ResumeSession(ctx, "s", api.Resume{Mode: api.ResumeOff})
			return err
		}},
		{`POST /v1/sessions/s/restart  {"account":"work"}`, func(ctx context.Context, c *Client) error {
			_, err := c.RestartSessionWith(ctx, "s", api.Restart{Account: "work"})
			return err
		}},
		{"GET /v1/directories  ", func(ctx context.Context, c *Client) error { _, err := c.Directories(ctx); return err }},
		{"GET /v1/config  ", func(ctx context.Context, c *Client) error { _, err := c.Config(ctx); return err }},
		{`POST /v1/shutdown  {"kill_sessions":true}`, func(ctx context.Context, c *Client) error {
			return c.Shutdown(ctx, api.Stop{KillSessions: true})
		}},
	}
	f := newFake(t)
	var got string
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = r.Method + " " + r.URL.EscapedPath() + " " + r.URL.RawQuery + " " + string(body)
		_, _ = io.WriteString(w, "null")
	})
	f.serve(mux)
	c, ctx := f.client(), testContext(t)
	for _, tc := range calls {
		if err := tc.do(ctx, c); err != nil {
			t.Errorf("%s: %v", tc.want, err)
		}
		if got != tc.want {
			t.Errorf("got  %q\nwant %q", got, tc.want)
		}
	}
}

func TestErrors(t *testing.T) {
	f := newFake(t)
	mux := health(http.NewServeMux(), "1.2.3")
	mux.HandleFunc("GET /v1/sessions/{id}", func(w http.ResponseWriter, r *http.Request) {
		switch r.PathValue("id") {
		case "two":
			reply(w, 400, api.Error{Code: api.CodeAmbiguous, Message: "fits two"})
		case "plain":
			http.Error(w, "evil \x1b[31m text\nmore", 500)
		case "other":
			_, _ = io.WriteString(w, `[1]`)
		case "huge":
			reply(w, 200, api.Session{ID: strings.Repeat("x", 1<<20)})
		case "hang":
			<-r.Context().Done()
		}
	})
	f.serve(mux)
	c, ctx := f.client(), testContext(t)
	tests := []struct {
		ref, text string
		code      api.Code
	}{
		{"two", "fits two", api.CodeAmbiguous},
		{"plain", "evil", api.CodeInternal},
		{"other", "not understood", api.CodeBadVersion},
		{"", "ccdir ls", api.CodeNotFound},
		{".", "ccdir ls", api.CodeNotFound},
		{"..", "ccdir ls", api.CodeNotFound},
	}
	for _, tc := range tests {
		_, err := c.Session(ctx, tc.ref)
		if err == nil || api.CodeOf(err) != tc.code || !strings.Contains(err.Error(), tc.text) {
			t.Errorf("%q: got %q (%s), want %q (%s)", tc.ref, err, api.CodeOf(err), tc.text, tc.code)
		} else if strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%q: control characters in %q", tc.ref, err)
		}
	}
	if s, err := c.Session(ctx, "huge"); err != nil || len(s.ID) != 1<<20 {
		t.Errorf("huge: %v, %d bytes", err, len(s.ID))
	}
	if err := c.Focus(ctx, "nobody"); api.CodeOf(err) != api.CodeBadVersion {
		t.Errorf("a route that the daemon lacks: got %v", err)
	}
	short, cancel := context.WithTimeout(ctx, 30*time.Millisecond)
	defer cancel()
	if _, err := c.Session(short, "hang"); api.CodeOf(err) != api.CodeTimeout {
		t.Errorf("hang: got %v", err)
	}
	gone, cancelNow := context.WithCancel(ctx)
	cancelNow()
	if _, err := c.Session(gone, "hang"); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: got %v", err)
	}
}

func TestNotRunning(t *testing.T) {
	f := newFake(t)
	c, ctx := f.client(), testContext(t)
	_, err := c.Connect(ctx) // without Exe nothing is started
	if !errors.Is(err, ErrNotRunning) || errors.Is(err, errCrashed) {
		t.Errorf("no socket: got %v", err)
	}
	if err == nil || strings.Contains(err.Error(), "http") {
		t.Errorf("net/http shows in %q", err)
	}
	f.serve(health(http.NewServeMux(), "1.2.3"))
	if _, err := c.Connect(ctx); err != nil {
		t.Errorf("running: got %v", err)
	}
	f.crash()
	if _, err := c.Connect(ctx); !errors.Is(err, errCrashed) {
		t.Errorf("socket without a listener: got %v", err)
	}
}

// TestRepeats: what only reads is repeated when the daemon dies in the middle,
// what may have been done is not.
func TestRepeats(t *testing.T) {
	f := newFake(t)
	mux := health(http.NewServeMux(), "1.2.3")
	calls := map[string]int{}
	mux.HandleFunc("/v1/sessions/{id}/{what...}", func(w http.ResponseWriter, r *http.Request) {
		if calls[r.Method]++; calls[r.Method] < 3 {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"id":`) // and the connection ends
			return
		}
		reply(w, 200, api.Explanation{Session: "s"})
	})
	f.serve(mux)
	c, ctx := f.client(), testContext(t)
	if e, err := c.Explain(ctx, "s"); err != nil || e.Session != "s" || calls["GET"] != 3 {
		t.Errorf("got %+v, %v after %d calls", e, err, calls["GET"])
	}
	if err := c.Focus(ctx, "s"); api.CodeOf(err) != api.CodeUnavailable || calls["POST"] != 1 {
		t.Errorf("got %v after %d calls", err, calls["POST"])
	}
}

// TestConnectToADyingDaemon: one that hangs up is asked again.
func TestConnectToADyingDaemon(t *testing.T) {
	f := newFake(t)
	mux := http.NewServeMux()
	calls := 0
	mux.HandleFunc("GET /v1/health", func(w http.ResponseWriter, _ *http.Request) {
		if calls++; calls < 3 {
			panic(http.ErrAbortHandler) // closes the connection without an answer
		}
		reply(w, 200, api.Server{Version: "1.2.3"})
	})
	f.serve(mux)
	if _, err := f.client().Connect(testContext(t)); err != nil {
		t.Error(err)
	}
	if calls < 3 {
		t.Errorf("%d calls", calls)
	}
}

func TestVersionDiffers(t *testing.T) {
	f := newFake(t)
	f.serve(health(http.NewServeMux(), "9.9\x1b[2J"))
	c, ctx := f.client(), testContext(t)
	var version *VersionError
	_, err := c.Connect(ctx)
	if !errors.As(err, &version) || version.PID != 4242 {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"4242", "1.2.3", "9.9", "ccdir daemon restart"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if strings.Contains(err.Error(), "\x1b") {
		t.Errorf("control characters in %q", err)
	}
	if srv, err := c.Health(ctx); err != nil || srv.PID != 4242 {
		t.Errorf("Health must work with every version: %v", err)
	}
}

func TestWaitGoesOnThroughTimeoutsAndRestarts(t *testing.T) {
	f := newFake(t)
	calls := 0
	second := make(chan struct{})
	mux := health(http.NewServeMux(), "1.2.3")
	mux.HandleFunc("GET /v1/sessions/s/wait", func(w http.ResponseWriter, r *http.Request) {
		if calls++; calls == 1 {
			reply(w, 504, api.Error{Code: api.CodeTimeout, Message: "not yet"})
			return
		}
		close(second)
		<-r.Context().Done()
	})
	f.serve(mux)
	c, ctx := f.client(), testContext(t)
	got := make(chan error, 1)
	go func() {
		s, err := c.Wait(ctx, "s", []api.State{api.StateIdle}, 0)
		if err == nil && s.State != api.StateIdle {
			err = errors.New("state " + string(s.State))
		}
		got <- err
	}()
	<-second
	f.stop()
	again := health(http.NewServeMux(), "1.2.3")
	again.HandleFunc("GET /v1/sessions/s/wait", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, api.Session{ID: "s", State: api.StateIdle})
	})
	f.serve(again)
	if err := <-got; err != nil {
		t.Error(err)
	}
}

func TestWaitTimeout(t *testing.T) {
	f := newFake(t)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/sessions/s/wait", func(w http.ResponseWriter, r *http.Request) {
		d, err := time.ParseDuration(r.URL.Query().Get("timeout"))
		if err != nil {
			reply(w, 400, api.Error{Code: api.CodeInvalid, Message: err.Error()})
			return
		}
		select {
		case <-time.After(d):
		case <-r.Context().Done():
		}
		reply(w, 504, api.Error{Code: api.CodeTimeout, Message: "not idle"})
	})
	f.serve(mux)
	_, err := f.client().Wait(testContext(t), "s", []api.State{api.StateIdle}, 30*time.Millisecond)
	if api.CodeOf(err) != api.CodeTimeout {
		t.Errorf("got %v", err)
	}
}

func TestCheckRuntime(t *testing.T) {
	base := t.TempDir()
	good := mustMkdir(t, filepath.Join(base, "good"), 0o700)
	open := mustMkdir(t, filepath.Join(base, "open"), 0o755)
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(base, "link")
	if err := os.Symlink(good, link); err != nil {
		t.Fatal(err)
	}
	sub := mustMkdir(t, filepath.Join(open, "sub"), 0o700)
	uid := os.Getuid()
	tests := []struct {
		name string
		p    paths.Paths
		uid  int
		want string // "" is fine
	}{
		{"good", paths.Paths{Runtime: good}, uid, ""},
		{"missing", paths.Paths{Runtime: filepath.Join(base, "none")}, uid, ""},
		{"another user's", paths.Paths{Runtime: good}, uid + 1, "belongs to user"},
		{"open to others", paths.Paths{Runtime: open}, uid, "chmod 700"},
		{"a file", paths.Paths{Runtime: file}, uid, "a file"},
		{"a link", paths.Paths{Runtime: link}, uid, "a symbolic link"},
		{"parent open", paths.Paths{Home: "/h", Runtime: sub}, uid, "chmod 700"},
	}
	for _, tc := range tests {
		err := CheckRuntime(tc.p, tc.uid)
		switch {
		case tc.want == "" && err != nil, tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: got %v, want %q", tc.name, err, tc.want)
		}
	}
	c := New(Options{Paths: paths.Paths{Runtime: open}, UID: uid})
	defer c.Close()
	if _, err := c.Health(testContext(t)); err == nil || !strings.Contains(err.Error(), "chmod 700") || strings.Contains(err.Error(), "http://") {
		t.Errorf("a call must refuse the directory and say why: %v", err)
	}
}

func TestDaemonEnv(t *testing.T) {
	got := daemonEnv([]string{"A=1", "CCDIR_TOKEN=x", "CCDIR_SESSION=y", "CCDIR_HOME=/h", "CCDIR_SOCKET=z", "CCDIR_DIR=d", "GIT_DIR=r", "GIT_INDEX_FILE=i", "GIT_AUTHOR_NAME=n"})
	if want := []string{"A=1", "CCDIR_HOME=/h", "GIT_AUTHOR_NAME=n"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestConfigRaw: the configuration passes through untouched.
func TestConfigRaw(t *testing.T) {
	f := newFake(t)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/config", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, json.RawMessage(`{"a":[1,2]}`))
	})
	f.serve(mux)
	got, err := f.client().Config(testContext(t))
	if err != nil || string(got) != `{"a":[1,2]}` {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestPageEvents: all events come, whatever their number, or as many as were asked for:
// the first ones after a number, or the newest.
func TestPageEvents(t *testing.T) {
	const all = 3126
	f := newFake(t)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/events", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		number := func(name string, unset int) int {
			if n, err := strconv.Atoi(q.Get(name)); err == nil {
				return n
			}
			return unset
		}
		first, last, limit := number("since", 0)+1, number("before", all+1)-1, min(number("limit", 1000), 1000)
		if !q.Has("since") {
			first = max(first, last-limit+1)
		}
		list := []api.Event{}
		for n := first; n <= last && len(list) < limit; n++ {
			list = append(list, api.Event{Seq: int64(n)})
		}
		reply(w, http.StatusOK, list)
	})
	f.serve(mux)
	c := f.client()
	for _, test := range []struct {
		f           EventFilter
		first, last int64
	}{
		{EventFilter{}, 1, all}, {EventFilter{Since: -1}, 1, all}, {EventFilter{Since: 1}, 2, all}, {EventFilter{Limit: 100_000}, 1, all},
		{EventFilter{Limit: 1500}, all - 1499, all}, {EventFilter{Limit: 1000}, all - 999, all}, {EventFilter{Limit: 1}, all, all},
		{EventFilter{Since: -1, Limit: 1500}, 1, 1500}, {EventFilter{Since: 2000, Limit: 1000}, 2001, 3000}, {EventFilter{Since: 3000, Limit: 5000}, 3001, all},
	} {
		next := test.first
		err := c.PageEvents(testContext(t), test.f, func(e api.Event) error {
			if e.Seq != next {
				t.Fatalf("%+v: event %d comes where %d is next", test.f, e.Seq, next)
			}
			next++
			return nil
		})
		if err != nil || next != test.last+1 {
			t.Errorf("%+v: the last event is %d, want %d (%v)", test.f, next-1, test.last, err)
		}
	}
}

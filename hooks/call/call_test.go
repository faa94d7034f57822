package call

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/paths"
)

// place is a session's directory and a socket's path that is short enough.
type place struct{ dir, socket string }

func newPlace(t *testing.T) place {
	t.Helper()
	short, err := os.MkdirTemp("/tmp", "hookcall-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	return place{dir: t.TempDir(), socket: filepath.Join(short, "s")}
}

func (p place) environ() []string {
	return []string{"PATH=/bin", api.EnvSession + "=s1", api.EnvToken + "=secret",
		api.EnvSocket + "=" + p.socket, api.EnvDir + "=" + p.dir}
}

// serve listens at the place's socket until the test ends or stop is called.
func (p place) serve(t *testing.T, h http.HandlerFunc) (stop func()) {
	t.Helper()
	ln, err := net.Listen("unix", p.socket)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: h}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Serve(ln)
	}()
	stop = sync.OnceFunc(func() {
		_ = srv.Close()
		<-done
	})
	t.Cleanup(stop)
	return stop
}

// call runs a hook with a limit of its own and returns what it did.
func (p place) call(hook, payload string, limit time.Duration) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	l := older(hook)
	l.limit = limit
	code = run(l, strings.NewReader(payload), &out, &errs, p.environ(), time.Now())
	return out.String(), errs.String(), code
}

func (p place) spooled(t *testing.T) []api.SpooledHook {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(p.dir, paths.SpoolDir, "*"+paths.SpoolSuffix))
	var out []api.SpooledHook
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var s api.SpooledHook
		if err := json.Unmarshal(data, &s); err != nil {
			t.Fatal(err)
		}
		if info, _ := os.Stat(f); info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", f, info.Mode())
		}
		out = append(out, s)
	}
	return out
}

func TestCallIsAnswered(t *testing.T) {
	p := newPlace(t)
	var got http.Header
	var body string
	p.serve(t, func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		got, body = r.Header, string(data)
		if r.Method != http.MethodPost || r.URL.Path != "/v1/hook" {
			t.Errorf("request %s %s", r.Method, r.URL.Path)
		}
		_ = json.NewEncoder(w).Encode(api.HookReply{Stdout: "out\n", Stderr: "err\n", Exit: 2})
	})
	stdout, stderr, code := p.call("Stop", `{"a":1}`, time.Minute)
	if stdout != "out\n" || stderr != "err\n" || code != 2 {
		t.Errorf("printed %q and %q, exit %d", stdout, stderr, code)
	}
	if body != `{"a":1}` || got.Get(api.HeaderSession) != "s1" || got.Get(api.HeaderToken) != "secret" || got.Get(api.HeaderHook) != "Stop" {
		t.Errorf("body %q, headers %v", body, got)
	}
	if _, err := time.Parse(time.RFC3339Nano, got.Get(api.HeaderAt)); err != nil {
		t.Error(err)
	}
	if n := len(p.spooled(t)); n != 0 {
		t.Errorf("%d calls in the spool", n)
	}
}

func TestResponses(t *testing.T) {
	tests := []struct {
		name, raw string
		want      result
		stdout    string
	}{
		{"with a length", "HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{\"stdout\":\"a\"}", answered, "a"},
		{"up to the end", "HTTP/1.1 200 OK\r\n\r\n{\"stdout\":\"a\"}", answered, "a"},
		{"in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7;x=y\r\n{\"stdou\r\n7\r\nt\":\"a\"}\r\n0\r\n\r\n", answered, "a"},
		{"after a 100", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", answered, ""},
		{"forbidden", "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", refused, ""},
		{"too large", "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n", refused, ""},
		{"shutting down", "HTTP/1.1 503 Unavailable\r\nContent-Length: 0\r\n\r\n", unavailable, ""},
		{"cut off", "HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{\"std", unavailable, ""},
		{"closed", "", unavailable, ""},
		{"not HTTP", "SSH-2.0-x\r\n", unavailable, ""},
		{"no JSON", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", refused, ""},
		{"a huge length", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", unavailable, ""},
		{"a huge chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffff\r\n", unavailable, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			ln, err := net.Listen("unix", p.socket)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = ln.Close() }()
			go func() {
				conn, err := ln.Accept()
				if err != nil {
					return
				}
				_, _ = conn.Read(make([]byte, 4096))
				_, _ = io.WriteString(conn, tt.raw)
				_ = conn.Close()
			}()
			c := call{line: line{hook: "Stop"}, socket: p.socket, id: "1", session: "s", payload: []byte("{}")}
			reply, got := c.post(time.Now().Add(30 * time.Second))
			if got != tt.want || reply.Stdout != tt.stdout {
				t.Errorf("result %d %+v, want %d", got, reply, tt.want)
			}
		})
	}
}

func TestHangingDaemon(t *testing.T) {
	p := newPlace(t)
	release := make(chan struct{})
	defer close(release)
	p.serve(t, func(http.ResponseWriter, *http.Request) { <-release })
	start := time.Now()
	out, errs, code := p.call("Stop", "{}", 150*time.Millisecond)
	if out+errs != "" || code != 0 {
		t.Errorf("printed %q %q, exit %d", out, errs, code)
	}
	if took := time.Since(start); took < 150*time.Millisecond || took > 10*time.Second {
		t.Errorf("took %v", took)
	}
	if n := len(p.spooled(t)); n != 1 {
		t.Errorf("%d calls in the spool", n)
	}
}

func TestDeadlinesAreWithinTheAgentsTimeouts(t *testing.T) {
	for hook, timeout := range map[string]time.Duration{
		"PermissionRequest": api.HookTimeoutPermission, "SessionEnd": api.HookTimeoutEnding,
		"PreToolUse": api.HookTimeout, "Stop": api.HookTimeout,
	} {
		if d := older(hook).limit; d <= 0 || d > timeout-margin {
			t.Errorf("%s has %v of %v", hook, d, timeout)
		}
	}
}

func TestPermissionRequestRedials(t *testing.T) {
	p := newPlace(t)
	type reply struct {
		out  string
		code int
	}
	got := make(chan reply, 1)
	go func() {
		out, _, code := p.call("PermissionRequest", "{}", 20*time.Second)
		got <- reply{out, code}
	}()
	// The first daemon dies while it holds the request.
	ids := make(chan string, 2)
	hold := make(chan struct{})
	stop := p.serve(t, func(_ http.ResponseWriter, r *http.Request) {
		ids <- r.Header.Get(api.HeaderHookID)
		<-hold
		panic(http.ErrAbortHandler)
	})
	first := <-ids
	close(hold)
	stop()
	p.serve(t, func(w http.ResponseWriter, r *http.Request) {
		ids <- r.Header.Get(api.HeaderHookID)
		_, _ = io.WriteString(w, `{"stdout":"allow"}`)
	})
	if second := <-ids; second != first {
		t.Errorf("redialled with id %s after %s", second, first)
	}
	if r := <-got; r.out != "allow" || r.code != 0 {
		t.Errorf("printed %q, exit %d", r.out, r.code)
	}
	if n := len(p.spooled(t)); n != 0 {
		t.Errorf("%d calls in the spool", n)
	}
}

func TestPermissionRequestGivesUpAtItsDeadline(t *testing.T) {
	p := newPlace(t)
	start := time.Now()
	out, errs, code := p.call("PermissionRequest", "{}", 100*time.Millisecond)
	if out+errs != "" || code != 0 || time.Since(start) > 10*time.Second {
		t.Errorf("printed %q %q, exit %d after %v", out, errs, code, time.Since(start))
	}
	if n := len(p.spooled(t)); n != 1 {
		t.Errorf("%d calls in the spool", n)
	}
}

func TestNothingHappens(t *testing.T) {
	p := newPlace(t)
	called := false
	p.serve(t, func(http.ResponseWriter, *http.Request) { called = true })
	tests := []struct {
		name string
		args []string
		env  []string
	}{
		{"outside ccdir", []string{"Stop"}, []string{api.EnvSocket + "=" + p.socket}},
		{"no name", nil, p.environ()},
		{"a bad name", []string{"Stop\r\nX: y"}, p.environ()},
		{"a long name", []string{strings.Repeat("a", 100)}, p.environ()},
		{"too many arguments", []string{"Stop", "x"}, p.environ()},
		{"a token with a line end", []string{"Stop"}, append(p.environ(), api.EnvToken+"=a\r\nX: y")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			if code := Main(tt.args, strings.NewReader("{}"), &out, &out, tt.env); code != 0 || out.Len() > 0 {
				t.Errorf("exit %d, printed %q", code, &out)
			}
		})
	}
	if called || len(p.spooled(t)) > 0 {
		t.Error("a call was made")
	}
}

// TestOutsideDoesNotWait: outside ccdir an input that stays open holds nothing
// up.
func TestOutsideDoesNotWait(t *testing.T) {
	r, w := io.Pipe()
	defer func() { _ = w.Close() }()
	start := time.Now()
	if code := Main([]string{"Stop"}, r, io.Discard, io.Discard, nil); code != 0 {
		t.Errorf("exit %d", code)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestInputThatStaysOpen(t *testing.T) {
	p := newPlace(t)
	r, w := io.Pipe()
	defer func() { _ = w.Close() }()
	start := time.Now()
	if code := run(line{hook: "Stop", limit: 100 * time.Millisecond}, r, io.Discard, io.Discard, p.environ(), start); code != 0 {
		t.Errorf("exit %d", code)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

// TestLateProcess: a process that a slow machine lets run only after its deadline keeps
// its call all the same.
func TestLateProcess(t *testing.T) {
	p := newPlace(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if _, err := w.WriteString(`{"a":1}`); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	if code := run(line{hook: "Stop", limit: time.Second}, r, io.Discard, io.Discard, p.environ(), time.Now().Add(-time.Minute)); code != 0 {
		t.Errorf("exit %d", code)
	}
	if got := p.spooled(t); len(got) != 1 || string(got[0].Payload) != `{"a":1}` {
		t.Errorf("in the spool: %v", got)
	}
}

func TestLargePayload(t *testing.T) {
	for _, tt := range []struct{ name, payload string }{
		{"a long value last", `{"session_id":"x","n":[1,2],"big":"` + strings.Repeat("a", 4000) + `"}`},
		{"a long value first", `{"big":"` + strings.Repeat("a", 500) + `","session_id":"x","n":[1,2],"more":"` + strings.Repeat("b", 4000) + `"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := strings.NewReader(tt.payload)
			got, ok := readPayload(r, 1000, time.Second)
			var m map[string]any
			if err := json.Unmarshal(got, &m); err != nil || !ok {
				t.Fatalf("%s: %v", got, err)
			}
			if m["session_id"] != "x" || m["ccdir_shortened"] != float64(len(tt.payload)) || m["n"] == nil {
				t.Errorf("kept %v", m)
			}
			if r.Len() > 0 {
				t.Errorf("%d bytes were not read", r.Len())
			}
		})
	}
	got, _ := readPayload(strings.NewReader(strings.Repeat("x", 2000)), 1000, time.Second)
	if string(got) != `{"ccdir_shortened":2000}` {
		t.Errorf("of no JSON: %s", got)
	}
}

func FuzzResponse(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
	f.Add("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
	f.Fuzz(func(t *testing.T, raw string) {
		status, body, err := readResponse(bufio.NewReader(strings.NewReader(raw)), func() {})
		if err == nil && (status < 0 || status > 999 || len(body) > maxReply) {
			t.Errorf("status %d, %d bytes", status, len(body))
		}
	})
}

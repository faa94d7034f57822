package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// FuzzBody: a body is what was sent or an error of the caller's, in one line, which
// says nothing of this program's insides.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{`{"cwd":"/","cols":80,"env":["A=b"]}`, `{"cwd":1}`, `{"cwd":"/","colls":1}`, `{"cwd":"/"} {}`, `[]`, `null`, ``, ` `, `{"cwd":"`,
		"{\"cwd\":\n\"\xff\"}", `{"CWD":"/"}`, strings.Repeat("[", 20_000), `{"cols":1e99}`, `{"argv":["a",{}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var n api.NewSession
		err := body(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/sessions", bytes.NewReader(data)), 1<<16, &n)
		var known *api.Error
		switch {
		case err == nil:
			if len(bytes.TrimSpace(data)) > 0 && !json.Valid(data) {
				t.Errorf("%q was taken", data)
			}
		case !errors.As(err, &known) || known.Code.Status()/100 != 4:
			t.Errorf("%q: %v", data, err)
		case strings.ContainsAny(known.Message, "\n\r\x1b") || strings.Contains(known.Message, "api.New") || len(known.Message) > 1000:
			t.Errorf("%q: %q", data, known.Message)
		}
	})
}

// TestNewerCaller: to a ccdir of another version a field that is not known is no
// mistake of its user's, who is told what to do; left out it would be something else
// than was asked for.
func TestNewerCaller(t *testing.T) {
	for agent, want := range map[string]api.Code{"curl/8.5.0": api.CodeInvalid, "": api.CodeInvalid,
		"ccdir/" + api.Version + " (cli)": api.CodeInvalid, "ccdir/99.1.0 (tui)": api.CodeBadVersion} {
		r := httptest.NewRequest(http.MethodPost, "/v1/sessions", strings.NewReader(`{"cwd":"/","field_to_come":1}`))
		r.Header.Set("User-Agent", agent)
		err := body(httptest.NewRecorder(), r, 1<<16, &api.NewSession{})
		if api.CodeOf(err) != want || !strings.Contains(err.Error(), "field_to_come") || (want == api.CodeBadVersion) != strings.Contains(err.Error(), "ccdir daemon restart") {
			t.Errorf("%q: %v", agent, err)
		}
		r = httptest.NewRequest(http.MethodPost, "/v1/sessions", strings.NewReader(`{"cwd":5}`))
		r.Header.Set("User-Agent", agent)
		if err := body(httptest.NewRecorder(), r, 1<<16, &api.NewSession{}); api.CodeOf(err) != api.CodeInvalid {
			t.Errorf("%q, a wrong type: %v", agent, err)
		}
	}
}

// TestSleepingCaller: a caller that stops in the middle of its body is answered and
// dropped; one that is slow, and not asleep, is waited for, and its connection goes on.
func TestSleepingCaller(t *testing.T) {
	s := &server{Deps: Deps{BodyWait: 300 * time.Millisecond}}
	read := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var v any
		if err := body(w, r, 1<<16, &v); err != nil {
			s.fail(w, r, err)
			return
		}
		answer(w, http.StatusOK, v)
	})
	srv := httptest.NewServer(s.patient(read))
	defer srv.Close()
	dial := func() net.Conn {
		t.Helper()
		c, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		_ = c.SetDeadline(time.Now().Add(20 * time.Second))
		return c
	}
	const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\n"
	asleep := dial()
	_, _ = io.WriteString(asleep, head+"[1,")
	all, err := io.ReadAll(asleep)
	if err != nil || !strings.HasPrefix(string(all), "HTTP/1.1 504 ") || !strings.Contains(string(all), `"code":"timeout"`) {
		t.Errorf("%q, %v", all, err)
	}
	slow := dial()
	for range 2 {
		for _, part := range []string{head, "[1,", "2,3", "] "} {
			if _, err := io.WriteString(slow, part); err != nil {
				t.Fatal(err)
			}
			<-time.After(20 * time.Millisecond) // slow is what this is about
		}
		got := make([]byte, 4096)
		n, err := slow.Read(got)
		if err != nil || !strings.Contains(string(got[:n]), "200 OK") || !strings.Contains(string(got[:n]), "[1,2,3]") {
			t.Fatalf("%q, %v", got[:n], err)
		}
	}
}

// TestStopping: a call whose context has ended because the daemon is stopping says
// so; without an answer the server would say 200 for it.
func TestStopping(t *testing.T) {
	s := &server{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	s.fail(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/x", nil), context.Canceled)
	var e api.Error
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code != http.StatusServiceUnavailable || e.Code != api.CodeUnavailable || w.Header().Get("Connection") != "close" {
		t.Errorf("%d %s %v", w.Code, w.Body, err)
	}
	out := &answerWriter{header: http.Header{}}
	s.fail(out, httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/x", nil), context.Canceled)
	if m := out.result(); m.Error == nil || !strings.Contains(m.Error.Message, "cancelled") {
		t.Errorf("a cancelled call of the control socket: %+v", m)
	}
}

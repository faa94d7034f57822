package daemon

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// rawConn is a bare connection to a daemon's socket.
type rawConn struct {
	t    testing.TB
	conn net.Conn
	r    *bufio.Reader
	said string // last
}

func (p *place) wire() *rawConn {
	p.t.Helper()
	c, err := net.Dial("unix", p.paths.Socket())
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience))
	return &rawConn{t: p.t, conn: c, r: bufio.NewReader(c)}
}

func (w *rawConn) say(text string) {
	w.t.Helper()
	w.said = text[:min(len(text), 200)]
	if _, err := io.WriteString(w.conn, text); err != nil {
		w.t.Fatal(err)
	}
}

// hear reads one answer to a request of that method.
func (w *rawConn) hear(method string) (*http.Response, []byte) {
	w.t.Helper()
	resp, err := http.ReadResponse(w.r, &http.Request{Method: method})
	if err != nil {
		w.t.Fatalf("%q: %v", w.said, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatalf("%q: %v", w.said, err)
	}
	return resp, data
}

// TestRawHTTP: whatever is said on the socket is answered as HTTP has it; failures have
// code and message, and a connection goes on or is closed as the answer says.
func TestRawHTTP(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	const get = "GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n"
	post := func(head, body string) string {
		return "POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + head + "\r\n" + body
	}
	for _, c := range []struct {
		name, say, method string
		status            int
		code              api.Code // of the body; "" is none, or what is not an error
		open              bool     // the connection goes on
	}{
		{"GET", get, "GET", 200, "", true},
		{"HTTP/1.0", "GET /v1/health HTTP/1.0\r\n\r\n", "GET", 200, "", false},
		{"HTTP/1.0 that stays", "GET /v1/health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET", 200, "", true},
		{"HEAD", "HEAD /v1/sessions HTTP/1.1\r\nHost: x\r\n\r\n", "HEAD", 200, "", true},
		{"HEAD of a stream", "HEAD /v1/watch HTTP/1.1\r\nHost: x\r\n\r\n", "HEAD", 200, "", true},
		{"HEAD of events", "HEAD /v1/events/stream?since=0 HTTP/1.1\r\nHost: x\r\n\r\n", "HEAD", 200, "", true},
		{"HEAD of a socket", "HEAD /v1/control HTTP/1.1\r\nHost: x\r\n\r\n", "HEAD", 405, "", true},
		{"HEAD of nothing", "HEAD /v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n", "HEAD", 404, "", true},
		{"OPTIONS", "OPTIONS /v1/sessions HTTP/1.1\r\nHost: x\r\n\r\n", "OPTIONS", 204, "", true},
		{"OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "OPTIONS", 404, api.CodeNotFound, true},
		{"TRACE", "TRACE /v1/health HTTP/1.1\r\nHost: x\r\n\r\n", "TRACE", 405, api.CodeMethod, true},
		{"a method of its own", "BREW /v1/health HTTP/1.1\r\nHost: x\r\n\r\n", "BREW", 405, api.CodeMethod, true},
		{"CONNECT", "CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n", "CONNECT", 404, api.CodeNotFound, true},
		{"nothing", "GET /v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n", "GET", 404, api.CodeNotFound, true},
		{"a slash more", "GET /v1/sessions/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET", 404, api.CodeNotFound, true},
		{"two slashes", "GET //v1/health HTTP/1.1\r\nHost: x\r\n\r\n", "GET", 404, api.CodeNotFound, true},
		{"dots", "GET /v1/sessions/../health HTTP/1.1\r\nHost: x\r\n\r\n", "GET", 404, api.CodeNotFound, true},
		{"hidden dots", "GET /v1/sessions/..%2Fhealth HTTP/1.1\r\nHost: x\r\n\r\n", "GET", 404, api.CodeNotFound, true},
		{"an address with a host", "GET http://elsewhere/v1/health HTTP/1.1\r\nHost: x\r\n\r\n", "GET", 200, "", true},
		{"chunks", post("Transfer-Encoding: chunked\r\n", "7\r\n{\"cwd\":\r\n2\r\n5}\r\n0\r\n\r\n"), "POST", 400, api.CodeInvalid, true},
		{"broken chunks", post("Transfer-Encoding: chunked\r\n", "zz\r\n{}\r\n"), "POST", 400, api.CodeInvalid, false},
		{"a body that is too large", post("Content-Length: 99999999\r\n", ""), "POST", 413, api.CodeTooLarge, false},
		{"the wrong kind", "POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}", "POST", 415, api.CodeMediaType, true},
		{"wrong types", post("Content-Length: 25\r\n", `{"cwd":["/"],"cols":true}`), "POST", 400, api.CodeInvalid, true},
		{"a number that is too large", post("Content-Length: 21\r\n", `{"cwd":"/","cols":9e9}`[:21]), "POST", 400, api.CodeInvalid, true},
		{"a query that is no number", "GET /v1/events?since=x HTTP/1.1\r\nHost: x\r\n\r\n", "GET", 400, api.CodeInvalid, true},
	} {
		w := p.wire()
		w.say(c.say)
		resp, data := w.hear(c.method)
		var e api.Error
		_ = json.Unmarshal(data, &e) // what is no error has neither
		if resp.StatusCode != c.status || e.Code != c.code || c.code != "" && (e.Message == "" || resp.Header.Get("Content-Type") != "application/json") || c.method == "HEAD" && len(data) > 0 {
			t.Errorf("%s: %s %q", c.name, resp.Status, data)
		}
		if c.status == 405 && resp.Header.Get("Allow") == "" {
			t.Errorf("%s: no Allow", c.name)
		}
		if !c.open {
			if _, err := w.r.ReadByte(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: the connection goes on: %v", c.name, err)
			}
			continue
		}
		w.say(get)
		if resp, data := w.hear("GET"); resp.StatusCode != 200 || !bytes.Contains(data, []byte(`"event_seq"`)) {
			t.Errorf("after %s: %s %q", c.name, resp.Status, data)
		}
	}
	w := p.wire()
	w.say(strings.Repeat(get, 50) + "GET /v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n")
	for i := range 51 {
		if resp, _ := w.hear("GET"); (resp.StatusCode == 200) != (i < 50) {
			t.Errorf("call %d of a pipeline: %s", i, resp.Status)
		}
	}
	w = p.wire()
	w.say("GET /v1/health HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 200<<10) + "\r\n\r\n")
	if resp, _ := w.hear("GET"); resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("headers of 200 KiB: %s", resp.Status)
	}
}

// TestResume: a stream that broke goes on behind the event that arrived last, whatever it
// began with, and one that reads nothing holds up nobody.
func TestResume(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.create(api.NewSession{Name: "one", Argv: sh("read x")})
	for i := range 5 {
		p.call("POST", "/v1/sessions/"+s.ID+"/rename", api.Rename{Name: fmt.Sprintf("name%d", i)}, nil)
	}
	all := p.events()
	asleep := p.wire() // reads nothing
	asleep.say("GET /v1/events/stream?since=0 HTTP/1.1\r\nHost: x\r\n\r\n")
	for _, last := range []int64{0, 1, all[len(all)-2].Seq} {
		w := p.wire()
		w.say(fmt.Sprintf("GET /v1/events/stream?since=%d HTTP/1.1\r\nHost: x\r\nLast-Event-ID: %d\r\n\r\n", all[len(all)-1].Seq, last))
		resp, err := http.ReadResponse(w.r, nil)
		if err != nil || resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
			t.Fatalf("%+v, %v", resp, err)
		}
		body := bufio.NewReader(resp.Body)
		for seq := last + 1; seq <= all[len(all)-1].Seq; {
			line, err := body.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if id, ok := strings.CutPrefix(line, "id: "); ok {
				if strings.TrimSpace(id) != fmt.Sprint(seq) {
					t.Fatalf("after %d came %s, want %d", last, id, seq)
				}
				seq++
			}
		}
		w.conn.Close()
	}
	for _, bad := range []string{"x", "-1", "1.5", "99999999999999999999"} {
		w := p.wire()
		w.say("GET /v1/events/stream HTTP/1.1\r\nHost: x\r\nLast-Event-ID: " + bad + "\r\n\r\n")
		if resp, data := w.hear("GET"); resp.StatusCode != 400 || !bytes.Contains(data, []byte(`"invalid"`)) {
			t.Errorf("Last-Event-ID %s: %s %s", bad, resp.Status, data)
		}
	}
}

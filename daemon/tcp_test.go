package daemon

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"ccdir/api"
)

// tcpPlace is a place whose daemon also listens on a port of the system's
// choice.
func tcpPlace(t *testing.T, more string) (p *place, address, token string) {
	t.Helper()
	p = newPlace(t)
	p.config("[api]\nlisten = \"127.0.0.1:0\"\n" + more)
	p.run()
	var s api.Server
	p.call("GET", "/v1/health", nil, &s)
	if host, _, err := net.SplitHostPort(s.TCP); err != nil || host != "127.0.0.1" {
		t.Fatalf("served at %q", s.TCP)
	}
	info, err := os.Stat(p.paths.APIToken())
	if err != nil || info.Mode() != 0o600 {
		t.Fatalf("the token file: %v %v", info, err)
	}
	data, err := os.ReadFile(p.paths.APIToken())
	if err != nil {
		t.Fatal(err)
	}
	return p, s.TCP, strings.TrimSpace(string(data))
}

func overTCP(t *testing.T, method, address, path string, header http.Header) (*http.Response, api.Error) {
	t.Helper()
	req, err := http.NewRequest(method, "http://"+address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header.Clone()
	if host := header.Get("Host"); host != "" {
		req.Host = host
		req.Header.Del("Host")
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var e api.Error
	if resp.StatusCode >= 300 {
		if err := json.Unmarshal(data, &e); err != nil || e.Code.Status() != resp.StatusCode {
			t.Errorf("%s %s: %s %s", method, path, resp.Status, data)
		}
	}
	return resp, e
}

// TestTCPOff: nothing listens unless it is configured.
func TestTCPOff(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	var s api.Server
	if p.call("GET", "/v1/health", nil, &s); s.TCP != "" {
		t.Errorf("served at %q", s.TCP)
	}
	if _, err := os.Stat(p.paths.APIToken()); !os.IsNotExist(err) {
		t.Errorf("there is a token: %v", err)
	}
}

// TestTCPRefusals: every call without what it needs is refused, each with its
// reason.
func TestTCPRefusals(t *testing.T) {
	t.Parallel()
	p, address, token := tcpPlace(t, "origins = [\"http://app.example:5173\"]\n")
	_, port, _ := net.SplitHostPort(address)
	bearer := "Bearer " + token
	s := p.create(api.NewSession{Argv: sh("read x")})
	for _, c := range []struct {
		name, method, path string
		header             http.Header
		code               api.Code // "" is success
	}{
		{"good", "GET", "/v1/health", http.Header{"Authorization": {bearer}}, ""},
		{"good by name", "GET", "/v1/health", http.Header{"Authorization": {"bearer " + token}, "Host": {"localhost:" + port}}, ""},
		{"its own page", "GET", "/v1/health", http.Header{"Authorization": {bearer}, "Origin": {"http://" + address}}, ""},
		{"a page that may", "GET", "/v1/health", http.Header{"Authorization": {bearer}, "Origin": {"http://app.example:5173"}}, ""},
		{"asked by a page that may", "OPTIONS", "/v1/health", http.Header{"Access-Control-Request-Method": {"GET"}, "Origin": {"http://app.example:5173"}}, ""},
		{"asked by a page that may not", "OPTIONS", "/v1/health", http.Header{"Access-Control-Request-Method": {"GET"}, "Origin": {"http://evil.example"}}, api.CodeForbidden},
		{"no token", "GET", "/v1/health", nil, api.CodeUnauthorized},
		{"no token for what is not there", "GET", "/nothing", nil, api.CodeUnauthorized},
		{"wrong token", "GET", "/v1/health", http.Header{"Authorization": {"Bearer " + strings.Repeat("0", len(token))}}, api.CodeUnauthorized},
		{"part of the token", "GET", "/v1/health", http.Header{"Authorization": {bearer[:len(bearer)-1]}}, api.CodeUnauthorized},
		{"another scheme", "GET", "/v1/health", http.Header{"Authorization": {"Basic " + token}}, api.CodeUnauthorized},
		{"token in the address", "GET", "/v1/health?token=" + token, http.Header{"Authorization": {bearer}}, api.CodeInvalid},
		{"another host", "GET", "/v1/health", http.Header{"Authorization": {bearer}, "Host": {"evil.example"}}, api.CodeForbidden},
		{"another host with the port", "GET", "/v1/health", http.Header{"Authorization": {bearer}, "Host": {"evil.example:" + port}}, api.CodeForbidden},
		{"another port", "GET", "/v1/health", http.Header{"Authorization": {bearer}, "Host": {"localhost:1"}}, api.CodeForbidden},
		{"another origin", "GET", "/v1/health", http.Header{"Authorization": {bearer}, "Origin": {"http://evil.example"}}, api.CodeForbidden},
		{"no origin", "GET", "/v1/health", http.Header{"Authorization": {bearer}, "Origin": {"null"}}, api.CodeForbidden},
		{"another port's page", "GET", "/v1/health", http.Header{"Authorization": {bearer}, "Origin": {"http://127.0.0.1:1"}}, api.CodeForbidden},
		{"an https page", "GET", "/v1/health", http.Header{"Authorization": {bearer}, "Origin": {"https://" + address}}, api.CodeForbidden},
		{"a picture in another site's page", "GET", "/v1/health", http.Header{"Authorization": {bearer}, "Sec-Fetch-Site": {"cross-site"}}, api.CodeForbidden},
		{"the hook's address", "POST", "/v1/hook", http.Header{"Authorization": {bearer}}, api.CodeForbidden},
		{"MCP", "POST", "/mcp", http.Header{"Authorization": {bearer}}, api.CodeForbidden},
		{"a host's ticket", "GET", "/v1/sessions/" + s.ID + "/host", http.Header{"Authorization": {bearer}}, api.CodeForbidden},
	} {
		resp, e := overTCP(t, c.method, address, c.path, c.header)
		if e.Code != c.code || c.code == "" && resp.StatusCode >= 300 {
			t.Errorf("%s: %s %+v, want %q", c.name, resp.Status, e, c.code)
		}
		if (resp.Header.Get("WWW-Authenticate") != "") != (c.code == api.CodeUnauthorized) {
			t.Errorf("%s: WWW-Authenticate %q", c.name, resp.Header.Get("WWW-Authenticate"))
		}
		allowed := resp.Header.Get("Access-Control-Allow-Origin")
		if c.header.Get("Origin") != "" && (allowed == c.header.Get("Origin")) != (c.code == "") || allowed == "*" {
			t.Errorf("%s: Access-Control-Allow-Origin %q", c.name, allowed)
		}
		if headers := resp.Header.Get("Access-Control-Allow-Headers"); headers != "" && (!strings.Contains(headers, api.HeaderKey) || !strings.Contains(headers, api.HeaderMatch)) {
			t.Errorf("%s: pages may send %s", c.name, headers)
		}
		if strings.Contains(e.Message, token) {
			t.Errorf("%s: the token is in the answer", c.name)
		}
	}
	// A watch over TCP has no tickets.
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", "http://"+address+"/v1/watch?hosts=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", bearer)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	first := make([]byte, 64<<10)
	n, _ := io.ReadAtLeast(resp.Body, first, 100)
	if bytes.Contains(first[:n], []byte("ticket")) || !bytes.Contains(first[:n], []byte("snapshot")) {
		t.Errorf("the watch begins with %.300s", first[:n])
	}
}

// TestTCPRate: strangers are held up, and those with the token only if they are
// too many themselves.
func TestTCPRate(t *testing.T) {
	t.Parallel()
	const rate = 5
	_, address, token := tcpPlace(t, fmt.Sprintf("rate = %d\n", rate))
	good, limited, began := 0, 0, time.Now()
	for range 70 {
		resp, e := overTCP(t, "GET", address, "/v1/health", nil)
		if e.Code == api.CodeLimit && resp.Header.Get("Retry-After") != "" {
			limited++
		}
	}
	// A busy machine calls more slowly than the rate: then none is held up.
	since := func() float64 { return math.Ceil(time.Since(began).Seconds()) }
	if most := 60 + int(since()); 70-limited > most {
		t.Errorf("%d strangers went through, at most %d may", 70-limited, most)
	}
	good, limited, began = 0, 0, time.Now()
	for range 30 {
		switch _, e := overTCP(t, "GET", address, "/v1/health", http.Header{"Authorization": {"Bearer " + token}}); e.Code {
		case "":
			good++
		case api.CodeLimit:
			limited++
		}
	}
	if most := (2 + int(since())) * rate; good < 5 || good > most || good+limited != 30 {
		t.Errorf("%d calls went through, at most %d may, %d were held up", good, most, limited)
	}
}

// TestTCPWebSocket: a browser's WebSocket gives the token as a subprotocol, which
// is not chosen; without it, or from another page, there is none.
func TestTCPWebSocket(t *testing.T) {
	t.Parallel()
	p, address, token := tcpPlace(t, "")
	dial := func(origin string, protocols ...string) (*websocket.Conn, error) {
		h := http.Header{}
		if origin != "" {
			h.Set("Origin", origin)
		}
		conn, _, err := websocket.Dial(t.Context(), "ws://"+address+"/v1/control", &websocket.DialOptions{Subprotocols: protocols, HTTPHeader: h})
		return conn, err
	}
	conn, err := dial("http://"+address, api.SubprotocolControl, api.SubprotocolToken+token)
	if err != nil {
		t.Fatal(err)
	}
	if conn.Subprotocol() != api.SubprotocolControl {
		t.Errorf("the subprotocol is %q", conn.Subprotocol())
	}
	c := controlSocket{t, conn}
	c.say(`{"id":1,"method":"sessions.list"}`)
	if m := c.hear(); string(m.Result) != "[]" {
		t.Errorf("got %s", toJSON(t, m))
	}
	c.say(`{"id":2,"method":"sessions.host","params":{"ref":"x"}}`)
	if m := c.hear(); m.Error == nil || m.Error.Code != api.CodeForbidden {
		t.Errorf("got %s", toJSON(t, m))
	}
	conn.CloseNow()
	for _, bad := range [][]string{{"", api.SubprotocolControl}, {"", api.SubprotocolControl, api.SubprotocolToken + "x"},
		{"http://evil.example", api.SubprotocolControl, api.SubprotocolToken + token}} {
		if conn, err := dial(bad[0], bad[1:]...); err == nil {
			conn.CloseNow()
			t.Errorf("%q was accepted", bad)
		}
	}
	// Nothing that was logged or recorded has the token.
	p.stopDaemon()
	err = filepath.WalkDir(p.paths.Home, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == p.paths.APIToken() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(token)) {
			t.Errorf("%s has the token", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestTCPToken: a token file that others can read, or that has none, is not used;
// the daemon runs all the same and says so.
func TestTCPToken(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("[api]\nlisten = \"127.0.0.1:0\"\n")
	for _, c := range []struct {
		text string
		mode os.FileMode
		good bool
	}{{strings.Repeat("a", 40), 0o644, false}, {"short", 0o600, false}, {strings.Repeat("a", 30) + " " + strings.Repeat("b", 9), 0o600, false}, {strings.Repeat("a", 40), 0o600, true}} {
		if err := os.MkdirAll(p.paths.State, 0o700); err != nil {
			t.Fatal(err)
		}
		os.Remove(p.paths.APIToken())
		if err := os.WriteFile(p.paths.APIToken(), []byte(c.text), c.mode); err != nil {
			t.Fatal(err)
		}
		p.run()
		var s api.Server
		p.call("GET", "/v1/health", nil, &s)
		events := p.events()
		if (s.TCP != "") != c.good || !c.good && !strings.Contains(events[len(events)-1].Message, "api.listen") {
			t.Errorf("%+v: served at %q; %s", c, s.TCP, events[len(events)-1].Message)
		}
		if c.good {
			if resp, e := overTCP(t, "GET", s.TCP, "/v1/health", http.Header{"Authorization": {"Bearer " + c.text}}); resp.StatusCode != 200 {
				t.Errorf("%s %+v", resp.Status, e)
			}
		}
		p.stopDaemon()
	}
	p.run()
}

// TestTCPSilentConnections: connections that say nothing, however many and however often
// they come again, do not keep out who has the token.
func TestTCPSilentConnections(t *testing.T) {
	t.Parallel()
	p, address, token := tcpPlace(t, "")
	kept, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	from := bufio.NewReader(kept)
	ask := func() error {
		if _, err := fmt.Fprintf(kept, "GET /v1/health HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", address, token); err != nil {
			return err
		}
		resp, err := http.ReadResponse(from, nil)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
	if err := ask(); err != nil {
		t.Fatal(err)
	}
	for range 300 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	for range 3 {
		if resp, e := overTCP(t, "GET", address, "/v1/health", http.Header{"Authorization": {"Bearer " + token}}); resp.StatusCode != http.StatusOK {
			t.Errorf("a new connection: %s %+v", resp.Status, e)
		}
		if err := ask(); err != nil {
			t.Errorf("the one of before: %v", err)
		}
	}
	p.stopDaemon()
}

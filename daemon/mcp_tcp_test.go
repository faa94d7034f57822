package daemon

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"ccdir/api"
)

// TestMCPRate: over TCP strangers are held up, their connections end with the answer, and
// a session with its token is not held up by them.
func TestMCPRate(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	p := newPlace(t)
	p.config("[mcp]\nlisten = \"" + address + "\"\n")
	p.run()
	s := p.agentSession("one")
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	call := func(token string, change func(*http.Request)) (int, http.Header) {
		t.Helper()
		req, err := http.NewRequest("POST", "http://"+address+api.MCPPath, strings.NewReader(benchHello))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Authorization", "Bearer "+token)
		if change != nil {
			change(req)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
		if resp.StatusCode/100 == 4 && resp.StatusCode != http.StatusForbidden && !resp.Close {
			t.Errorf("status %d, and the connection goes on", resp.StatusCode)
		}
		return resp.StatusCode, resp.Header
	}
	held := 0
	for range 70 {
		if status, h := call("x", nil); status == http.StatusTooManyRequests && h.Get("Retry-After") != "" {
			held++
		}
	}
	if held < 5 {
		t.Errorf("%d of 70 strangers were held up", held)
	}
	token := p.token(s)
	if status, _ := call(token, nil); status != 200 {
		t.Errorf("with the token: %d", status)
	}
	for name, change := range map[string]func(*http.Request){
		"another host":   func(r *http.Request) { r.Host = "evil.example" },
		"another origin": func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		"no origin":      func(r *http.Request) { r.Header.Set("Origin", "null") },
	} {
		if status, _ := call(token, change); status != http.StatusForbidden {
			t.Errorf("%s: %d", name, status)
		}
	}
	p.call("POST", "/v1/sessions/one/kill", api.Kill{Force: true}, nil)
	p.wait(s.ID, api.StateExited)
	if status, _ := call(token, nil); status != http.StatusUnauthorized && status != http.StatusTooManyRequests {
		t.Errorf("after the session's end: %d", status)
	}
}

package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestResume: a client over HTTP that lost its connection gets what it missed, and
// nobody else does.
func TestResume(t *testing.T) {
	s := New(Options{LogDir: t.TempDir()})
	h := s.HTTP(func(_ context.Context, token string) (Caller, error) {
		return Caller{Session: token, Role: "dev", Dir: t.TempDir(), Env: environ()}, nil
	}, false)
	defer h.Close()
	srv := httptest.NewServer(h)
	defer srv.Close()
	do := func(method, token, body string, header ...string) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, srv.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+token)
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	// events reads the stream until it has ended, or n events.
	events := func(resp *http.Response, n int) (ids, data []string) {
		sc := bufio.NewScanner(resp.Body)
		for sc.Scan() && len(data) < n {
			if id, ok := strings.CutPrefix(sc.Text(), "id: "); ok {
				ids = append(ids, id)
			}
			if text, ok := strings.CutPrefix(sc.Text(), "data: "); ok {
				data = append(data, text)
			}
		}
		return ids, data
	}
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	resp := do("POST", "one", hello)
	session := resp.Header.Get("Mcp-Session-Id")
	call := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"bash","arguments":{"command":"sleep 2.2; echo missed"},"_meta":{"progressToken":"p"}}}`
	ids, data := events(do("POST", "one", call, "Mcp-Session-Id", session), 100)
	if len(ids) < 2 || len(ids) != len(data) || !strings.Contains(data[0], "progress") || !strings.Contains(data[len(data)-1], `missed`) {
		t.Fatalf("%q %q", ids, data)
	}
	_, again := events(do("GET", "one", "", "Mcp-Session-Id", session, "Last-Event-ID", ids[0]), len(data)-1)
	if fmt.Sprint(again) != fmt.Sprint(data[1:]) {
		t.Errorf("after the first event came\n%q, want\n%q", again, data[1:])
	}
	for what, resp := range map[string]*http.Response{
		"another caller":   do("GET", "two", "", "Mcp-Session-Id", session, "Last-Event-ID", ids[0]),
		"an unknown event": do("GET", "one", "", "Mcp-Session-Id", session, "Last-Event-ID", "99999"),
		"a call of others": do("POST", "two", call, "Mcp-Session-Id", session),
	} {
		if resp.StatusCode < 400 {
			t.Errorf("%s: %s", what, resp.Status)
		}
	}
}

// TestEventStore: the store is bounded, and forgets whole sessions.
func TestEventStore(t *testing.T) {
	s := newEventStore()
	ctx := t.Context()
	put := func(session, stream string, size int) string {
		t.Helper()
		id, err := s.StoreEvent(ctx, session, stream, json.RawMessage(strings.Repeat("x", size)))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	replay := func(session, id string) (n int, stream string, err error) {
		stream, err = s.ReplayEventsAfter(ctx, session, id, func(string, json.RawMessage) error { n++; return nil })
		return n, stream, err
	}
	first := put("a", "1", 10)
	put("a", "2", 10)
	put("a", "1", 10)
	other := put("b", "1", 10)
	if n, stream, err := replay("a", first); n != 1 || stream != "1" || err != nil {
		t.Error(n, stream, err)
	}
	for _, bad := range [][2]string{{"b", first}, {"a", other}, {"a", "x"}, {"a", ""}, {"c", first}} {
		if _, _, err := replay(bad[0], bad[1]); err == nil {
			t.Errorf("%q is known", bad)
		}
	}
	if err := s.PurgeSession(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := replay("a", first); err == nil || s.count != 1 || s.bytes != 10 || len(s.order) != 1 {
		t.Errorf("%v, %d events, %d bytes", err, s.count, s.bytes)
	}
	for range 40 {
		put("c", "1", 1<<20)
	}
	if s.bytes > maxStreamBytes || s.sessions["b"] != nil {
		t.Errorf("%d bytes", s.bytes)
	}
	for range maxStreamEvents + 5 {
		put("d", "1", 1)
	}
	if s.count != maxStreamEvents || len(s.order) != maxStreamEvents || s.sessions["c"] != nil {
		t.Errorf("%d events, %d in order", s.count, len(s.order))
	}
	put("e", "1", maxStreamBytes+1)
	if s.count != 1 {
		t.Errorf("%d events beside a large one", s.count)
	}
}

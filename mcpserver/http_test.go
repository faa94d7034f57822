package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHTTP(t *testing.T) {
	s := New(Options{LogDir: t.TempDir()})
	h := s.HTTP(func(_ context.Context, token string) (Caller, error) {
		if token != "right" {
			return Caller{}, errors.New("wrong token")
		}
		return Caller{Session: "s1", Role: "dev", Dir: t.TempDir()}, nil
	}, true)
	defer h.Close()
	srv := httptest.NewServer(h)
	defer srv.Close()
	post := func(body string, header ...string) (*http.Response, string) {
		t.Helper()
		req, err := http.NewRequest("POST", srv.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Authorization", "Bearer right")
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
			if header[i] == "Host" {
				req.Host = header[i+1]
			}
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, string(data)
	}
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	for _, tt := range []struct {
		status int
		header []string
	}{
		{401, []string{"Authorization", ""}}, {401, []string{"Authorization", "Bearer wrong"}}, {401, []string{"Authorization", "Basic right"}},
		{403, []string{"Origin", "http://evil.example"}}, {403, []string{"Origin", "null"}}, {403, []string{"Host", "evil.example"}},
		{403, []string{"Sec-Fetch-Site", "cross-site"}}, {200, nil}, {200, []string{"Origin", srv.URL}},
	} {
		if resp, body := post(hello, tt.header...); resp.StatusCode != tt.status {
			t.Errorf("%v: %s %s", tt.header, resp.Status, body)
		}
	}
	resp, _ := post(hello)
	id := resp.Header.Get("Mcp-Session-Id")
	if id == "" {
		t.Fatal("no session id")
	}
	resp, body := post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"write","arguments":{"path":"a","content":"b"}}}`, "Mcp-Session-Id", id)
	var a answer
	if err := json.Unmarshal([]byte(strings.TrimPrefix(body, "data: ")), &a); resp.StatusCode != 200 || err != nil || a.Error != nil || !strings.Contains(string(a.Result), "structuredContent") {
		t.Errorf("%s %s %v", resp.Status, body, err)
	}
	if resp, body := post(`{"jsonrpc":"2.0","id":3,"method":"ping"}`, "Mcp-Session-Id", "unknown"); resp.StatusCode != 404 {
		t.Errorf("unknown session: %s %s", resp.Status, body)
	}
	if resp, body := post(`{"jsonrpc":"2.0","id":3,"method":"ping","params":{"x":"` + strings.Repeat("x", maxBody) + `"}}`); resp.StatusCode < 400 {
		t.Errorf("large body: %s %.200s", resp.Status, body)
	}
	req, _ := http.NewRequest("DELETE", srv.URL, nil)
	req.Header.Set("Authorization", "Bearer right")
	req.Header.Set("Mcp-Session-Id", id)
	if resp, err := http.DefaultClient.Do(req); err != nil || resp.StatusCode >= 300 {
		t.Errorf("delete: %v %v", resp.Status, err)
	}
	if resp, body := post(`{"jsonrpc":"2.0","id":4,"method":"ping"}`, "Mcp-Session-Id", id); resp.StatusCode != 404 {
		t.Errorf("ended session: %s %s", resp.Status, body)
	}
}

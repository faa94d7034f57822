package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// read reads a resource and returns its text, or the error's.
func (c *client) read(uri string) string {
	c.t.Helper()
	a := c.request("resources/read", fmt.Sprintf(`{"uri":%q}`, uri))
	if a.Error != nil {
		return "error: " + a.Error.Message
	}
	var r struct{ Contents []struct{ Text string } }
	if err := json.Unmarshal(a.Result, &r); err != nil || len(r.Contents) != 1 {
		c.t.Fatalf("%s, %v", a.Result, err)
	}
	return r.Contents[0].Text
}

// TestLargeOutput: of 100 MB the model gets head and tail, the log is a resource
// of the session that made it, and of no other.
func TestLargeOutput(t *testing.T) {
	opts := Options{LogDir: t.TempDir(), KeepLogs: func() int { return 2 }}
	s := New(opts)
	one := connect(t, s, Caller{Session: "s1", Role: "dev", Dir: t.TempDir(), Env: environ()})
	res := ran(t, one.call("bash", map[string]any{"command": "echo first; yes 0123456789abcdef | head -c 104857600; echo; echo last", "timeout_seconds": 300}))
	if res.Status != "ok" || !res.Truncated || len(printed(res)) > 64<<10 || !strings.HasPrefix(printed(res), "first\n") || !strings.HasSuffix(printed(res), "last\n") {
		t.Errorf("%s, %d bytes, truncated %v", res.Status, len(res.Output), res.Truncated)
	}
	if text := one.read(res.LogURI); len(text) < maxLogRead || !strings.Contains(text[:100], "bytes before this left out") {
		t.Errorf("%d bytes: %.100q", len(text), text)
	}
	if info, err := os.Stat(res.Log); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	other := connect(t, s, Caller{Session: "s2", Role: "dev", Dir: t.TempDir(), Env: environ()})
	for _, uri := range []string{res.LogURI, logScheme + "../x", logScheme, "file:///etc/passwd"} {
		if text := other.read(uri); !strings.HasPrefix(text, "error: ") {
			t.Errorf("%s: %.100q", uri, text)
		}
	}
	for range 2 { // the oldest goes
		ran(t, one.call("bash", map[string]any{"command": "true"}))
	}
	if text := one.read(res.LogURI); !strings.HasPrefix(text, "error: ") {
		t.Errorf("a removed log: %.100q", text)
	}
	if logs, _ := filepath.Glob(filepath.Join(opts.LogDir, "*")); len(logs) != 2 {
		t.Errorf("%d logs are kept", len(logs))
	}
}

// TestOldLogs: logs of earlier daemons are removed when they are old.
func TestOldLogs(t *testing.T) {
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "20200101-000000-x-1.log"), filepath.Join(dir, "20200102-000000-x-1.log")
	for _, f := range []string{old, fresh} {
		if err := os.WriteFile(f, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(old, time.Now(), time.Now().Add(-logAge-time.Hour)); err != nil {
		t.Fatal(err)
	}
	New(Options{LogDir: dir})
	if _, err := os.Stat(old); err == nil {
		t.Error("an old log stays")
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Error("a fresh log is gone")
	}
}

func TestConfiguredTimeouts(t *testing.T) {
	s := New(Options{LogDir: t.TempDir(), RoleTools: func(string) []string { return []string{"bash", "slow"} }, Timeout: func(tool string) time.Duration {
		return map[string]time.Duration{"bash": time.Second, "slow": 20 * time.Millisecond}[tool]
	}})
	slow := define("slow", "waits", traits{}, func(ctx context.Context, _ *request, _ readIn) (*Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	s.mcp.AddTool(slow.tool, s.handler(slow))
	c := connect(t, s, Caller{Role: "dev", Dir: t.TempDir(), Env: environ()})
	if res := ran(t, c.call("bash", map[string]any{"command": "sleep 600"})); res.Status != "timeout" {
		t.Errorf("got %+v", res)
	}
	if res := ran(t, c.call("bash", map[string]any{"command": "sleep 1.2", "timeout_seconds": 20})); res.Status != "ok" {
		t.Errorf("the call's own limit: %+v", res)
	}
	if r := c.call("slow", map[string]any{"path": "x"}); !r.IsError || !strings.Contains(r.Content[0].Text, "slow took longer than 20ms") {
		t.Errorf("got %+v", r)
	}
	for _, n := range []int{-1, 3601} {
		if r := c.call("bash", map[string]any{"command": "true", "timeout_seconds": n}); !r.IsError || !strings.Contains(r.Content[0].Text, "must be 1 to 3600") {
			t.Errorf("got %+v", r)
		}
	}
}

// TestCallsOfASession: the limit of calls at once holds for all connections of a
// session together; other sessions go on.
func TestCallsOfASession(t *testing.T) {
	s := New(Options{LogDir: t.TempDir(), MaxCalls: func() int { return 1 }})
	dir := t.TempDir()
	mine := Caller{Session: "s1", Role: "dev", Dir: dir, Env: environ()}
	one, two := connect(t, s, mine), connect(t, s, mine)
	one.send(`{"jsonrpc":"2.0","id":50,"method":"tools/call","params":{"name":"bash","arguments":{"command":"touch up; while [ ! -e go ]; do sleep 0.01; done; echo done > order"}}}`)
	for {
		if _, err := os.Stat(filepath.Join(dir, "up")); err == nil {
			break
		}
		time.Sleep(time.Millisecond) // another process brings it about
	}
	two.send(`{"jsonrpc":"2.0","id":51,"method":"tools/call","params":{"name":"bash","arguments":{"command":"cat order"}}}`)
	other := mine
	other.Session = "s2"
	if res := ran(t, connect(t, s, other).call("bash", map[string]any{"command": "touch go"})); res.Status != "ok" {
		t.Errorf("another session: %+v", res)
	}
	if a := one.receive(); a.ID != 50 || a.Error != nil {
		t.Errorf("%+v", a)
	}
	if a := two.receive(); a.ID != 51 || !strings.Contains(string(a.Result), `done`) {
		t.Errorf("the second call didn't wait: %s", a.Result)
	}
}

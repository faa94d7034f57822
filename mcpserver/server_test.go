package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/api"
)

// client is a plain speaker of the protocol.
type client struct {
	t    *testing.T
	conn net.Conn
	r    *bufio.Reader
	id   int
	// notes are the notifications that came before the last answer; told gets each,
	// unless it is nil.
	notes []string
	told  func(note string)
}

// environ is the tests' environment. bash complains about a locale that is not
// installed.
func environ() []string { return append(os.Environ(), "LC_ALL=C") }

type denyWrite struct{}

func (denyWrite) Decide(_ context.Context, _ Caller, use Use) Decision {
	return Decision{Allow: use.Tool != "write", Reason: "read only"}
}

func dial(t *testing.T, opts Options, caller Caller) *client {
	t.Helper()
	opts.LogDir = t.TempDir()
	if caller.Env == nil {
		caller.Env = environ()
	}
	return serve(t, New(opts), caller)
}

// connect is serve with the handshake.
func connect(t *testing.T, s *Server, caller Caller) *client {
	t.Helper()
	c := serve(t, s, caller)
	c.initialize()
	return c
}

// serve connects a client to a server.
func serve(t *testing.T, s *Server, caller Caller) *client {
	t.Helper()
	here, there := net.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- s.ServeBridge(context.Background(), there, there, func(_ context.Context, p Preamble) (Caller, error) {
			if p.Token != "right" {
				return Caller{}, fmt.Errorf("wrong token")
			}
			return caller, nil
		})
	}()
	t.Cleanup(func() {
		here.Close()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("serve: %v", err)
			}
		case <-time.After(20 * time.Second):
			t.Error("Serve does not return")
		}
	})
	c := &client{t: t, conn: here, r: bufio.NewReader(here)}
	c.send(`{"token":"right"}`)
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatal(resp, err)
	}
	return c
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := c.conn.Write([]byte(line + "\n")); err != nil {
		c.t.Fatal(err)
	}
}

type answer struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int
		Message string
	} `json:"error"`
}

// patience is what no answer takes unless something is wrong; a build tool on a busy
// machine can take a minute.
const patience = 5 * time.Minute

func (c *client) receive() answer {
	c.t.Helper()
	for {
		_ = c.conn.SetReadDeadline(time.Now().Add(patience))
		line, err := c.r.ReadString('\n')
		if err != nil {
			c.t.Fatal(err)
		}
		var a answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			c.t.Fatal(err)
		}
		if a.Method == "" {
			return a
		}
		c.notes = append(c.notes, line)
		if c.told != nil {
			c.told(line)
		}
	}
}

func (c *client) request(method, params string) answer {
	c.t.Helper()
	c.id++
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.id, method, params))
	a := c.receive()
	if a.ID != c.id {
		c.t.Fatalf("answer to %d, want %d", a.ID, c.id)
	}
	return a
}

func (c *client) initialize() {
	c.t.Helper()
	a := c.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	if a.Error != nil || !strings.Contains(string(a.Result), `"2025-11-25"`) {
		c.t.Fatalf("initialize: %s %+v", a.Result, a.Error)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

type callResult struct {
	IsError           bool
	StructuredContent json.RawMessage
	Content           []struct{ Text string }
}

func (c *client) call(tool string, args any) callResult {
	c.t.Helper()
	raw, err := json.Marshal(map[string]any{"name": tool, "arguments": args, "_meta": map[string]any{"progressToken": "p1", "claudecode/toolUseId": "toolu_1"}})
	if err != nil {
		c.t.Fatal(err)
	}
	a := c.request("tools/call", string(raw))
	var r callResult
	if a.Error != nil {
		return callResult{IsError: true, Content: []struct{ Text string }{{a.Error.Message}}}
	}
	if err := json.Unmarshal(a.Result, &r); err != nil {
		c.t.Fatal(err)
	}
	return r
}

func result(t *testing.T, r callResult) Result {
	t.Helper()
	var res Result
	if err := json.Unmarshal(r.StructuredContent, &res); err != nil || r.IsError {
		t.Fatalf("%+v, %v", r, err)
	}
	return res
}

// TestSchemas: a mistake in a tag would make a schema empty.
func TestSchemas(t *testing.T) {
	tools := New(Options{LogDir: t.TempDir(), Control: (&fakes{}).control()}).Tools()
	names := []string{}
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	want := api.MCPTools()
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Fatalf("tools %v, want %v", names, want)
	}
	for _, tool := range tools {
		if tool.Description == "" {
			t.Errorf("%s has no description", tool.Name)
		}
		raw, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		var d struct {
			InputSchema, OutputSchema struct{ Properties map[string]any }
			Annotations               map[string]any
		}
		if err := json.Unmarshal(raw, &d); err != nil || len(d.InputSchema.Properties) == 0 || len(d.OutputSchema.Properties) == 0 || len(d.Annotations) != 4 {
			t.Errorf("%s: %s", tool.Name, raw)
		}
	}
}

func TestBrokenGoModule(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "a.go": "package m\n\nfunc F() int { return \"x\" }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var calls []Call
	c := dial(t, Options{Audit: func(call Call) { mu.Lock(); calls = append(calls, call); mu.Unlock() }}, Caller{Role: "dev", Dir: dir})
	c.initialize()
	res := result(t, c.call("compile", map[string]any{}))
	if res.Status != "failed" || len(res.Errors) != 1 || res.Errors[0].File != "a.go" || res.Errors[0].Line != 3 {
		t.Errorf("got %+v", res)
	}
	fix := c.call("edit", map[string]any{"path": "a.go", "old_string": `"x"`, "new_string": "1"})
	if fix.IsError {
		t.Fatalf("%+v", fix)
	}
	test := "package m\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { if F() != 2 { t.Error(\"not two\") } }\n"
	if r := c.call("write", map[string]any{"path": filepath.Join(dir, "a_test.go"), "content": test}); r.IsError {
		t.Fatalf("%+v", r)
	}
	res = result(t, c.call("test", map[string]any{"name": "TestF"}))
	if res.Tests == nil || res.Tests.Failed != 1 || res.Tests.Failures[0].File != "a_test.go" || res.Tests.Failures[0].Line != 5 || res.Tests.Failures[0].Message != "not two" {
		t.Errorf("got %+v %+v", res, res.Tests)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(calls) != 4 || calls[0].Tool != "compile" || calls[0].Outcome != "failed" || calls[1].Outcome != "ok" || calls[0].ToolUseID != "toolu_1" {
		t.Errorf("audit: %+v", calls)
	}
}

func TestModernEra(t *testing.T) {
	c := dial(t, Options{}, Caller{Dir: t.TempDir()})
	meta := `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}`
	if a := c.request("server/discover", meta); a.Error != nil || !strings.Contains(string(a.Result), "2026-07-28") {
		t.Fatalf("%s %+v", a.Result, a.Error)
	}
	if a := c.request("tools/list", meta); a.Error != nil || !strings.Contains(string(a.Result), `"project_info"`) {
		t.Fatalf("%s %+v", a.Result, a.Error)
	}
}

func TestRolesAndDecider(t *testing.T) {
	roles := func(role string) []string { return []string{"read", "write"} }
	c := dial(t, Options{RoleTools: roles, Decider: denyWrite{}}, Caller{Role: "guest", Dir: t.TempDir()})
	c.initialize()
	if a := c.request("tools/list", `{}`); strings.Contains(string(a.Result), `"bash"`) || !strings.Contains(string(a.Result), `"read"`) {
		t.Errorf("list: %s", a.Result)
	}
	if r := c.call("bash", map[string]any{"command": "true"}); !r.IsError {
		t.Errorf("bash: %+v", r)
	}
	if r := c.call("write", map[string]any{"path": "x", "content": "y"}); !r.IsError || r.Content[0].Text != "not allowed: read only" {
		t.Errorf("write: %+v", r)
	}
}

func TestValidation(t *testing.T) {
	c := dial(t, Options{}, Caller{Dir: t.TempDir()})
	c.initialize()
	for args, want := range map[string]string{
		`{}`:                      `read: argument "path" is missing`,
		`{"path":1}`:              `read: argument "path" must be string, not number`,
		`{"path":"a","lines":1}`:  `read: unknown argument "lines"; there are path, offset, limit`,
		`{"path":"/etc/passwd"}`:  `/etc/passwd lies outside the allowed directories`,
		`{"path":"../../../etc"}`: `lies outside the allowed directories`,
	} {
		if r := c.call("read", json.RawMessage(args)); !r.IsError || !strings.Contains(r.Content[0].Text, want) {
			t.Errorf("%s: %+v", args, r)
		}
	}
	if r := c.call("compile", map[string]any{"project_path": "/"}); !r.IsError {
		t.Errorf("compile in /: %+v", r)
	}
	c.send("not JSON")
	if a := c.receive(); a.Error == nil || a.Error.Code != -32700 {
		t.Errorf("got %+v", a)
	}
}

func TestCancelAndProgress(t *testing.T) {
	dir := t.TempDir()
	c := dial(t, Options{}, Caller{Dir: dir})
	c.initialize()
	// It goes on when its progress was told.
	c.told = func(note string) {
		if strings.Contains(note, "step one") {
			_ = os.WriteFile(filepath.Join(dir, "go"), nil, 0o600)
		}
	}
	if r := ran(t, c.call("bash", map[string]any{"command": "echo step one; while [ ! -e go ]; do sleep 0.02; done"})); r.Status != "ok" || !strings.Contains(strings.Join(c.notes, ""), "step one") {
		t.Errorf("got %+v, notifications %q", r, c.notes)
	}
	c.id++
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"bash","arguments":{"command":"touch up; sleep 600","timeout_seconds":900}}}`, c.id))
	for { // until the outside process is up
		if _, err := os.Stat(filepath.Join(dir, "up")); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	began := time.Now()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, c.id))
	if a := c.receive(); a.ID != c.id || time.Since(began) > 20*time.Second {
		t.Errorf("got %+v after %v", a, time.Since(began))
	}
}

func TestPanicIsAnError(t *testing.T) {
	s := New(Options{LogDir: t.TempDir(), RoleTools: func(string) []string { return []string{"boom"} }})
	boom := define("boom", "panics", traits{}, func(context.Context, *request, readIn) (*Result, error) { panic("oops") })
	s.mcp.AddTool(boom.tool, s.handler(boom))
	here, there := net.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- s.Serve(t.Context(), there, bufio.NewReader(there), Caller{Role: "dev", Dir: t.TempDir()})
	}()
	c := &client{t: t, conn: here, r: bufio.NewReader(here)}
	c.initialize()
	if r := c.call("boom", map[string]any{"path": "x"}); !r.IsError || !strings.Contains(r.Content[0].Text, "oops") {
		t.Errorf("got %+v", r)
	}
	here.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestWrongToken(t *testing.T) {
	s := New(Options{LogDir: t.TempDir()})
	here, there := net.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- s.ServeBridge(t.Context(), there, there, func(context.Context, Preamble) (Caller, error) { return Caller{}, fmt.Errorf("wrong token") })
	}()
	if _, err := here.Write([]byte("{\"token\":\"x\"}\n")); err != nil {
		t.Fatal(err)
	}
	if resp, err := http.ReadResponse(bufio.NewReader(here), nil); err != nil || resp.StatusCode != http.StatusForbidden {
		t.Error(resp, err)
	}
	if err := <-done; err == nil {
		t.Error("a wrong token was served")
	}
}

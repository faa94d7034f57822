package daemon

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
)

// bridge is an agent's end of `ccdir-shim mcp`.
type bridge struct {
	t   testing.TB
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

// bridge starts one that speaks for the session, or for a guest in dir.
func (p *place) bridge(s api.Session, dir string) *bridge {
	p.t.Helper()
	cmd := exec.Command(shimPath, "mcp")
	cmd.Env = append(os.Environ(), "CCDIR_SOCKET="+p.paths.Socket())
	cmd.Dir = dir
	if s.ID != "" {
		cmd.Env = append(cmd.Env, "CCDIR_SESSION="+s.ID, "CCDIR_TOKEN="+p.token(s))
	}
	b := startBridge(p.t, cmd)
	b.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	b.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return b
}

func startBridge(t testing.TB, cmd *exec.Cmd) *bridge {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	return &bridge{t: t, in: in, out: bufio.NewReader(out)}
}

func (b *bridge) send(line string) {
	b.t.Helper()
	if _, err := io.WriteString(b.in, line+"\n"); err != nil {
		b.t.Fatal(err)
	}
}

// request returns the result, or the error's text.
func (b *bridge) request(method, params string) string {
	b.t.Helper()
	b.id++
	b.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, b.id, method, params))
	for {
		line, err := b.out.ReadBytes('\n')
		if err != nil {
			b.t.Fatal(err)
		}
		var a struct {
			ID     int
			Method string
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(line, &a); err != nil {
			b.t.Fatal(err)
		}
		switch {
		case a.Method != "":
		case a.Error != nil:
			return "error: " + a.Error.Message
		default:
			return string(a.Result)
		}
	}
}

// call returns the structured content, or the error's text.
func (b *bridge) call(tool, args string) string {
	b.t.Helper()
	raw := b.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s,"_meta":{"claudecode/toolUseId":"toolu_%d"}}`, tool, args, b.id))
	if strings.HasPrefix(raw, "error: ") {
		return raw
	}
	var r struct {
		IsError           bool
		StructuredContent json.RawMessage
		Content           []struct{ Text string }
	}
	if err := json.Unmarshal([]byte(raw), &r); err != nil {
		b.t.Fatal(err)
	}
	if r.IsError {
		return "error: " + r.Content[0].Text
	}
	return string(r.StructuredContent)
}

// want fails unless got has the text.
func want(t testing.TB, what, got, text string) {
	t.Helper()
	if !strings.Contains(got, text) {
		t.Errorf("%s: %s, want %s", what, got, text)
	}
}

// calls waits for n events of calls and returns them.
func (p *place) calls(n int) (list []api.Event) {
	p.t.Helper()
	until(p.t, "the events of calls", func() bool {
		p.call("GET", "/v1/events?type=mcp.call&since=0", nil, &list)
		return len(list) >= n
	})
	return list
}

// TestTools: a session's bridge has its role's tools, works in its directory, and
// leaves an event for each call.
func TestTools(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	dir := t.TempDir()
	s := p.create(api.NewSession{Name: "one", Argv: sh("exec sleep 1000"), CWD: dir})
	b := p.bridge(s, "/")
	want(t, "list", b.request("tools/list", `{}`), `"message_send"`)
	want(t, "write", b.call("write", `{"path":"a.txt","content":"password=hunter2"}`), `"path"`)
	if data, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(data) != "password=hunter2" {
		t.Errorf("%q, %v", data, err)
	}
	want(t, "spawn as dev", b.call("session_spawn", `{}`), "not found")
	want(t, "read outside", b.call("read", `{"path":"/etc/passwd"}`), "outside the allowed directories")
	want(t, "bash", b.call("bash", `{"command":"pwd; exit 3"}`), `"exit_code":3`)
	want(t, "sessions", b.call("sessions_list", `{}`), `"you":true`)
	events := p.calls(4)
	var call api.ToolCall
	if err := json.Unmarshal(events[0].Data, &call); err != nil || events[0].Session != s.ID || call.Tool != "write" || call.Outcome != "ok" || call.ToolUseID == "" || call.Role != "dev" {
		t.Errorf("%+v %s", events[0], events[0].Data)
	}
	if data, _ := json.Marshal(events); strings.Contains(string(data), "hunter2") {
		t.Errorf("a secret is in the log: %s", data)
	}
	want(t, "event of bash", string(events[2].Data), `"outcome":"failed"`)

	guest := p.bridge(api.Session{}, dir)
	want(t, "guest reads", guest.call("read", `{"path":"a.txt"}`), "password")
	want(t, "guest lists sessions", guest.call("sessions_list", `{}`), "not found")
	want(t, "guest outside", guest.call("list", `{"path":"/"}`), "outside the allowed directories")
	if info, err := os.Stat(p.paths.MCPLogs()); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info, err)
	}
}

// TestWrongTokens: they get nothing, not even what a guest has.
func TestWrongTokens(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	a := p.create(api.NewSession{Name: "a", Argv: sh("exec sleep 1000")})
	b := p.create(api.NewSession{Name: "b", Argv: sh("exec sleep 1000")})
	ended := p.create(api.NewSession{Name: "c", Argv: sh("true")})
	p.wait(ended.ID, api.StateExited)
	for session, token := range map[string]string{a.ID: p.token(b), b.ID: "x", ended.ID: p.token(ended), "nobody": p.token(a)} {
		cmd := exec.Command(shimPath, "mcp")
		cmd.Env = append(os.Environ(), "CCDIR_SOCKET="+p.paths.Socket(), "CCDIR_SESSION="+session, "CCDIR_TOKEN="+token)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "not that of a running session") || strings.Count(string(out), "\n") != 1 {
			t.Errorf("%s: %s, %v", session, out, err)
		}
	}
	for token, status := range map[string]int{p.token(a): 200, "x": 401, p.token(ended): 401, "": 401} {
		req, _ := http.NewRequest("POST", "http://ccdir"+api.MCPPath, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		resp, err := p.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != status {
			t.Errorf("%.8q: %s %s", token, resp.Status, body)
		}
	}
}

// TestCoordinationTools: a lead starts agents within its limit, agents write to
// each other, and the person answers a question.
func TestCoordinationTools(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("default_agent = \"demo\"\n[mcp]\nspawn_limit = 1\n")
	p.run()
	lead := p.create(api.NewSession{Name: "boss", Role: "lead", Argv: sh("exec sleep 1000"), CWD: t.TempDir()})
	b := p.bridge(lead, "/")
	want(t, "progress", b.call("report_progress", `{"text":"planning\u001b[2J"}`), "true")
	if got := p.get(lead.ID); got.Progress == "" || strings.Contains(got.Progress, "\x1b") {
		t.Errorf("progress %q", got.Progress)
	}
	want(t, "spawn", b.call("session_spawn", `{"name":"worker"}`), `"name":"worker"`)
	want(t, "second spawn", b.call("session_spawn", `{}`), "spawn_limit")
	worker := p.get("worker")
	if worker.Role != "dev" || worker.Parent != lead.ID || worker.CWD != lead.CWD {
		t.Errorf("%+v", worker)
	}
	want(t, "wait", b.call("session_wait", `{"session":"worker"}`), `"reached":true`)
	want(t, "message", b.call("message_send", `{"to":"worker","text":"hello worker"}`), `"id":1`)
	// The message wakes the agent: it gets a prompt.
	until(p.t, "the nudge", func() bool { return strings.Contains(p.get("worker").Prompt, "message_inbox") })
	w := p.bridge(worker, "/")
	want(t, "inbox", w.call("message_inbox", `{}`), `"text":"hello worker"`)
	want(t, "ack", w.call("message_ack", `{"ids":[1]}`), `"acked":1`)
	want(t, "empty inbox", w.call("message_inbox", `{}`), `"messages":[]`)
	want(t, "to the person", w.call("message_send", `{"to":"person","text":"done"}`), `"to":"person"`)
	var inbox []api.Message
	if p.call("GET", "/v1/messages", nil, &inbox); len(inbox) != 1 || inbox[0].FromName != "worker" {
		t.Errorf("%+v", inbox)
	}

	answer := make(chan string, 1)
	go func() { answer <- b.call("ask_person", `{"question":"Which colour?","choices":["red","blue"]}`) }()
	var open []api.Request
	until(p.t, "the question", func() bool { p.call("GET", "/v1/approvals", nil, &open); return len(open) == 1 })
	if q := open[0]; q.Origin != api.OriginMCP || q.Question != "Which colour?" || len(q.Choices) != 2 || q.Session != lead.ID {
		t.Errorf("%+v", q)
	}
	until(p.t, "the state", func() bool { return p.get(lead.ID).State == api.StateInput })
	if err := p.try("POST", "/v1/approvals/"+open[0].ID+"/approve", api.Answer{Text: "green"}, nil); err == nil {
		t.Error("an answer that is no choice was taken")
	}
	p.call("POST", "/v1/approvals/"+open[0].ID+"/approve", api.Answer{Text: "blue"}, nil)
	want(t, "answer", <-answer, `{"answer":"blue","by":"person"}`)
	until(p.t, "the state after it", func() bool { return p.get(lead.ID).State != api.StateInput })
	want(t, "time-out", b.call("ask_person", `{"question":"Sure?","default":"no","timeout_seconds":1}`), `{"answer":"no","by":"default"}`)
	want(t, "stop", b.call("session_stop", `{"session":"worker","force":true}`), `"state":"exited"`)
}

// TestPastResults: an error is found again, with what followed, by another
// session in the same directory, also after a restart of the daemon.
func TestPastResults(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	dir := t.TempDir()
	one := p.bridge(p.create(api.NewSession{Name: "one", Argv: sh("exec sleep 1000"), CWD: dir}), "/")
	one.call("bash", `{"command":"echo undefined: Frobnicate; exit 1"}`)
	one.call("edit", `{"path":"none","old_string":"a","new_string":"b"}`)
	one.call("bash", `{"command":"true"}`)
	p.calls(3)
	p.stopDaemon()
	p.run()
	two := p.bridge(p.create(api.NewSession{Name: "two", Argv: sh("exec sleep 1000"), CWD: dir}), "/")
	got := two.call("past_results", `{"text":"frobnicate","failed":true}`)
	for _, part := range []string{`"tool":"bash"`, `"outcome":"failed"`, `undefined: Frobnicate`, `"next":[{`, `"tool":"edit"`} {
		want(t, "past results", got, part)
	}
}

// TestBridgeLeavesNothing: a bridge that is killed in a call takes what the call
// runs with it, and a stop of the daemon does too.
func TestBridgeLeavesNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	dir := t.TempDir()
	s := p.create(api.NewSession{Argv: sh("exec sleep 1000"), CWD: dir})
	pid := func(name string) string {
		t.Helper()
		var text []byte
		until(p.t, "the command", func() bool {
			text, _ = os.ReadFile(filepath.Join(dir, name))
			return strings.HasSuffix(string(text), "\n")
		})
		return strings.TrimSpace(string(text))
	}
	alive := func(pid string) bool { return exec.Command("kill", "-0", pid).Run() == nil }
	for name, end := range map[string]func(*bridge){
		"hung-up": func(b *bridge) { b.in.Close() },
		"stopped": func(*bridge) { p.stopDaemon() },
	} {
		b := p.bridge(s, "/")
		b.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"bash","arguments":{"command":"trap '' TERM; (setsid sleep 1001 & echo $! > %s.tmp; mv %s.tmp %s; wait)"}}}`, name, name, name))
		child := pid(name)
		end(b)
		until(p.t, "its end", func() bool { return !alive(child) })
		if name == "stopped" {
			p.run()
		}
	}
}

// TestTCP: over a loopback address the token, the host and the origin count; an
// address that is taken is an event and not the end of the daemon.
func TestTCP(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	p := newPlace(t)
	p.config("[mcp]\nlisten = \"" + address + "\"\n")
	p.run()
	var problems []api.Event
	if p.call("GET", "/v1/events?since=0&type="+api.EventConfigError, nil, &problems); len(problems) != 1 || !strings.Contains(problems[0].Message, "mcp.listen") {
		t.Errorf("%+v", problems)
	}
	p.stopDaemon()
	l.Close()
	p.run()
	s := p.create(api.NewSession{Argv: sh("exec sleep 1000")})
	for _, tt := range []struct {
		path, host, origin, token string
		status                    int
	}{
		{api.MCPPath, "", "", p.token(s), 200}, {api.MCPPath, "", "", "", 401}, {api.MCPPath, "evil.example", "", p.token(s), 403},
		{api.MCPPath, "", "https://evil.example", p.token(s), 403}, {"/v1/sessions", "", "", p.token(s), 404},
	} {
		req, err := http.NewRequest("POST", "http://"+address+tt.path, strings.NewReader(strings.TrimSpace(benchHello)))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = tt.host
		req.Header.Set("Content-Type", "application/json")
		if tt.token != "" {
			req.Header.Set("Authorization", "Bearer "+tt.token)
		}
		if tt.origin != "" {
			req.Header.Set("Origin", tt.origin)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != tt.status {
			t.Errorf("%+v: %s", tt, resp.Status)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

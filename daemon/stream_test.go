package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/daemon/httpapi/access"
)

// sse is an open stream of server-sent events.
type sse struct {
	t    testing.TB
	resp *http.Response
	scan *bufio.Scanner
}

func (p *place) stream(path string) *sse {
	p.t.Helper()
	// A client of its own: a stream that breaks must not disturb others.
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, "GET", "http://ccdir"+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	resp, err := p.http.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { cancel(); resp.Body.Close() })
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		p.t.Fatalf("%s: %s %s", path, resp.Status, resp.Header)
	}
	s := &sse{t: p.t, resp: resp, scan: bufio.NewScanner(resp.Body)}
	s.scan.Buffer(nil, 64<<20)
	return s
}

// next decodes the next event and returns its id.
func (s *sse) next(v any) (id string) {
	s.t.Helper()
	for s.scan.Scan() {
		line := s.scan.Text()
		if rest, ok := strings.CutPrefix(line, "id: "); ok {
			id = rest
		}
		if rest, ok := strings.CutPrefix(line, "data: "); ok {
			if err := json.Unmarshal([]byte(rest), v); err != nil {
				s.t.Fatal(err)
			}
			return id
		}
	}
	s.t.Fatal("the stream ended:", s.scan.Err())
	return ""
}

func TestWatch(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	a := p.agentSession("a")
	w := p.stream("/v1/watch")
	var m api.WatchMessage
	w.next(&m)
	if m.Snapshot == nil || len(m.Snapshot.Sessions) != 1 || len(m.Snapshot.Events) != 2 || m.Snapshot.Seq != 2 ||
		m.Snapshot.Server.PID != os.Getpid() || m.Snapshot.Server.Running != 1 {
		t.Fatalf("first message: %+v", m)
	}
	if err := p.hook(a, claude.HookUserPromptSubmit, "1", hookJSON(claude.HookUserPromptSubmit, `"prompt":"x"`)); err != nil {
		t.Fatal(err)
	}
	// An event comes together with the session that it changed.
	for m = (api.WatchMessage{}); m.Event == nil; {
		m = api.WatchMessage{}
		w.next(&m)
	}
	if m.Event.Seq != 3 || m.Event.Type != claude.HookUserPromptSubmit || m.Session == nil || m.Session.State != api.StateWorking || m.Session.Prompt != "x" {
		t.Errorf("message: %+v %+v", m.Event, m.Session)
	}
	p.call("POST", "/v1/sessions/a/focus", nil, nil)
	for m = (api.WatchMessage{}); m.Focus == ""; {
		m = api.WatchMessage{}
		w.next(&m)
	}
	if m.Focus != a.ID {
		t.Errorf("focus: %+v", m)
	}
	p.call("POST", "/v1/sessions/a/kill", api.Kill{Force: true}, nil)
	p.call("DELETE", "/v1/sessions/a", nil, nil)
	for m = (api.WatchMessage{}); m.Removed == ""; {
		m = api.WatchMessage{}
		w.next(&m)
	}
	if m.Removed != a.ID || m.Event.Type != api.EventSessionRemoved {
		t.Errorf("removed: %+v", m)
	}
}

func TestEventStream(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	a, b := p.agentSession("a"), p.agentSession("b")
	call := func(s api.Session, i int) {
		t.Helper()
		if err := p.hook(s, claude.HookStop, fmt.Sprint(i), hookJSON(claude.HookStop, fmt.Sprintf(`"last_assistant_message":"m%d"`, i))); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 50 {
		call(a, 2*i)
		call(b, 2*i+1)
	}
	// From the beginning, of one session, by its name, and on to what comes.
	s := p.stream("/v1/events/stream?since=0&type=Stop&session=b")
	fresh := p.stream("/v1/events/stream")
	last := int64(0)
	for i := range 60 {
		if i == 50 {
			for j := 50; j < 60; j++ {
				call(b, 2*j+1)
			}
		}
		var e api.Event
		id := s.next(&e)
		if e.Session != b.ID || e.Message != fmt.Sprintf("m%d", 2*i+1) || id != fmt.Sprint(e.Seq) || e.Seq <= last {
			t.Fatalf("event %d: %+v id %s", i, e, id)
		}
		last = e.Seq
	}
	var e api.Event
	if fresh.next(&e); e.Message != "m101" {
		t.Errorf("without since the past was told: %+v", e)
	}
}

// TestStreamsEndWithDaemon: a stop does not wait for those who watch.
func TestStreamsEndWithDaemon(t *testing.T) {
	p := newPlace(t)
	p.run()
	w := p.stream("/v1/watch")
	e := p.stream("/v1/events/stream?since=0")
	p.stopDaemon()
	if p.cutOff() {
		t.Error("the stop waited for those who watch")
	}
	last := ""
	for w.scan.Scan() {
		last += w.scan.Text()
	}
	if !strings.Contains(last, api.EventDaemonStopped) {
		t.Error("the watcher was not told of the stop")
	}
	for e.scan.Scan() {
	}
}

// TestListenerRefusesOthers: a process of another user gets no answer.
func TestListenerRefusesOthers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	inner, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	// The refusing one last: it goes on accepting.
	for i, want := range []bool{true, false} {
		uid := os.Getuid() + i
		l := access.Listener{Listener: inner, UID: uid, Logger: slog.New(slog.DiscardHandler)}
		accepted := make(chan net.Conn, 1)
		go func() {
			if c, err := l.Accept(); err == nil {
				accepted <- c
			}
		}()
		c, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		if want {
			(<-accepted).Close()
		} else if n, err := c.Read(make([]byte, 1)); err == nil {
			t.Errorf("read %d bytes", n)
		}
		c.Close()
	}
}

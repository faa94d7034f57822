package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/internal/hostwire"
	"ccdir/internal/paths"
)

const ticket = "the ticket"

// patience is how long a test waits for what must happen.
const patience = 20 * time.Second

// running is a host under test.
type running struct {
	t      testing.TB
	spec   hostwire.HostSpec
	ready  hostwire.HostReady
	cancel context.CancelFunc
	done   chan error
}

// socketDir is short: a socket's path is limited to 104 bytes.
func socketDir(t testing.TB) string {
	dir, err := os.MkdirTemp("/tmp", "cch")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func specFor(t testing.TB, argv ...string) hostwire.HostSpec {
	return hostwire.HostSpec{
		Session: "abc12345", Dir: t.TempDir(), Socket: filepath.Join(socketDir(t), "h.sock"), Ticket: ticket,
		Argv: argv, Env: []string{"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "PS1=$ "},
		CWD: t.TempDir(), Cols: 80, Rows: 24, Scrollback: 1000, Version: "test",
	}
}

func startSpec(t testing.TB, spec hostwire.HostSpec, change ...func(*Options)) *running {
	t.Helper()
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{t: t, spec: spec, cancel: cancel, done: make(chan error, 1)}
	ready := make(chan hostwire.HostReady, 1)
	o := Options{Version: "test", Ready: func(h hostwire.HostReady) { ready <- h }}
	for _, c := range change {
		c(&o)
	}
	go func() { r.done <- Run(ctx, spec, o) }()
	r.ready = <-ready
	t.Cleanup(func() {
		cancel()
		select {
		case <-r.done:
		case <-time.After(patience):
			buf := make([]byte, 1<<20)
			t.Errorf("Run does not return\n%s", buf[:runtime.Stack(buf, true)])
		}
		for end := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				buf := make([]byte, 1<<20)
				t.Errorf("goroutines left: %d, before %d\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
				return
			}
		}
	})
	return r
}

func start(t testing.TB, argv ...string) *running {
	t.Helper()
	r := startSpec(t, specFor(t, argv...))
	if r.ready.Error != "" {
		t.Fatalf("not started: %s", r.ready.Error)
	}
	return r
}

// wait waits for Run's end.
func (r *running) wait() error {
	r.t.Helper()
	select {
	case err := <-r.done:
		r.done <- err
		return err
	case <-time.After(patience):
		r.t.Fatal("the host does not end")
		return nil
	}
}

func (r *running) final() (f hostwire.Final) {
	r.t.Helper()
	b, err := os.ReadFile(filepath.Join(r.spec.Dir, paths.FinalFile))
	if err == nil {
		err = json.Unmarshal(b, &f)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return f
}

// peer is a client under test: a goroutine reads all the time and keeps what
// came.
type peer struct {
	t       testing.TB
	conn    *hostwire.Conn
	welcome hostwire.Welcome

	mu       sync.Mutex
	cond     *sync.Cond
	mirror   *hostwire.Mirror
	status   hostwire.Status
	evidence []hostwire.Evidence
	lost     []hostwire.EvidenceLost
	exit     *hostwire.Exit
	answers  map[uint64]*hostwire.Response
	screens  []hostwire.Screen
	err      error
	next     uint64
	frames   int
	fulls    int
	written  uint64
	stopped  chan struct{}
}

func (r *running) dial(change ...func(*hostwire.Hello)) *peer {
	r.t.Helper()
	hello := hostwire.Hello{Ticket: ticket, Client: "test", Evidence: new(uint64)}
	for _, c := range change {
		c(&hello)
	}
	conn, w, err := hostwire.Dial(context.Background(), r.spec.Socket, hello)
	if err != nil {
		r.t.Fatal(err)
	}
	p := &peer{t: r.t, conn: conn, welcome: w, mirror: hostwire.NewMirror(), answers: map[uint64]*hostwire.Response{},
		status: w.Status, stopped: make(chan struct{})}
	p.cond = sync.NewCond(&p.mu)
	go p.read()
	r.t.Cleanup(func() { p.close() })
	return p
}

func (p *peer) close() {
	p.conn.Close()
	<-p.stopped
}

func (p *peer) read() {
	defer close(p.stopped)
	for {
		m, err := p.conn.Receive()
		p.mu.Lock()
		if err != nil {
			p.err = err
			p.cond.Broadcast()
			p.mu.Unlock()
			return
		}
		switch m := m.(type) {
		case *hostwire.Frame:
			p.frames++
			if m.Full {
				p.fulls++
			}
			p.written = m.Written
			if err := p.mirror.Apply(m); err != nil {
				p.t.Errorf("frame: %v", err)
			}
		case *hostwire.Status:
			p.status = *m
		case *hostwire.Evidence:
			p.evidence = append(p.evidence, *m)
		case *hostwire.EvidenceLost:
			p.lost = append(p.lost, *m)
		case *hostwire.Exit:
			p.exit = m
		case *hostwire.Response:
			p.answers[m.ID] = m
		case *hostwire.Screen:
			p.screens = append(p.screens, *m)
		}
		p.cond.Broadcast()
		p.mu.Unlock()
	}
}

// until waits for a condition, which is asked with the lock held.
func (p *peer) until(what string, ok func() bool) {
	p.t.Helper()
	late := time.AfterFunc(patience, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.cond.Broadcast()
	})
	defer late.Stop()
	end := time.Now().Add(patience)
	p.mu.Lock()
	defer p.mu.Unlock()
	for !ok() {
		if time.Now().After(end) || p.err != nil && !errors.Is(p.err, io.EOF) {
			p.t.Fatalf("waited in vain for %s; error %v, screen:\n%s", what, p.err, p.text())
		}
		if p.err != nil {
			p.t.Fatalf("the host ended while waiting for %s; screen:\n%s", what, p.text())
		}
		p.cond.Wait()
	}
}

// text is the mirror's. The lock is held.
func (p *peer) text() string {
	_, rows := p.mirror.Size()
	var b []byte
	for y := range rows {
		b = p.mirror.Table().AppendText(b, p.mirror.Row(y).Cells)
		b = append(b, '\n')
	}
	return strings.TrimRight(string(b), "\n")
}

func (p *peer) shows(s string) {
	p.t.Helper()
	p.until(fmt.Sprintf("%q on the screen", s), func() bool { return strings.Contains(p.text(), s) })
}

func (p *peer) send(m hostwire.Message) {
	p.t.Helper()
	if err := p.conn.Send(m); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) view(cols, rows int) {
	p.send(&hostwire.View{Visible: true, Cols: cols, Rows: rows})
}

func (p *peer) keys(names ...string) {
	for _, n := range names {
		p.send(&hostwire.Input{Type: hostwire.InputKey, Text: []byte(n)})
	}
}

// typeLine types characters and Enter.
func (p *peer) typeLine(s string) {
	for _, r := range s {
		p.keys(string(r))
	}
	p.keys("Enter")
}

func (p *peer) request(method string, params any) *hostwire.Response {
	p.t.Helper()
	b, err := json.Marshal(params)
	if err != nil {
		p.t.Fatal(err)
	}
	p.next++
	id := p.next
	p.send(&hostwire.Request{ID: id, Method: method, Params: b})
	var r *hostwire.Response
	p.until("the answer to "+method, func() bool { r = p.answers[id]; return r != nil })
	return r
}

// call is request for what must succeed.
func call[T any](p *peer, method string, params any) (v T) {
	p.t.Helper()
	r := p.request(method, params)
	if r.Error != nil {
		p.t.Fatalf("%s: %v", method, r.Error)
	}
	if len(r.Result) > 0 {
		if err := json.Unmarshal(r.Result, &v); err != nil {
			p.t.Fatal(err)
		}
	}
	return v
}

// saw waits for evidence.
func (p *peer) saw(name string, fields ...string) hostwire.Evidence {
	p.t.Helper()
	var found hostwire.Evidence
	p.until("evidence "+name+" "+strings.Join(fields, " "), func() bool {
		for _, e := range p.evidence {
			ok := e.Name == name
			for i := 0; ok && i+1 < len(fields); i += 2 {
				ok = e.Fields[fields[i]] == fields[i+1]
			}
			if ok {
				found = e
				return true
			}
		}
		return false
	})
	return found
}

func TestEcho(t *testing.T) {
	r := start(t, "cat")
	p := r.dial()
	if p.welcome.PID != r.ready.PID || p.welcome.Session != "abc12345" || p.welcome.Protocol != 1 {
		t.Errorf("welcome: %+v", p.welcome)
	}
	p.view(80, 24)
	p.typeLine("héllo 世界")
	p.shows("héllo 世界\nhéllo 世界")
	p.saw(hostwire.EvidenceStarted)
	p.saw(hostwire.EvidenceKeys, "keys", "Enter")
	p.keys("C-d")
	p.until("exit", func() bool { return p.exit != nil })
	if err := r.wait(); err != nil {
		t.Fatal(err)
	}
	if p.exit.Code != 0 || p.exit.Signal != "" {
		t.Errorf("exit: %+v", p.exit)
	}
	f := r.final()
	if f.Code != 0 || f.Cols != 80 || f.LastEvidence != uint64(len(f.Evidence)) || f.Evidence[len(f.Evidence)-1].Name != hostwire.EvidenceExit {
		t.Errorf("final: %+v", f)
	}
	out, err := hostwire.ReadOutput(r.spec.Dir, hostwire.OutputParams{Format: "text"})
	if err != nil || !strings.Contains(out.Text, "héllo 世界\nhéllo 世界\n") {
		t.Errorf("saved output: %q, %v", out.Text, err)
	}
	if _, err := os.Lstat(r.spec.Socket); !os.IsNotExist(err) {
		t.Errorf("the socket is left: %v", err)
	}
}

func TestStartFailures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("#!/does/not/exist\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(t.TempDir(), "bad")
	if err := os.WriteFile(bad, []byte("#!/does/not/exist\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, want string
		change     func(*hostwire.HostSpec)
	}{
		{"missing in PATH", "no-such-agent was not found in PATH", func(s *hostwire.HostSpec) { s.Argv = []string{"no-such-agent"} }},
		{"missing path", "/no/such/agent does not exist", func(s *hostwire.HostSpec) { s.Argv = []string{"/no/such/agent"} }},
		{"not executable", "may not be executed", func(s *hostwire.HostSpec) { s.Argv = []string{file} }},
		{"interpreter", "the interpreter in its first line", func(s *hostwire.HostSpec) { s.Argv = []string{bad} }},
		{"directory as program", "is a directory", func(s *hostwire.HostSpec) { s.Argv = []string{"/tmp"} }},
		{"no directory", "directory /no/such/dir does not exist", func(s *hostwire.HostSpec) { s.CWD = "/no/such/dir" }},
		{"file as directory", "is not a directory", func(s *hostwire.HostSpec) { s.CWD = file }},
		{"no command", "no command", func(s *hostwire.HostSpec) { s.Argv = nil }},
	} {
		t.Run(test.name, func(t *testing.T) {
			spec := specFor(t, "cat")
			test.change(&spec)
			r := startSpec(t, spec)
			if !strings.Contains(r.ready.Error, test.want) || strings.Contains(r.ready.Error, "\n") {
				t.Errorf("ready: %+v", r.ready)
			}
			if r.wait() == nil {
				t.Error("Run returned no error")
			}
			if _, err := os.Lstat(spec.Socket); !os.IsNotExist(err) {
				t.Errorf("the socket is left: %v", err)
			}
		})
	}
}

func mustJSON(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func readJSON(t testing.TB, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// readOnlyConn is a connection that only gives.
type readOnlyConn struct {
	net.Conn
	r io.Reader
}

func (c *readOnlyConn) Read(p []byte) (int, error) { return c.r.Read(p) }

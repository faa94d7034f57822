package host

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"ccdir/internal/disk/paths"
	"ccdir/wire"
)

const ticket = "the ticket"

// patience is how long a test waits for what must happen.
const patience = time.Minute

// running is a host under test.
type running struct {
	t      testing.TB
	spec   wire.HostSpec
	ready  wire.HostReady
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

func specFor(t testing.TB, argv ...string) wire.HostSpec {
	return wire.HostSpec{
		Session: "abc12345", Dir: t.TempDir(), Socket: filepath.Join(socketDir(t), "h.sock"), Ticket: ticket,
		Argv: argv, Env: []string{"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "PS1=$ "},
		CWD: t.TempDir(), Cols: 80, Rows: 24, Scrollback: 1000, Version: "test",
	}
}

func startSpec(t testing.TB, spec wire.HostSpec, change ...func(*Options)) *running {
	t.Helper()
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{t: t, spec: spec, cancel: cancel, done: make(chan error, 1)}
	ready := make(chan wire.HostReady, 1)
	o := Options{Version: "test", Ready: func(h wire.HostReady) { ready <- h }}
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

func (r *running) final() (f wire.Final) {
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

func TestEcho(t *testing.T) {
	r := start(t, "cat")
	p := r.dial()
	if p.welcome.PID != r.ready.PID || p.welcome.Session != "abc12345" || p.welcome.Protocol != 1 {
		t.Errorf("welcome: %+v", p.welcome)
	}
	p.view(80, 24)
	p.typeLine("héllo 世界")
	p.shows("héllo 世界\nhéllo 世界")
	p.saw(wire.EvidenceStarted)
	p.saw(wire.EvidenceKeys, "keys", "Enter")
	p.keys("C-d")
	p.until("exit", func() bool { return p.exit != nil })
	if err := r.wait(); err != nil {
		t.Fatal(err)
	}
	if p.exit.Code != 0 || p.exit.Signal != "" {
		t.Errorf("exit: %+v", p.exit)
	}
	f := r.final()
	if f.Code != 0 || f.Cols != 80 || f.LastEvidence != uint64(len(f.Evidence)) || f.Evidence[len(f.Evidence)-1].Name != wire.EvidenceExit {
		t.Errorf("final: %+v", f)
	}
	out, err := wire.ReadOutput(r.spec.Dir, wire.OutputParams{Format: "text"})
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
		change     func(*wire.HostSpec)
	}{
		{"missing in PATH", "no-such-agent was not found in PATH", func(s *wire.HostSpec) { s.Argv = []string{"no-such-agent"} }},
		{"missing path", "/no/such/agent does not exist", func(s *wire.HostSpec) { s.Argv = []string{"/no/such/agent"} }},
		{"not executable", "may not be executed", func(s *wire.HostSpec) { s.Argv = []string{file} }},
		{"interpreter", "the interpreter in its first line", func(s *wire.HostSpec) { s.Argv = []string{bad} }},
		{"directory as program", "is a directory", func(s *wire.HostSpec) { s.Argv = []string{"/tmp"} }},
		{"no directory", "directory /no/such/dir does not exist", func(s *wire.HostSpec) { s.CWD = "/no/such/dir" }},
		{"file as directory", "is not a directory", func(s *wire.HostSpec) { s.CWD = file }},
		{"no command", "no command", func(s *wire.HostSpec) { s.Argv = nil }},
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

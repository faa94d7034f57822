package demo

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"ccdir/api"
	"ccdir/hooks"
	"ccdir/hooks/call"
	"ccdir/internal/disk/paths"
	"ccdir/sessions/screen"
	"ccdir/sessions/screen/vt10x"
)

// envUnanswered names a hook whose calls no daemon answers in time.
const envUnanswered = "CCDIR_TEST_UNANSWERED"

// TestMain makes the test's executable the shim.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "hook":
			go endWithParent(os.Getppid())
			environ := os.Environ()
			if os.Args[2] == os.Getenv(envUnanswered) {
				environ = append(environ, api.EnvSocket+"=")
			}
			os.Exit(call.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr, environ))
		case "demo-agent":
			os.Exit(Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
		}
	}
	// Under the race detector a process sleeps a second at its end otherwise.
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// endWithParent ends a hook whose agent is gone: one that asks for a permission
// would call the test's server, which is gone too, for minutes.
func endWithParent(parent int) {
	for os.Getppid() == parent && parent != 1 { // 1: it was gone before we looked
		time.Sleep(100 * time.Millisecond) // no event tells it
	}
	os.Exit(1)
}

// fired is one hook call.
type fired struct {
	name    string
	payload map[string]any
}

// pane runs the agent in a PTY with hooks.
type pane struct {
	t     *testing.T
	cmd   *exec.Cmd
	tty   *os.File
	dir   string
	hooks chan fired
	// early are calls that came before the one that is waited for, which was spooled.
	early []fired
	// reply answers hooks.
	reply func(ctx context.Context, hook string) api.HookReply
	psp   bool

	mu      sync.Mutex
	engine  *vt10x.Engine
	reports []string
	painted chan struct{}
	exited  chan struct{}
	code    int
}

type paneOption func(*pane)

func withPSP(p *pane) { p.psp = true }

func withReply(f func(ctx context.Context, hook string) api.HookReply) paneOption {
	return func(p *pane) { p.reply = f }
}

func open(t *testing.T, args string, options ...paneOption) *pane {
	t.Helper()
	p := &pane{t: t, hooks: make(chan fired, 100), painted: make(chan struct{}), exited: make(chan struct{})}
	for _, o := range options {
		o(p)
	}
	p.engine = vt10x.New(screen.Options{Cols: 70, Rows: 24, HistoryLines: 1000, Listener: p})
	dir, err := os.MkdirTemp("/tmp", "demoagent-")
	if err != nil {
		t.Fatal(err)
	}
	p.dir = dir
	socket := filepath.Join(dir, "s")
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: hooks.NewEndpoint(p, time.Now)}
	var work sync.WaitGroup
	work.Go(func() { _ = srv.Serve(ln) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd = exec.Command(self, append([]string{"demo-agent", "--delay", "1ms", "--hook-timeout", patience.String(), "--session-id", "conv"}, strings.Fields(args)...)...)
	p.cmd.Env = append(os.Environ(), api.EnvSession+"=s", api.EnvToken+"=t", api.EnvSocket+"="+socket, api.EnvDir+"="+dir)
	if p.tty, err = pty.StartWithSize(p.cmd, &pty.Winsize{Cols: 70, Rows: 24}); err != nil {
		t.Fatal(err)
	}
	work.Go(p.read)
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.exited
		_ = srv.Close()
		_ = p.tty.Close()
		work.Wait()
		_ = os.RemoveAll(dir)
	})
	return p
}

// Hook takes hook calls (hooks.Registry).
func (p *pane) Hook(ctx context.Context, _, _, hook, _ string, _ time.Time, payload []byte) (api.HookReply, error) {
	f := fired{name: hook}
	if err := json.Unmarshal(payload, &f.payload); err != nil {
		return api.HookReply{}, api.Errorf(api.CodeInvalid, "%s", err)
	}
	p.hooks <- f
	if p.reply != nil {
		return p.reply(ctx, hook), nil
	}
	return api.HookReply{}, nil
}

// Bell does nothing (screen.Listener).
func (p *pane) Bell() {}

// OSC keeps reports and answers the query (screen.Listener).
func (p *pane) OSC(code int, data []byte) []byte {
	if code != 7501 {
		return nil
	}
	p.reports = append(p.reports, string(data))
	if string(data) == "?" && p.psp {
		return []byte("\x1b]7501;?\a")
	}
	return nil
}

func (p *pane) read() {
	buf := make([]byte, 16<<10)
	for {
		n, err := p.tty.Read(buf)
		p.mu.Lock()
		p.engine.Feed(buf[:n])
		replies := p.engine.TakeReplies(nil)
		close(p.painted)
		p.painted = make(chan struct{})
		p.mu.Unlock()
		_, _ = p.tty.Write(replies)
		if err != nil {
			break
		}
	}
	_ = p.cmd.Wait()
	p.code = p.cmd.ProcessState.ExitCode()
	close(p.exited)
}

func (p *pane) typeKeys(keys string) {
	p.t.Helper()
	if _, err := p.tty.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// resize gives terminal and program another size.
func (p *pane) resize(cols, rows int) {
	p.t.Helper()
	p.mu.Lock()
	p.engine.Resize(cols, rows)
	p.mu.Unlock()
	if err := pty.Setsize(p.tty, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		p.t.Fatal(err)
	}
}

const patience = time.Minute

// until waits until the condition holds, looked at after each output.
func (p *pane) until(what string, cond func(text string, alt bool) bool) {
	p.t.Helper()
	deadline := time.After(patience)
	for {
		p.mu.Lock()
		var b []byte
		_, rows := p.engine.Size()
		for y := range rows {
			b = append(p.engine.Table().AppendText(b, p.engine.Row(y).Cells), '\n')
		}
		ok, painted := cond(string(b), p.engine.State().Alt), p.painted
		p.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-painted:
		case <-deadline:
			p.t.Fatalf("never: %s\n%s", what, b)
		}
	}
}

func (p *pane) shows(want string) {
	p.t.Helper()
	p.until("shows "+want, func(text string, _ bool) bool { return strings.Contains(text, want) })
}

// hook takes the next hook call, which must have that name. On a busy machine a hook
// process may be out of time when it begins, and spools its call as it does for a daemon
// that does not answer: the next call then comes before it.
func (p *pane) hook(name string) map[string]any {
	p.t.Helper()
	deadline := time.After(patience)
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		if len(p.early) > 0 && p.early[0].name == name {
			f := p.early[0]
			p.early = p.early[1:]
			return f.payload
		}
		if payload := p.spooled(name); payload != nil {
			return payload
		}
		calls := p.hooks
		if len(p.early) > 0 {
			calls = nil // the call may still be on its way into the spool
		}
		select {
		case f := <-calls:
			p.early = append(p.early, f)
		case <-look.C: // another process writes the file
		case <-deadline:
			if len(p.early) > 0 {
				p.t.Fatalf("hook %s instead of %s: %v", p.early[0].name, name, p.early[0].payload)
			}
			p.t.Fatalf("no hook %s", name)
		}
	}
}

// spooled takes the first call in the spool if it has that name; nil: it has not. A question
// whose wait the agent ended is spooled though it was taken: it does not count.
func (p *pane) spooled(name string) (payload map[string]any) {
	p.t.Helper()
	files, _ := filepath.Glob(filepath.Join(p.dir, paths.SpoolDir, "*"+paths.SpoolSuffix)) // their names sort by time
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // it reached the listener after all
		}
		var call api.SpooledHook
		if err := json.Unmarshal(data, &call); err != nil {
			return nil
		}
		if call.Hook == "PermissionRequest" {
			continue
		}
		if call.Hook != name {
			return nil
		}
		if err := json.Unmarshal(call.Payload, &payload); err != nil {
			p.t.Fatal(err)
		}
		_ = os.Remove(file)
		return payload
	}
	return nil
}

func (p *pane) exits(code int) {
	p.t.Helper()
	select {
	case <-p.exited:
		if p.code != code {
			p.t.Errorf("exit code %d, want %d", p.code, code)
		}
	case <-time.After(patience):
		p.t.Fatal("it does not end")
	}
}

func (p *pane) ready() {
	p.t.Helper()
	if got := p.hook("SessionStart"); got["session_id"] != "conv" || got["source"] != "startup" {
		p.t.Errorf("SessionStart %v", got)
	}
	p.shows("? for shortcuts")
}

package realcli

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"ccdir/hooks"
	"ccdir/internal/agents"
	"ccdir/internal/api"
	"ccdir/sessions/screen"
	"ccdir/sessions/screen/vt10x"
)

// Options of a pane.
type Options struct {
	// Place is where it runs (see Home).
	Place Place
	// Args are the CLI's own arguments.
	Args []string
	// NoPSP leaves the OSC 7501 query without an answer.
	NoPSP bool
	// Reply answers hooks; nil answers nothing.
	Reply func(ctx context.Context, hook string, payload []byte) api.HookReply
	// Resume continues a conversation.
	Resume string
	// Version chooses the form of the hooks; "" is Version.
	Version string
	// ExtraEnv are K=V pairs.
	ExtraEnv []string
}

// Pane is the CLI in a PTY of the test's own, with every source of evidence
// written into one timeline. It needs neither daemon nor host: it is how facts
// about the CLI are checked, and how timelines for the fold are recorded.
type Pane struct {
	*Timeline
	t       testing.TB
	opt     Options
	cmd     *exec.Cmd
	pty     *os.File
	Session string
	// Conversation as given to the CLI.
	Conversation string

	mu      sync.Mutex
	engine  *vt10x.Engine
	painted chan struct{} // closed and replaced at each output
	raw     []byte

	exited chan struct{}
	cancel context.CancelFunc
	work   sync.WaitGroup
}

// size of every pane.
const paneCols, paneRows = 110, 36

// Open starts the CLI; shim is an executable with the verb hook. The pane is
// closed with the test.
func Open(t testing.TB, shim string, opt Options) *Pane {
	t.Helper()
	p := &Pane{t: t, opt: opt, Timeline: NewTimeline(), Session: "test", painted: make(chan struct{}), exited: make(chan struct{})}
	p.engine = vt10x.New(screen.Options{Cols: paneCols, Rows: paneRows, HistoryLines: 500, Listener: p})
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	dir := t.TempDir()
	socket := p.serveHooks(ctx, dir)

	version := opt.Version
	if version == "" {
		version = Version
	}
	env := agents.SetEnv(opt.Place.Env, append([]string{
		api.EnvSession + "=" + p.Session, api.EnvToken + "=t", api.EnvSocket + "=" + socket, api.EnvDir + "=" + dir,
	}, opt.ExtraEnv...)...)
	launch, err := agents.Claude{}.Prepare(agents.Start{
		Session: p.Session, Dir: dir, CWD: opt.Place.CWD, Command: Claude(t), Args: opt.Args, Env: env,
		Shim: shim, Resume: opt.Resume, Version: version,
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Conversation = launch.Conversation
	p.cmd = exec.Command(launch.Argv[0], launch.Argv[1:]...)
	p.cmd.Env, p.cmd.Dir = launch.Env, opt.Place.CWD
	if p.pty, err = pty.StartWithSize(p.cmd, &pty.Winsize{Cols: paneCols, Rows: paneRows}); err != nil {
		t.Fatal(err)
	}
	p.Add(Entry{Evidence: api.Evidence{Source: api.SourceProcess, Name: "started"}})
	p.work.Add(2)
	go p.read()
	go p.watchFile(ctx)
	t.Cleanup(p.Close)
	return p
}

// serveHooks listens for hooks on a socket of the test's.
func (p *Pane) serveHooks(ctx context.Context, dir string) string {
	// A short path: t.TempDir may be longer than a socket's address.
	sockets, err := os.MkdirTemp("/tmp", "ccdir-test-")
	if err != nil {
		p.t.Fatal(err)
	}
	socket := filepath.Join(sockets, "s")
	ln, err := net.Listen("unix", socket)
	if err != nil {
		p.t.Fatal(err)
	}
	srv := &http.Server{Handler: hooks.NewEndpoint(p, time.Now)}
	p.work.Add(1)
	go func() {
		defer p.work.Done()
		_ = srv.Serve(ln)
	}()
	context.AfterFunc(ctx, func() {
		_ = srv.Close()
		_ = os.RemoveAll(sockets)
	})
	return socket
}

// Hook takes hook calls (hooks.Registry).
func (p *Pane) Hook(ctx context.Context, _, _, hook, _ string, at time.Time, payload []byte) (api.HookReply, error) {
	h, err := agents.Claude{}.DecodeHook(hook, at, payload)
	if err != nil {
		return api.HookReply{}, api.Errorf(api.CodeInvalid, "%s", err)
	}
	h.Evidence.At = time.Time{}
	p.Add(Entry{Evidence: h.Evidence, Prompt: h.Prompt, Question: h.Question})
	if p.opt.Reply == nil {
		return api.HookReply{}, nil
	}
	return p.opt.Reply(ctx, hook, payload), nil
}

// read feeds the screen with what the CLI prints, answers its queries, and
// tells the exit.
func (p *Pane) read() {
	defer p.work.Done()
	buf := make([]byte, 64<<10)
	for {
		n, err := p.pty.Read(buf)
		p.mu.Lock()
		p.engine.Feed(buf[:n])
		p.raw = append(p.raw, buf[:n]...)
		replies := p.engine.TakeReplies(nil)
		close(p.painted)
		p.painted = make(chan struct{})
		p.mu.Unlock()
		_, _ = p.pty.Write(replies)
		if err != nil {
			break
		}
	}
	_ = p.cmd.Wait()
	status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	code := status.ExitStatus()
	fields := map[string]string{}
	if status.Signaled() {
		code = 128 + int(status.Signal())
		fields["signal"] = status.Signal().String()
	}
	fields["code"] = strconv.Itoa(code)
	p.Add(Entry{Evidence: api.Evidence{Source: api.SourceProcess, Name: "exit", Says: api.StateExited, Fields: fields}})
	close(p.exited)
}

// Bell does nothing (screen.Listener).
func (p *Pane) Bell() {}

// OSC notes titles and program states and answers the query (screen.Listener).
func (p *Pane) OSC(code int, data []byte) []byte {
	text := string(data)
	switch {
	case code == 0 || code == 2:
		p.Add(Entry{Evidence: api.Evidence{Source: api.SourceTitle, Name: "title", Fields: map[string]string{"text": text}}})
	case code == 7501 && text == "?":
		p.Add(Entry{Evidence: api.Evidence{Source: api.SourcePSP, Name: "query"}})
		if !p.opt.NoPSP {
			return []byte("\x1b]7501;?\a")
		}
	case code == 7501:
		p.Add(Entry{Evidence: api.Evidence{Source: api.SourcePSP, Name: "psp", Fields: pspFields(text)}})
	}
	return nil
}

// pspFields reads "state=…:kind=…", with title and msg decoded.
func pspFields(text string) map[string]string {
	fields := map[string]string{}
	for _, part := range strings.Split(text, ":") {
		k, v, _ := strings.Cut(part, "=")
		if k == "title" || k == "msg" {
			if d, err := base64.StdEncoding.DecodeString(v); err == nil {
				v = string(d)
			}
		}
		fields[k] = v
	}
	return fields
}

var sessionFile = regexp.MustCompile(`^\d+\.json$`)

// watchFile notes changes of the CLI's own session file. It polls, since the
// file appears at some time and is replaced at every change.
func (p *Pane) watchFile(ctx context.Context) {
	defer p.work.Done()
	dir := filepath.Join(p.opt.Place.Config, "sessions")
	last := ""
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		names, _ := os.ReadDir(dir)
		for _, f := range names {
			if !sessionFile.MatchString(f.Name()) {
				continue
			}
			data, err := os.ReadFile(filepath.Join(dir, f.Name()))
			var s struct{ Status, WaitingFor, SessionID string }
			if err != nil || json.Unmarshal(data, &s) != nil {
				continue
			}
			if now := s.Status + "\x00" + s.WaitingFor; now != last {
				last = now
				fields := map[string]string{"status": s.Status}
				if s.WaitingFor != "" {
					fields["waiting_for"] = s.WaitingFor
				}
				p.Add(Entry{Evidence: api.Evidence{Source: api.SourceFile, Name: "file", Fields: fields}})
			}
		}
	}
}

// Type writes bytes to the CLI as keys, under that name in the timeline.
func (p *Pane) Type(name, keys string) {
	p.t.Helper()
	p.Add(Entry{Evidence: api.Evidence{Source: api.SourceKeys, Name: "key", Fields: map[string]string{"keys": name}}})
	if _, err := p.pty.Write([]byte(keys)); err != nil && !errors.Is(err, syscall.EIO) {
		p.t.Errorf("typing %s: %v", name, err)
	}
}

// Submit gives the CLI a prompt: a bracketed paste, then, when the text is
// shown, Enter.
func (p *Pane) Submit(ctx context.Context, text string) {
	p.t.Helper()
	p.Type("paste", "\x1b[200~"+text+"\x1b[201~")
	word, _, _ := strings.Cut(text, "\n")
	p.Screen(ctx, word)
	p.Type("Enter", "\r")
}

// Text is the screen's text.
func (p *Pane) Text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.textLocked()
}

func (p *Pane) textLocked() string {
	var b []byte
	_, rows := p.engine.Size()
	for y := range rows {
		b = p.engine.Table().AppendText(b, p.engine.Row(y).Cells)
		b = append(b, '\n')
	}
	return string(b)
}

// Screen blocks until the screen's text contains want.
func (p *Pane) Screen(ctx context.Context, want string) {
	p.t.Helper()
	for {
		p.mu.Lock()
		text, painted := p.textLocked(), p.painted
		p.mu.Unlock()
		if strings.Contains(text, want) {
			return
		}
		select {
		case <-painted:
		case <-ctx.Done():
			p.t.Fatalf("the screen never showed %q:\n%s\n%s", want, text, p.Log())
		}
	}
}

// Until blocks until an entry at or after from fits; it returns the position
// after it.
func (p *Pane) Until(ctx context.Context, from int, what string, fits func(Entry) bool) int {
	p.t.Helper()
	_, at, err := p.Await(ctx, from, fits)
	if err != nil {
		p.t.Fatalf("never saw %s:\n%s\n%s", what, p.Text(), p.Log())
	}
	return at + 1
}

// Log is the timeline as text.
func (p *Pane) Log() string {
	var b strings.Builder
	for _, e := range p.Entries() {
		b.WriteString(e.String() + "\n")
	}
	return b.String()
}

// Process is the CLI's.
func (p *Pane) Process() *os.Process { return p.cmd.Process }

// Exited is closed when the CLI is gone.
func (p *Pane) Exited() <-chan struct{} { return p.exited }

// Close kills the CLI's process group and waits for everything.
func (p *Pane) Close() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	select {
	case <-p.exited:
	case <-time.After(5 * time.Second):
		p.t.Error("the CLI did not end after KILL")
	}
	p.cancel()
	_ = p.pty.Close()
	p.work.Wait()
}

package realcli

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/hooks"
)

// Options of a pane.
type Options struct {
	// Place is its home (see Home).
	Place Place
	// Args are the CLI's own arguments.
	Args []string
	// NoPSP leaves the OSC 7501 query without an answer.
	NoPSP bool
	// Reply answers hooks; nil answers nothing.
	Reply func(ctx context.Context, hook string, payload []byte) api.HookReply
	// Resume continues a conversation.
	Resume string
	// CLI is the program; "" is the newest one pinned.
	CLI string
	// Version chooses the form of the hooks; "" is Version.
	Version string
	// ExtraEnv are K=V pairs.
	ExtraEnv []string
}

// Pane is the CLI in a PTY of the test's own, with every source of evidence recorded in
// one timeline. It needs neither daemon nor host: facts about the CLI are checked with
// it, and timelines for the fold are recorded.
type Pane struct {
	*Timeline
	*Terminal
	t       testing.TB
	opt     Options
	Session string
	// Conversation as given to the CLI.
	Conversation string
	cancel       context.CancelFunc
	work         sync.WaitGroup
}

// Open starts the CLI; shim is an executable with the verb hook. The pane is
// closed with the test.
func Open(t testing.TB, shim string, opt Options) *Pane {
	t.Helper()
	p := &Pane{t: t, opt: opt, Timeline: NewTimeline(), Session: "test"}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	dir := t.TempDir()
	socket := p.serveHooks(ctx)

	version, cli := opt.Version, opt.CLI
	if version == "" {
		version = Version
	}
	if cli == "" {
		cli = Claude(t)
	}
	env := agents.SetEnv(opt.Place.Env, append([]string{
		api.EnvSession + "=" + p.Session, api.EnvToken + "=t", api.EnvSocket + "=" + socket, api.EnvDir + "=" + dir,
	}, opt.ExtraEnv...)...)
	launch, err := claude.Adapter{}.Prepare(agents.Start{
		Session: p.Session, Dir: dir, CWD: opt.Place.CWD, Command: cli, Args: opt.Args, Env: env,
		Shim: shim, Resume: opt.Resume, Version: version,
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Conversation = launch.Conversation
	cmd := exec.Command(launch.Argv[0], launch.Argv[1:]...)
	cmd.Env, cmd.Dir = launch.Env, opt.Place.CWD
	t.Cleanup(func() { // after the terminal's own cleanup
		p.cancel()
		p.work.Wait()
	})
	p.Terminal = Start(t, cmd, p)
	p.Add(Entry{Evidence: api.Evidence{Source: api.SourceProcess, Name: "started"}})
	p.work.Add(4)
	go p.tellExit()
	go p.watchFile(ctx)
	go p.watchScreen(ctx)
	go p.watchTurn(ctx)
	return p
}

// serveHooks listens for hooks on a socket of the test.
func (p *Pane) serveHooks(ctx context.Context) string {
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

// Hook receives hook calls (hooks.Registry).
func (p *Pane) Hook(ctx context.Context, _, _, hook, _ string, at time.Time, payload []byte) (api.HookReply, error) {
	h, err := claude.Adapter{}.DecodeHook(hook, at, payload)
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

// tellExit records the end of the process.
func (p *Pane) tellExit() {
	defer p.work.Done()
	<-p.Exited()
	code, signal := p.exitCode()
	fields := map[string]string{"code": strconv.Itoa(code)}
	if signal != "" {
		fields["signal"] = signal
	}
	p.Add(Entry{Evidence: api.Evidence{Source: api.SourceProcess, Name: "exit", Says: api.StateExited, Fields: fields}})
}

// Bell does nothing (screen.Listener).
func (p *Pane) Bell() {}

// OSC records titles and program states and answers the query (screen.Listener).
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

// watchFile records changes of the CLI's own session file. It polls, since the file
// appears at some time and is replaced at every change, and reads only changed files.
func (p *Pane) watchFile(ctx context.Context) {
	defer p.work.Done()
	dir := filepath.Join(p.opt.Place.Config, "sessions")
	last := ""
	read := map[string]os.FileInfo{} // as it was before it was read whole
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
			info, err := f.Info()
			if err != nil || same(info, read[f.Name()]) {
				continue
			}
			data, err := os.ReadFile(filepath.Join(dir, f.Name()))
			var s struct{ Status, WaitingFor, SessionID string }
			if err != nil || json.Unmarshal(data, &s) != nil {
				continue
			}
			if time.Since(info.ModTime()) > clockTick {
				read[f.Name()] = info
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

// clockTick is longer than a step of the clock that stamps files: within a step a file
// may be written twice with one time.
const clockTick = 20 * time.Millisecond

// same reports whether a file is as it was when it was read; before is nil for one
// that was not.
func same(now, before os.FileInfo) bool {
	return before != nil && os.SameFile(now, before) && now.Size() == before.Size() && now.ModTime().Equal(before.ModTime())
}

// Intervals of reading the screen: those of package sessions.
const (
	screenQuiet = 80 * time.Millisecond
	screenLimit = 400 * time.Millisecond
	turnQuiet   = 20 * time.Millisecond
)

// watchScreen records the result of the adapter's screen rules, until the CLI itself
// reports a state.
func (p *Pane) watchScreen(ctx context.Context) {
	defer p.work.Done()
	rules := agents.ScreenRules(nil, claude.Adapter{})
	last := ""
	for {
		text, painted := p.look()
		for limit := time.After(screenLimit); ; {
			select {
			case <-painted:
				text, painted = p.look()
				select {
				case <-limit:
				default:
					continue
				}
			case <-time.After(screenQuiet):
			case <-ctx.Done():
				return
			}
			break
		}
		for _, e := range p.Entries() {
			if e.Source == api.SourcePSP && e.Name == "psp" || e.Name == "SessionStart" {
				return
			}
		}
		if e := agents.LookAt(rules, true, endOfScreen(text), false, time.Time{}); e.Detail != last {
			last = e.Detail
			p.Add(Entry{Evidence: e})
		}
		select {
		case <-painted:
		case <-ctx.Done():
			return
		}
	}
}

// watchTurn records the adapter's turn signs on the screen, if the CLI has no program
// status.
func (p *Pane) watchTurn(ctx context.Context) {
	defer p.work.Done()
	last := agents.TurnUnknown
	for silent(p.opt) {
		text, painted := p.look()
		at := time.Now()
		select {
		case <-painted:
			continue
		case <-time.After(turnQuiet):
		case <-ctx.Done():
			return
		}
		if sign := (claude.Adapter{}).TurnSign(endOfScreen(text)); sign != last && sign != agents.TurnUnknown {
			last = sign
			p.Add(Entry{Evidence: sign.Evidence(at)})
		}
		select {
		case <-painted:
		case <-ctx.Done():
			return
		}
	}
}

// endOfScreen is the text without its empty lines, as a host reports it.
func endOfScreen(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \n"); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// Type writes bytes to the CLI as keys, recorded under that name.
func (p *Pane) Type(name, keys string) {
	p.t.Helper()
	p.Add(Entry{Evidence: api.Evidence{Source: api.SourceKeys, Name: "key", Fields: map[string]string{"keys": name}}})
	p.Write(keys)
}

// Submit sends the CLI a prompt: a bracketed paste, then, when the text is shown,
// Enter.
func (p *Pane) Submit(ctx context.Context, text string) {
	p.t.Helper()
	p.Type("paste", "\x1b[200~"+text+"\x1b[201~")
	word, _, _ := strings.Cut(text, "\n")
	p.Screen(ctx, word)
	p.Type("Enter", "\r")
}

// Screen blocks until the screen's text contains want.
func (p *Pane) Screen(ctx context.Context, want string) {
	p.t.Helper()
	if !p.Terminal.Shows(ctx, want) {
		p.t.Fatalf("the screen never showed %q:\n%s\n%s", want, p.Text(), p.Log())
	}
}

// Until blocks until an entry at or after from matches; it returns the position after
// it.
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

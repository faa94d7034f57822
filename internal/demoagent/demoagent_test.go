package demoagent

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"ccdir/hooks"
	"ccdir/internal/api"
	"ccdir/internal/hookcall"
	"ccdir/sessions/screen"
	"ccdir/sessions/screen/vt10x"
)

// TestMain makes the test's executable the shim.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "hook":
			os.Exit(hookcall.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
		case "demo-agent":
			os.Exit(Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
		}
	}
	// Under the race detector a process sleeps a second at its end otherwise.
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
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
	hooks chan fired
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
	p.cmd = exec.Command(self, append([]string{"demo-agent", "--delay", "1ms", "--session-id", "conv"}, strings.Fields(args)...)...)
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

const patience = 20 * time.Second

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

// hook takes the next hook call, which must have that name.
func (p *pane) hook(name string) map[string]any {
	p.t.Helper()
	select {
	case f := <-p.hooks:
		if f.name != name {
			p.t.Fatalf("hook %s instead of %s: %v", f.name, name, f.payload)
		}
		return f.payload
	case <-time.After(patience):
		p.t.Fatalf("no hook %s", name)
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

func TestTurn(t *testing.T) {
	p := open(t, "", withPSP)
	p.ready()
	p.typeKeys("hello there\r")
	if got := p.hook("UserPromptSubmit"); got["prompt"] != "hello there" {
		t.Errorf("prompt %v", got)
	}
	pre := p.hook("PreToolUse")
	post := p.hook("PostToolUse")
	if pre["tool_name"] != "Read" || post["tool_use_id"] != pre["tool_use_id"] {
		t.Errorf("tools %v and %v", pre, post)
	}
	if got := p.hook("Stop"); got["last_assistant_message"] != "You said: hello there" {
		t.Errorf("Stop %v", got)
	}
	p.shows("⏺ You said: hello there")
	p.until("is done", func(text string, _ bool) bool { return !strings.Contains(text, "esc to interrupt") })
	p.typeKeys("/exit\r")
	if got := p.hook("SessionEnd"); got["reason"] != "prompt_input_exit" {
		t.Errorf("SessionEnd %v", got)
	}
	p.exits(0)
	want := []string{"?", "state=idle:app=demo-agent", "state=working:app=demo-agent", "state=done:app=demo-agent", "state=clear:app=demo-agent"}
	if !slices.Equal(p.reports, want) {
		t.Errorf("reports %q", p.reports)
	}
}

func TestNoReportsUnlessAnswered(t *testing.T) {
	p := open(t, "")
	p.ready()
	p.typeKeys("say x\r")
	p.hook("UserPromptSubmit")
	p.hook("Stop")
	p.typeKeys("/exit\r")
	p.exits(0)
	if !slices.Equal(p.reports, []string{"?"}) {
		t.Errorf("reports %q", p.reports)
	}
}

func TestPermissionByKey(t *testing.T) {
	p := open(t, "", withPSP)
	p.ready()
	p.typeKeys("permit Bash touch x\r")
	p.hook("UserPromptSubmit")
	p.hook("PreToolUse")
	if got := p.hook("PermissionRequest"); got["tool_name"] != "Bash" || got["tool_use_id"] != nil {
		t.Errorf("PermissionRequest %v", got)
	}
	p.shows("Do you want to proceed?")
	p.typeKeys("1")
	p.hook("PostToolUse")
	p.hook("Stop")
	p.shows("⎿  Done")
}

func TestPermissionRefused(t *testing.T) {
	for name, keys := range map[string]string{"Esc": "\x1b", "the last choice": "3", "Down, Down, Enter": "\x1b[B\x1b[B\r"} {
		t.Run(name, func(t *testing.T) {
			p := open(t, "", withPSP)
			p.ready()
			p.typeKeys("permit Bash touch x\r")
			p.hook("UserPromptSubmit")
			p.hook("PreToolUse")
			p.hook("PermissionRequest")
			p.shows("Do you want to proceed?")
			p.typeKeys(keys)
			p.shows("rejected")
			p.shows("? for shortcuts")
			// No hook tells of it: the next one is of the next prompt.
			p.typeKeys("say x\r")
			p.hook("UserPromptSubmit")
		})
	}
}

func TestPermissionByHook(t *testing.T) {
	for behavior, want := range map[string]string{"allow": "⎿  Done", "deny": "⎿  not today"} {
		t.Run(behavior, func(t *testing.T) {
			p := open(t, "", withReply(func(_ context.Context, hook string) api.HookReply {
				if hook != "PermissionRequest" {
					return api.HookReply{}
				}
				return api.HookReply{Stdout: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"` + behavior + `","message":"not today"}}}`}
			}))
			p.ready()
			p.typeKeys("permit Bash touch x\r")
			p.shows(want)
			p.shows("? for shortcuts")
		})
	}
}

func TestPolicyInPreToolUse(t *testing.T) {
	for decision, want := range map[string]string{"allow": "⎿  Done", "deny": "⎿  denied: policy", "ask": "Do you want to proceed?"} {
		t.Run(decision, func(t *testing.T) {
			p := open(t, "", withReply(func(_ context.Context, hook string) api.HookReply {
				if hook != "PreToolUse" {
					return api.HookReply{}
				}
				return api.HookReply{Stdout: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"` + decision + `","permissionDecisionReason":"policy"}}`}
			}))
			p.ready()
			p.typeKeys("permit Bash touch x\r")
			p.shows(want)
		})
	}
}

func TestQuestion(t *testing.T) {
	p := open(t, "", withPSP)
	p.ready()
	p.typeKeys("ask Which? | red | green\r")
	p.hook("UserPromptSubmit")
	p.hook("PreToolUse")
	if got := p.hook("PermissionRequest"); got["tool_name"] != "AskUserQuestion" {
		t.Errorf("PermissionRequest %v", got)
	}
	p.shows("❯ 1. red")
	p.typeKeys("2")
	post := p.hook("PostToolUse")
	if input, _ := post["tool_input"].(map[string]any); input["answers"].(map[string]any)["Which?"] != "green" {
		t.Errorf("PostToolUse %v", post)
	}
	p.hook("Stop")
	p.shows("⎿  green")
}

func TestInterruptIsSilent(t *testing.T) {
	for name, key := range map[string]string{"Esc": "\x1b", "Ctrl-C": "\x03"} {
		t.Run(name, func(t *testing.T) {
			p := open(t, "", withPSP)
			p.ready()
			p.typeKeys("spin\r")
			p.hook("UserPromptSubmit")
			p.shows("esc to interrupt")
			p.typeKeys(key)
			p.shows("Interrupted")
			p.typeKeys("say x\r")
			p.hook("UserPromptSubmit")
			p.hook("Stop")
		})
	}
}

func TestQueuedPrompt(t *testing.T) {
	p := open(t, "")
	p.ready()
	p.typeKeys("spin 300ms\r")
	p.hook("UserPromptSubmit")
	p.shows("esc to interrupt")
	p.typeKeys("say second\r")
	if got := p.hook("UserPromptSubmit"); got["prompt"] != "say second" {
		t.Errorf("queued %v", got)
	}
	p.shows("queued: say second")
	p.hook("Stop")
	p.hook("Stop") // the second turn began without a hook
	p.shows("⏺ second")
}

func TestPaste(t *testing.T) {
	p := open(t, "")
	p.ready()
	const text = "one 日本\n\ttwo\nthree 👍"
	p.typeKeys("\x1b[200~" + strings.ReplaceAll(text, "\n", "\r") + "\x1b[201~")
	p.shows("three")
	p.typeKeys("\r")
	if got := p.hook("UserPromptSubmit"); got["prompt"] != strings.ReplaceAll(text, "\t", "    ") {
		t.Errorf("prompt %q", got["prompt"])
	}
}

func TestBackgroundTask(t *testing.T) {
	p := open(t, "", withPSP)
	p.ready()
	p.typeKeys("\x1b[200~background 10ms\nsay finished\x1b[201~\r")
	p.hook("UserPromptSubmit")
	if got := p.hook("Stop"); len(got["background_tasks"].([]any)) != 1 {
		t.Errorf("Stop %v", got)
	}
	if got := p.hook("UserPromptSubmit"); !strings.HasPrefix(got["prompt"].(string), "<task-notification>") {
		t.Errorf("prompt %v", got)
	}
	p.hook("Stop")
	p.shows("⏺ finished")
}

func TestFailedTurn(t *testing.T) {
	p := open(t, "")
	p.ready()
	p.typeKeys("fail overloaded\r")
	p.hook("UserPromptSubmit")
	p.hook("StopFailure")
	p.shows("API Error: overloaded")
	p.shows("? for shortcuts")
}

func TestFlood(t *testing.T) {
	p := open(t, "")
	p.ready()
	p.typeKeys("flood 500\r")
	p.hook("UserPromptSubmit")
	p.hook("Stop")
	p.shows("00000500 abcdefghij")
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := p.engine.HistoryLen(); n < 480 {
		t.Errorf("%d lines in the history", n)
	}
}

func TestEnds(t *testing.T) {
	tests := []struct {
		name, args string
		end        func(p *pane)
		code       int
		hook       bool
	}{
		{"crash", "", func(p *pane) { p.typeKeys("crash 7\r") }, 7, false},
		{"twice Ctrl-C", "", func(p *pane) { p.typeKeys("\x03"); p.shows("again to exit"); p.typeKeys("\x03") }, 0, true},
		{"Ctrl-D", "", func(p *pane) { p.typeKeys("\x04\x04") }, 0, true},
		{"exit", "", func(p *pane) { p.typeKeys("exit\r") }, 0, true},
		{"HUP", "", func(p *pane) { _ = p.cmd.Process.Signal(syscall.SIGHUP) }, 129, true},
		{"TERM", "", func(p *pane) { _ = p.cmd.Process.Signal(syscall.SIGTERM) }, 143, true},
		{"HUP in a dialog", "", func(p *pane) {
			p.typeKeys("permit Bash x\r")
			p.shows("Do you want")
			_ = p.cmd.Process.Signal(syscall.SIGHUP)
		}, 129, true},
		{"three Ctrl-C in a dialog", "", func(p *pane) {
			p.typeKeys("permit Bash x\r")
			p.shows("Do you want")
			p.typeKeys("\x1b")
			p.shows("rejected")
			p.typeKeys("\x03\x03")
		}, 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := open(t, tt.args)
			p.ready()
			tt.end(p)
			p.exits(tt.code)
			ended := false
			for len(p.hooks) > 0 {
				ended = (<-p.hooks).name == "SessionEnd"
			}
			if ended != tt.hook {
				t.Errorf("SessionEnd was called: %v", ended)
			}
		})
	}
}

func TestIgnoreHUP(t *testing.T) {
	p := open(t, "--ignore-hup")
	p.ready()
	_ = p.cmd.Process.Signal(syscall.SIGHUP)
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	p.typeKeys("say still here\r") // handled after the signals
	p.shows("⏺ still here")
}

func TestAlternateScreenAndResize(t *testing.T) {
	p := open(t, "--alt")
	p.ready()
	p.until("alternate screen", func(_ string, alt bool) bool { return alt })
	p.typeKeys("say hello\r")
	p.shows("⏺ hello")
	p.mu.Lock()
	p.engine.Resize(40, 10)
	p.mu.Unlock()
	if err := pty.Setsize(p.tty, &pty.Winsize{Cols: 40, Rows: 10}); err != nil {
		t.Fatal(err)
	}
	p.until("a box of 40 columns", func(text string, _ bool) bool {
		return strings.Contains(text, "╭"+strings.Repeat("─", 38)+"╮")
	})
	p.typeKeys("/exit\r")
	p.exits(0)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.engine.State().Alt {
		t.Error("the alternate screen was not left")
	}
}

func TestScenes(t *testing.T) {
	for _, name := range sceneNames() {
		o := options{scene: name}
		prompts, err := o.firstSteps()
		if err != nil || len(prompts) == 0 {
			t.Fatalf("%s: %v", name, err)
		}
		for _, line := range strings.Split(prompts[0], "\n") {
			if _, ok := parseStep(line); !ok {
				t.Errorf("%s: %q is no step", name, line)
			}
		}
	}
	if _, err := (&options{scene: "nonesuch"}).firstSteps(); err == nil {
		t.Error("an unknown scene was found")
	}
}

func TestScriptFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(path, []byte("say one\n\nsay two\nexit\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := open(t, "--script "+path)
	for _, hook := range []string{"SessionStart", "UserPromptSubmit", "Stop", "UserPromptSubmit", "SessionEnd"} {
		p.hook(hook)
	}
	p.exits(0)
}

func TestUsage(t *testing.T) {
	for args, want := range map[string]int{"--nonesuch": 2, "-h": 0, "--scene nonesuch": 2, "--script /nonexistent": 2, "--delay x": 2} {
		if code := Main(strings.Fields(args), strings.NewReader(""), io.Discard, io.Discard, nil); code != want {
			t.Errorf("%s exits %d, want %d", args, code, want)
		}
	}
}

func TestParseStepRefuses(t *testing.T) {
	for _, line := range []string{"", "say", "think", "think soon", "tool Bash", "ask A?", "ask A? | x", "flood", "flood x", "crash x", "exit now", "hello", "spin x"} {
		if s, ok := parseStep(line); ok {
			t.Errorf("%q is %+v", line, s)
		}
	}
}

func TestDecoderInPieces(t *testing.T) {
	const bytes = "aé\x1b[A\x1b[200~x\ry\x1b[201~\x1b]7501;?\a\x1bOB\x1b]11;rgb:0/0/0\x1b\\\x1bP>|x\x1b\\\r\x03"
	want := []input{{text: "a"}, {text: "é"}, {key: "up"}, {text: "x\ny", paste: true}, {osc: "7501;?"}, {key: "down"}, {osc: "11;rgb:0/0/0"}, {key: "enter"}, {key: "ctrl-c"}}
	var whole decoder
	if got := whole.feed([]byte(bytes)); !slices.Equal(got, want) {
		t.Errorf("at once %+v", got)
	}
	// A lone escape is the key, so pieces may not end on one.
	for cut := 1; cut < len(bytes); cut++ {
		if bytes[cut-1] == 0x1b {
			continue
		}
		var d decoder
		got := append(d.feed([]byte(bytes[:cut])), d.feed([]byte(bytes[cut:]))...)
		if !slices.Equal(got, want) {
			t.Errorf("cut at %d: %+v", cut, got)
		}
	}
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte("a\x1b[200~x\x1b[201~\x1b]7501;?\a"), 3)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		var d decoder
		cut = min(max(cut, 0), len(data))
		d.feed(data[:cut])
		d.feed(data[cut:])
		if len(d.pending) > maxPending+len(data) {
			t.Error("too much is held")
		}
	})
}

package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clipperhouse/displaywidth"
	"github.com/creack/pty"

	"ccdir/api"
	"ccdir/internal/disk/paths"
)

// home is a CCDIR_HOME for a test without a script.
type home struct {
	t     *testing.T
	paths paths.Paths
	env   []string
}

func newHome(t *testing.T) *home {
	t.Helper()
	dir := t.TempDir()
	p, err := paths.New(func(key string) string {
		if key == "CCDIR_HOME" {
			return dir
		}
		return ""
	}, os.Getuid())
	if err != nil {
		t.Fatal(err)
	}
	h := &home{t: t, paths: p, env: []string{"CCDIR_HOME=" + dir, "HOME=" + dir, "PATH=" + bin + ":" + os.Getenv("PATH"),
		"SHELL=/bin/sh", "LANG=C.UTF-8", "TERM=xterm-256color", "TMPDIR=" + t.TempDir()}}
	t.Cleanup(func() { leaveNothing(t, p) })
	return h
}

// run runs ccdir and returns its standard output.
func (h *home) run(args ...string) string {
	h.t.Helper()
	cmd := exec.Command(exe(), args...)
	cmd.Env, cmd.Dir = h.env, h.paths.Home
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		h.t.Fatalf("ccdir %q: %v\n%s%s", args, err, out, stderr.String())
	}
	return string(out)
}

// screen is a program in a terminal of its own.
type screen struct {
	t    *testing.T
	cmd  *exec.Cmd
	pty  *os.File
	done chan struct{} // closed when its output was read to the end
	mu   sync.Mutex
	out  bytes.Buffer // guarded by mu
}

// start runs ccdir in a terminal.
func (h *home) start(env []string, args ...string) *screen {
	h.t.Helper()
	s := &screen{t: h.t, cmd: exec.Command(exe(), args...), done: make(chan struct{})}
	s.cmd.Env, s.cmd.Dir = append(append([]string{}, h.env...), env...), h.paths.Home
	f, err := pty.StartWithSize(s.cmd, &pty.Winsize{Cols: 120, Rows: 36})
	if err != nil {
		h.t.Fatal(err)
	}
	s.pty = f
	go func() {
		defer close(s.done)
		buf := make([]byte, 4096)
		for {
			n, err := f.Read(buf)
			s.mu.Lock()
			s.out.Write(buf[:n])
			s.mu.Unlock()
			if err != nil {
				return // EIO: the other side is closed
			}
		}
	}()
	h.t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // it has usually ended
		<-s.done
		f.Close()
	})
	return s
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

// see waits until the terminal got every text.
func (s *screen) see(texts ...string) {
	s.t.Helper()
	deadline := time.Now().Add(untilTimeout)
	for _, text := range texts {
		for !strings.Contains(s.text(), text) {
			if time.Now().After(deadline) {
				s.t.Fatalf("%q not seen in %q", text, s.text())
			}
			time.Sleep(10 * time.Millisecond) // another process: it sends no event
		}
	}
}

func (s *screen) keys(keys string) {
	s.t.Helper()
	if _, err := s.pty.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// exit waits for the end and returns the exit code.
func (s *screen) exit() int {
	s.t.Helper()
	select {
	case <-s.done:
	case <-time.After(untilTimeout):
		s.t.Fatalf("it does not end; its output: %q", s.text())
	}
	_ = s.cmd.Wait() // the code is what counts
	return s.cmd.ProcessState.ExitCode()
}

const detach = "\x02d" // Ctrl-B d

// TestGrid: bare ccdir and attach show the sessions, keys reach them, and
// leaving ends none.
func TestGrid(t *testing.T) {
	h := newHome(t)
	h.run("new", "-n", "reader", "--", "sh", "-c", `stty -echo; echo ready; while read -r l; do echo "got-$l-end"; done`)
	h.run("new", "-n", "second", "--", "sleep", "1000")

	grid := h.start(nil)
	grid.see("reader", "second", "ready", "\x1b[?1049h")
	h.run("focus", "reader")
	grid.keys("typed\r")
	grid.see("got-typed-end")
	grid.keys(detach)
	if code := grid.exit(); code != 0 {
		t.Errorf("exit code %d after detach: %q", code, grid.text())
	}
	if !strings.HasSuffix(grid.text(), "detached: 2 sessions go on; `ccdir` opens the grid again\r\n") {
		t.Errorf("what is said at the end: %q", grid.text()[max(0, len(grid.text())-200):])
	}
	if !strings.Contains(grid.text(), "\x1b[?1049l") {
		t.Errorf("the terminal was not restored: %q", grid.text())
	}

	zoomed := h.start(nil, "attach", "reader", "--read-only")
	zoomed.see("got-typed-end")
	zoomed.keys("ignored\r")
	zoomed.keys(detach)
	if code := zoomed.exit(); code != 0 {
		t.Errorf("exit code %d after detach: %q", code, zoomed.text())
	}
	if out := h.run("output", "reader", "--scrollback"); strings.Contains(out, "ignored") {
		t.Errorf("a read-only grid typed:\n%s", out)
	}
	if out := h.run("ls", "--json"); strings.Count(out, `"state": "idle"`) != 2 {
		t.Errorf("sessions ended with the grid:\n%s", out)
	}

	nobody := h.start(nil, "attach", "nobody")
	if code := nobody.exit(); code != 1 || !strings.Contains(nobody.text(), `ccdir: no session "nobody"`) {
		t.Errorf("attach nobody: exit code %d, %q", code, nobody.text())
	}
	inside := h.start([]string{api.EnvSocket + "=" + h.paths.Socket()}, "attach")
	if code := inside.exit(); code != 1 || !strings.Contains(inside.text(), "session of the grid itself") {
		t.Errorf("a grid in a pane of itself: exit code %d, %q", code, inside.text())
	}
	dumb := h.start([]string{"TERM=dumb"}, "attach")
	if code := dumb.exit(); code != 1 || !strings.Contains(dumb.text(), "TERM=dumb") {
		t.Errorf("TERM=dumb: exit code %d, %q", code, dumb.text())
	}
}

// TestConfigWidth: a table of settings is not wider than the terminal.
func TestConfigWidth(t *testing.T) {
	h := newHome(t)
	get := h.start(nil, "config", "get")
	if code := get.exit(); code != 0 || !strings.Contains(get.text(), "max_sessions") {
		t.Fatalf("exit code %d: %q", code, get.text())
	}
	for line := range strings.Lines(get.text()) {
		if w := displaywidth.String(strings.TrimRight(line, "\r\n")); w > 120 {
			t.Errorf("%d columns: %s", w, line)
		}
	}
}

// TestGridSurvivesTheDaemon: a grid whose daemon is killed starts another one
// and goes on.
func TestGridSurvivesTheDaemon(t *testing.T) {
	h := newHome(t)
	h.run("new", "-n", "first", "--", "sleep", "1000")
	grid := h.start(nil)
	grid.see("first")
	c := newClient(h.paths)
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), untilTimeout)
	defer cancel()
	old, err := c.Health(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := killProcess(old.PID); err != nil {
		t.Fatal(err)
	}
	for {
		if now, err := c.Health(ctx); err == nil && now.PID != old.PID {
			break
		} else if ctx.Err() != nil {
			t.Fatalf("the grid starts no daemon: %v; %q", err, grid.text())
		}
		time.Sleep(10 * time.Millisecond) // another process: it sends no event
	}
	h.run("new", "-n", "afterwards", "--", "sleep", "1000")
	grid.see("afterwards")
	grid.keys(detach)
	if code := grid.exit(); code != 0 {
		t.Errorf("exit code %d: %q", code, grid.text())
	}
}

// TestDemo: a tour and four scripted agents, of which two ask, one fails and one finishes,
// in a home of their own, gone afterwards.
func TestDemo(t *testing.T) {
	h := newHome(t)
	demo := h.start(nil, "demo")
	demo.see("tour", "parser", "makefile", "timeouts", "docs", "✋")
	demo.see("1 of 5", "press C-b a", "5 of 5", "ccdir new")
	tmp := ""
	for _, kv := range h.env {
		if v, ok := strings.CutPrefix(kv, "TMPDIR="); ok {
			tmp = v
		}
	}
	dirs, _ := filepath.Glob(filepath.Join(tmp, "ccdir-demo-*"))
	if len(dirs) != 1 {
		t.Fatalf("the demo's homes: %q", dirs)
	}
	standings(t, dirs[0], map[string]api.Standing{"makefile": api.StandingAsks, "timeouts": api.StandingAsks, "parser": api.StandingFailed, "docs": api.StandingDone})
	demo.keys(detach)
	if code := demo.exit(); code != 0 {
		t.Errorf("exit code %d: %q", code, demo.text())
	}
	if left, _ := filepath.Glob(filepath.Join(tmp, "*")); len(left) != 0 {
		t.Errorf("the demo left %q", left)
	}
	if left := processesOf(filepath.Join(tmp, "ccdir-demo-")); len(left) != 0 {
		t.Errorf("the demo left %q", left)
	}
	if _, err := os.Stat(h.paths.State); err == nil {
		t.Error("the demo used the person's own home")
	}
}

// standings waits until the sessions of another home have their standings.
func standings(t *testing.T, dir string, want map[string]api.Standing) {
	t.Helper()
	p, err := paths.New(func(key string) string { return map[string]string{"CCDIR_HOME": dir}[key] }, os.Getuid())
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(p)
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), untilTimeout)
	defer cancel()
	for {
		list, err := c.Sessions(ctx)
		left := len(want)
		for _, s := range list {
			if w, asked := want[s.Name]; asked && s.Standing(time.Now()) == w {
				left--
			}
		}
		if left == 0 {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("%+v, %v", list, err)
		}
		time.Sleep(10 * time.Millisecond) // another process: it sends no event
	}
}

// TestColours: only on a terminal, and not when NO_COLOR is set.
func TestColours(t *testing.T) {
	h := newHome(t)
	h.run("new", "-n", "one", "--", "sh", "-c", "exit 3")
	h.run("wait", "one", "--state", "exited")
	if out := h.run("ls"); strings.Contains(out, "\x1b[") {
		t.Errorf("colours in a pipe: %q", out)
	}
	for _, tc := range []struct {
		env  string
		want bool
	}{{"X=1", true}, {"NO_COLOR=1", false}, {"NO_COLOR=", true}, {"TERM=dumb", false}} {
		s := h.start([]string{tc.env}, "ls")
		if code := s.exit(); code != 0 {
			t.Errorf("%s: exit code %d", tc.env, code)
		}
		if got := regexp.MustCompile(`\x1b\[31m\S+ exit 3[^\x1b]*\x1b\[0m`).MatchString(s.text()); got != tc.want {
			t.Errorf("%s: colours %t, want %t: %q", tc.env, got, tc.want, s.text())
		}
	}
}

func killProcess(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}

// TestAtOnce: many verbs that find no daemon end up with one.
func TestAtOnce(t *testing.T) {
	h := newHome(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			cmd := exec.Command(exe(), "new", "-n", fmt.Sprintf("s%d", i), "--", "sleep", "1000")
			cmd.Env, cmd.Dir = h.env, h.paths.Home
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	c := newClient(h.paths)
	defer c.Close()
	list, err := c.Sessions(t.Context())
	if err != nil || len(list) != 8 {
		t.Errorf("%d sessions, %v", len(list), err)
	}
	events := h.run("events", "--json", "--type", api.EventDaemonStarted)
	if n := strings.Count(events, "\n"); n != 1 {
		t.Errorf("%d daemons were started:\n%s", n, events)
	}
}

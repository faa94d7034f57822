package tmux

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/test/programs"
)

// bin is the directory of the binaries under test.
var bin string

func TestMain(m *testing.M) {
	os.Exit(programs.Main(func(dir string) { bin = dir }, m.Run))
}

// patience bounds every wait for the outside: generous, because machines that
// run tests are slow at times.
const patience = time.Minute

var rigs atomic.Int64

// rig is a throw-away CCDIR_HOME and a tmux server of its own.
type rig struct {
	t      *testing.T
	home   string
	socket string
	env    []string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	programs.Need(t, "tmux")
	home, err := os.MkdirTemp("", "ccdir-home-")
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, home: home, socket: fmt.Sprintf("ccdir-test-%d-%d", os.Getpid(), rigs.Add(1))}
	for _, kv := range os.Environ() {
		k, _, _ := strings.Cut(kv, "=")
		switch {
		case strings.HasPrefix(k, "TMUX"), strings.HasPrefix(k, "CCDIR"), strings.HasPrefix(k, "CLAUDE"), k == "TERM", k == "COLORTERM", k == "NO_COLOR", k == "ENV", k == "SHELL", k == "PS1":
		default:
			r.env = append(r.env, kv)
		}
	}
	r.env = append(r.env, "CCDIR_HOME="+home, "TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "SHELL=/bin/sh", "PS1=$ ",
		"PATH="+bin+":"+os.Getenv("PATH"))
	r.configure(false, "")
	r.arrange(`{"list":{"hidden":true}}`) // tests of the list show it
	t.Cleanup(func() {
		_, _ = r.try("ccdir", "daemon", "stop", "--kill-sessions")
		_, _ = r.try("tmux", "-L", r.socket, "kill-server")
		_ = os.RemoveAll(home)
	})
	return r
}

// arrange writes how the grid is arranged, as the daemon keeps it.
func (r *rig) arrange(grid string) {
	r.t.Helper()
	dir := filepath.Join(r.home, "state")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "grid.json"), []byte(grid), 0o600)); err != nil {
		r.t.Fatal(err)
	}
}

// configure writes config.toml. Tests that are not about the fast path run without it.
func (r *rig) configure(fast bool, rest string) {
	r.t.Helper()
	dir := filepath.Join(r.home, "config")
	text := fmt.Sprintf("fast_path = %v\n%s", fast, rest)
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600)); err != nil {
		r.t.Fatal(err)
	}
}

// try runs a program in the rig's environment.
func (r *rig) try(name string, args ...string) (string, error) {
	path := name
	if name == "ccdir" {
		path = filepath.Join(bin, name)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = r.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, errs.String())
	}
	return out.String(), nil
}

func (r *rig) run(name string, args ...string) string {
	r.t.Helper()
	out, err := r.try(name, args...)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

// session starts a command as a session and returns its id.
func (r *rig) session(name string, argv ...string) string {
	r.t.Helper()
	return strings.TrimSpace(r.run("ccdir", append([]string{"new", "-n", name, "--"}, argv...)...))
}

// inState counts the sessions in a state.
func (r *rig) inState(state api.State) (n int) {
	r.t.Helper()
	var list []api.Session
	if err := json.Unmarshal([]byte(r.run("ccdir", "ls", "--json")), &list); err != nil {
		r.t.Fatal(err)
	}
	for _, v := range list {
		if v.State == state {
			n++
		}
	}
	return n
}

// term is one outer terminal.
type term struct {
	*rig
	name string
}

// open runs a command in a new terminal of that size.
func (r *rig) open(name string, cols, rows int, command string) *term {
	r.t.Helper()
	conf := filepath.Join(r.home, "tmux.conf")
	if err := os.WriteFile(conf, []byte("set -g status off\nset -g remain-on-exit on\nset -g exit-empty off\n"), 0o600); err != nil {
		r.t.Fatal(err)
	}
	r.run("tmux", "-L", r.socket, "-f", conf, "-u", "new-session", "-d", "-s", name,
		"-x", fmt.Sprint(cols), "-y", fmt.Sprint(rows), command)
	return &term{r, name}
}

// grid opens the grid.
func (r *rig) grid(cols, rows int, args ...string) *term {
	r.t.Helper()
	return r.open("grid", cols, rows, strings.Join(append([]string{"exec ccdir"}, args...), " ")+" 2>"+filepath.Join(r.home, "stderr"))
}

// detach leaves the grid and waits for its end: until then it may keep what was arranged.
func (t *term) detach() {
	t.t.Helper()
	t.keys("C-b", "d")
	t.eventually("its end", t.dead)
}

// dead reports whether the terminal's command has ended.
func (t *term) dead() bool {
	t.t.Helper()
	return strings.TrimSpace(t.tmux("display-message", "-p", "-t", t.name, "#{pane_dead}")) == "1"
}

func (t *term) tmux(args ...string) string {
	t.t.Helper()
	return t.run("tmux", append([]string{"-L", t.socket}, args...)...)
}

// keys presses keys by tmux's names.
func (t *term) keys(names ...string) {
	t.t.Helper()
	t.tmux(append([]string{"send-keys", "-t", t.name}, names...)...)
}

// text types text as it is.
func (t *term) text(s string) {
	t.t.Helper()
	t.tmux("send-keys", "-t", t.name, "-l", s)
}

// screen is what the terminal shows; styled with its SGR sequences.
func (t *term) screen() string { t.t.Helper(); return t.tmux("capture-pane", "-p", "-t", t.name) }
func (t *term) styled() string { t.t.Helper(); return t.tmux("capture-pane", "-e", "-p", "-t", t.name) }

// until waits for the screen to be as wanted.
func (t *term) until(what string, ok func(screen string) bool) string {
	t.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		s := t.screen()
		if ok(s) {
			return s
		}
		if time.Now().After(deadline) {
			errs, _ := os.ReadFile(filepath.Join(t.home, "stderr"))
			t.t.Fatalf("never on the screen: %s\n%s%s", what, s, errs)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// shows waits until all of the texts are on the screen.
func (t *term) shows(parts ...string) string {
	t.t.Helper()
	return t.until(fmt.Sprintf("%q", parts), func(s string) bool {
		for _, p := range parts {
			if !strings.Contains(s, p) {
				return false
			}
		}
		return true
	})
}

// lacks waits until a text is gone.
func (t *term) lacks(part string) string {
	t.t.Helper()
	return t.until("no "+part, func(s string) bool { return !strings.Contains(s, part) })
}

// click presses and releases the left button, one-based cells.
func (t *term) click(x, y int) {
	t.t.Helper()
	t.text(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%d;%dm", x, y, x, y))
}

// doubleClick clicks twice in one write: two runs of tmux may take longer than a double
// click.
func (t *term) doubleClick(x, y int) {
	t.t.Helper()
	t.text(strings.Repeat(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%d;%dm", x, y, x, y), 2))
}

// find is where a text stands on the screen, one-based; cells of narrow text.
func (t *term) find(text string) (x, y int) {
	t.t.Helper()
	s := t.shows(text)
	for i, l := range strings.Split(s, "\n") {
		if before, _, ok := strings.Cut(l, text); ok {
			return len([]rune(before)) + 1, i + 1
		}
	}
	t.t.Fatalf("%q has gone", text)
	return 0, 0
}

// eventually polls a condition of the outside world.
func (r *rig) eventually(what string, ok func() bool) {
	r.t.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			r.t.Fatalf("never happened: %s%s", what, r.screens())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// screens is what every terminal shows.
func (r *rig) screens() string {
	var b strings.Builder
	names, _ := r.try("tmux", "-L", r.socket, "list-sessions", "-F", "#S")
	for name := range strings.FieldsSeq(names) {
		screen, _ := r.try("tmux", "-L", r.socket, "capture-pane", "-p", "-t", name)
		fmt.Fprintf(&b, "\n%s:\n%s", name, screen)
	}
	return b.String()
}

// focusedTitle matches the title of the pane with heavy lines.
func focusedTitle(name string) func(string) bool {
	re := regexp.MustCompile(`━ (\d+ )?` + regexp.QuoteMeta(name) + ` `)
	return func(s string) bool { return re.MatchString(s) }
}

package paint

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/cells"
	"ccdir/sessions/screen"
	"ccdir/sessions/screen/vt"
	"ccdir/test/programs"
)

// realTmux is a tmux whose panes show what is written to files, as it is.
type realTmux struct {
	t      *testing.T
	socket string
}

func newTmux(t *testing.T) *realTmux {
	t.Helper()
	programs.Need(t, "tmux")
	r := &realTmux{t: t, socket: fmt.Sprintf("ccdir-paint-%d", os.Getpid())}
	t.Cleanup(func() { _ = r.command("kill-server").Run() })
	return r
}

func (r *realTmux) command(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-L", r.socket, "-f", "/dev/null", "-u"}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TMUX=", "TERM=xterm-256color")
	return cmd
}

func (r *realTmux) run(args ...string) string {
	r.t.Helper()
	out, err := r.command(args...).CombinedOutput()
	if err != nil {
		r.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

// open opens a pane, and the file that it shows.
func (r *realTmux) open(name string, cols, rows int) *os.File {
	r.t.Helper()
	fifo := filepath.Join(r.t.TempDir(), name)
	if out, err := exec.Command("mkfifo", fifo).CombinedOutput(); err != nil {
		r.t.Fatalf("%v: %s", err, out)
	}
	script := filepath.Join(filepath.Dir(fifo), "show.sh")
	if err := os.WriteFile(script, []byte("stty raw -echo; exec cat "+fifo), 0o600); err != nil {
		r.t.Fatal(err)
	}
	r.run("new-session", "-d", "-s", name, "-x", fmt.Sprint(cols), "-y", fmt.Sprint(rows), "sh "+script, ";", "set", "-g", "status", "off")
	f, err := os.OpenFile(fifo, os.O_WRONLY, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = f.Close() })
	return f
}

// shows is what a pane shows, cell by cell, and where its cursor is.
func (r *realTmux) shows(name string, cols, rows int) ([]string, string) {
	r.t.Helper()
	text := strings.TrimSuffix(r.run("capture-pane", "-e", "-p", "-N", "-t", name), "\n")
	e := vt.New(screen.Options{Cols: cols, Rows: rows})
	e.Feed([]byte("\x1b[?7l" + strings.ReplaceAll(text, "\n", "\r\n")))
	return show(e), strings.TrimSpace(r.run("display-message", "-p", "-t", name, "#{cursor_x},#{cursor_y},#{cursor_flag}"))
}

// TestTmuxShowsTheSurface: a real tmux shows after our frames what it shows when each
// cell is written by itself.
func TestTmuxShowsTheSurface(t *testing.T) {
	const cols, rows = 40, 12
	r := newTmux(t)
	painted, plain := r.open("painted", cols, rows), r.open("plain", cols, rows)
	env := map[string]string{"TERM": "tmux-256color", "TMUX": "/tmp/s,1,0"}
	for seed := range uint64(8) {
		rnd := &source{rnd: rand.New(rand.NewPCG(seed, 7))}
		caps := CapsOf(colorprofile.TrueColor, func(k string) string { return env[k] })
		caps.Links, caps.Sync = false, seed%2 == 0 // links are not captured by every tmux
		s, w := NewSurface(cols, rows, caps), NewWriter(caps)
		p := &picture{s: s, m: newModel(cols, rows, caps), tab: cells.NewTable()}
		for frame := range 20 {
			if rnd.n(3) == 0 {
				p.fillRows(rnd)
			}
			for range 1 + rnd.n(4) {
				p.change(rnd)
			}
			cur := Cursor{X: rnd.n(cols), Y: rnd.n(rows), Visible: true}
			out := string(w.Frame(s, cur))
			_, _ = painted.WriteString(out)
			_, _ = plain.WriteString(cellByCell(s) + string(appendCUP(nil, cur.X, cur.Y)))
			if problem := r.alike(cols, rows, fmt.Sprintf("%d,%d,1", cur.X, cur.Y)); problem != "" {
				t.Fatalf("seed %d, frame %d: %s, by %q", seed, frame, problem, out)
			}
		}
	}
}

// alike waits until both panes show the same, the first one with its cursor at a place,
// and tells what differs to the end.
func (r *realTmux) alike(cols, rows int, cursor string) (problem string) {
	r.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		painted, at := r.shows("painted", cols, rows)
		plain, _ := r.shows("plain", cols, rows)
		if problem = diff(plain, painted, cols); problem == "" && at != cursor {
			problem = "the cursor is at " + at + ", not " + cursor
		}
		if problem == "" {
			return ""
		}
	}
	return problem
}

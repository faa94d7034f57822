package nodes

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ccdir/test/programs"
)

// screen is the grid of the laptop inside a tmux.
type screen struct {
	*rig
	server string
}

// grid opens the grid.
func (r *rig) grid() *screen {
	r.Helper()
	programs.Need(r, "tmux")
	r.grids++
	s := &screen{rig: r, server: "ccdir-" + filepath.Base(r.dir) + "-" + itoa(r.grids)}
	cmd := r.command()
	args := []string{"-L", s.server, "-f", "/dev/null", "new-session", "-d", "-x", "140", "-y", "40", "env", "-u", "TMUX", filepath.Join(bin, "ccdir")}
	tmux := exec.Command("tmux", args...)
	tmux.Env, tmux.Dir = cmd.Env, r.dir
	if out, err := tmux.CombinedOutput(); err != nil {
		r.Fatalf("tmux: %v\n%s", err, out)
	}
	r.Cleanup(func() { _ = exec.Command("tmux", "-L", s.server, "kill-server").Run() })
	return s
}

func (s *screen) text() string {
	out, _ := exec.Command("tmux", "-L", s.server, "capture-pane", "-p").CombinedOutput()
	return string(out)
}

func (s *screen) keys(keys ...string) {
	s.Helper()
	if out, err := exec.Command("tmux", append([]string{"-L", s.server, "send-keys"}, keys...)...).CombinedOutput(); err != nil {
		s.Fatalf("send-keys: %v\n%s", err, out)
	}
}

// shows waits until the screen has all texts.
func (s *screen) shows(texts ...string) {
	s.Helper()
	last := ""
	defer func() {
		if s.Failed() {
			s.Logf("the screen:\n%s", last)
		}
	}()
	for _, text := range texts {
		s.until("\""+text+"\" on the screen", func() bool { last = s.text(); return strings.Contains(last, text) })
	}
}

// TestGrid: panes of both machines in one grid; one that is away stays, says so and takes no keys;
// it comes back by itself, with another ssh.
func TestGrid(t *testing.T) {
	r := newRig(t)
	r.addHere()
	r.ok("new", "-n", "mine", "--", "sh", "-c", "echo here; cat")
	r.ok("new", "-n", "far", "box/", "--", "sh", "-c", "echo over there; cat")
	s := r.grid()
	s.shows("mine", "box/far", "over there", "here")
	r.ok("focus", "box/far")
	s.shows("━ 2 box/far")
	s.keys("h", "e", "l", "l", "o", "Enter")
	s.until("the echo", func() bool { return strings.Count(r.ok("output", "box/far"), "hello") == 2 })
	s.shows("hello")
	was, _ := r.status()
	_ = syscall.Kill(was.SSH, syscall.SIGSTOP)
	s.shows("as of ")
	s.keys("l", "o", "s", "t")
	s.shows("box has not answered")
	kill(was.SSH)
	s.until("another ssh", func() bool {
		now, ok := r.status()
		return ok && now.SSH != 0 && now.SSH != was.SSH && !strings.Contains(s.text(), "as of ")
	})
	s.keys("a", "g", "a", "i", "n", "Enter")
	s.until("the echo", func() bool { return strings.Count(r.ok("output", "box/far"), "again") == 2 })
	if out := r.ok("output", "box/far"); strings.Contains(out, "lost") {
		t.Errorf("keys that were refused were typed:\n%s", out)
	}
}

// TestGridPlaces: a grid that is opened while a node is away keeps its places.
func TestGridPlaces(t *testing.T) {
	r := newRig(t)
	r.addHere()
	r.ok("new", "-n", "one", "--", "cat")
	id := strings.TrimPrefix(r.ok("new", "-n", "far", "box/", "--", "cat"), "box/")
	s := r.grid()
	s.shows("1 one", "2 box/far")
	s.keys("C-b", "1")
	s.keys("C-b", "}") // one is behind far now
	s.until("the order", func() bool {
		data, _ := os.ReadFile(r.near.GridFile())
		return strings.Contains(string(data), `"box/`+id+`"`)
	})
	s.keys("C-b", "d")
	r.ok("node", "down", "box")
	before, _ := os.ReadFile(r.near.GridFile())
	s = r.grid()
	s.shows("one", "box is offline")
	s.keys("C-b", "z") // something to keep
	s.until("another arrangement", func() bool {
		data, err := os.ReadFile(r.near.GridFile())
		return err == nil && string(data) != string(before)
	})
	if data, _ := os.ReadFile(r.near.GridFile()); !strings.Contains(string(data), `"box/`+id+`"`) {
		t.Errorf("the place of the node's session is lost: %s", data)
	}
}

// TestNewThere: the dialog for a new session has the node as its first field.
func TestNewThere(t *testing.T) {
	r := newRig(t)
	r.addHere()
	s := r.grid()
	s.shows("n new")
	r.until("the node", func() bool { s, ok := r.status(); return ok && s.State == "online" })
	s.keys("n")
	s.shows("Node", "‹here›")
	s.keys("Right")
	s.shows("‹box›", "demo")
	s.keys("Tab")
	s.keys("d")
	s.shows("‹demo›")
	s.keys("Enter")
	s.shows("box/demo")
	var list []struct{ Node, Name, CWD string }
	r.decode(r.ok("ls", "--all", "--json"), &list)
	if len(list) != 1 || list[0].Node != "box" || list[0].CWD != os.Getenv("HOME") {
		t.Errorf("%+v", list)
	}
}

// TestStoppedLink: nothing here waits for a link that stands still: keys reach a session of this
// machine, and the screen goes on.
func TestStoppedLink(t *testing.T) {
	r := newRig(t)
	r.addHere()
	r.ok("new", "-n", "mine", "--", "cat")
	r.ok("new", "-n", "far", "box/", "--", "cat")
	s := r.grid()
	s.shows("mine", "box/far")
	r.ok("focus", "mine")
	s.shows("━ 1 mine")
	for _, pid := range r.processes("link", r.near.Home) {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
		defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }()
	}
	s.keys("w", "h", "i", "l", "e", "Enter")
	s.until("the echo", func() bool { return strings.Count(s.text(), "while") == 2 })
}

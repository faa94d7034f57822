package tmux

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ccdir/api"
)

// TestScratchShell: a key opens a shell in the directory of the focused session, hides and shows
// it again; it outlives the grid and the daemon, and `exit` ends it.
func TestScratchShell(t *testing.T) {
	r := newRig(t)
	dir := filepath.Join(r.home, "tree")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r.run("ccdir", append([]string{"new", "-n", "api", "-C", dir, "--"}, echoing("api-here")...)...)
	r.session("other", echoing("other-here")...)
	g := r.grid(120, 36)
	g.shows("api-here", "other-here")
	g.keys("C-b", "1")
	g.until("api focused", focusedTitle("api"))
	g.keys("C-b", "!")
	g.text("pwd; echo in-$CCDIR_SESSION") // before it is there: not for the program below
	g.keys("Enter")
	g.shows(dir, "in-"+r.scratch().ID, "C-b ! hides")
	g.keys("C-b", "!")
	if s := g.lacks("api-shell"); !focusedTitle("api")(s) || strings.Contains(s, "pwd") {
		t.Errorf("hidden:\n%s", s)
	}
	g.keys("C-b", "!")
	g.shows("api-shell", dir)
	g.text("echo over-$((40+2))")
	g.keys("Enter")
	g.shows("over-42")
	if out := r.run("ccdir", "ls"); !strings.Contains(out, "└ api-shell") {
		t.Errorf("ls:\n%s", out)
	}
	g.detach()
	r.signal(r.daemonPID(), syscall.SIGKILL)
	again := r.open("again", 120, 36, "exec ccdir")
	again.shows("over-42", "C-b ! hides", "PANE")
	again.text("echo and-$((50+5))")
	again.keys("Enter")
	again.shows("and-55")
	again.text("exit 3")
	again.keys("Enter")
	again.until("back at api", func(s string) bool { return focusedTitle("api")(s) && !strings.Contains(s, "api-shell") })
	r.eventually("it is removed", func() bool { return !strings.Contains(r.run("ccdir", "ls"), "api-shell") })
}

// TestScratchShellOfARemovedSession: a shell in which nothing runs ends with its session, one in
// which something runs stays.
func TestScratchShellOfARemovedSession(t *testing.T) {
	r := newRig(t)
	r.session("api", echoing("api-here")...)
	g := r.grid(120, 36)
	g.shows("api-here")
	g.keys("C-b", "!")
	g.text("echo busy-$((1+1)); sleep 1000")
	g.keys("Enter")
	g.shows("busy-2")
	r.run("ccdir", "kill", "api")
	r.run("ccdir", "rm", "api")
	g.until("the shell is a pane", focusedTitle("1 api-shell"))
	r.session("web", echoing("web-here")...)
	g.keys("C-b", "2")
	g.until("web focused", focusedTitle("web"))
	g.keys("C-b", "!")
	g.text("echo idle-$((1+2))")
	g.keys("Enter")
	g.shows("idle-3")
	r.run("ccdir", "kill", "web")
	r.run("ccdir", "rm", "web")
	r.eventually("the idle shell has ended", func() bool { return r.inState(api.StateIdle) == 1 })
}

// scratch is the scratch shell that runs.
func (r *rig) scratch() (v api.Session) {
	r.t.Helper()
	r.eventually("a shell runs", func() bool {
		var list []api.Session
		if err := json.Unmarshal([]byte(r.run("ccdir", "ls", "--json")), &list); err != nil {
			r.t.Fatal(err)
		}
		for _, s := range list {
			if s.Beside != nil {
				v = s
			}
		}
		return v.ID != ""
	})
	return v
}

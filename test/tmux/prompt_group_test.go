package tmux

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestIdleGroupLeavesShellsAlone: what is sent to all idle sessions is typed into agents
// only; a shell does not run it until it is named.
func TestIdleGroupLeavesShellsAlone(t *testing.T) {
	r := newRig(t)
	file := filepath.Join(r.home, "OOPS")
	r.session("sh", "bash", "--norc", "--noprofile")
	r.session("reader", "sh", "-c", "stty -echo; echo ready; exec cat >"+file+".reader")
	r.agent("api")
	r.agent("frontend")
	g := r.grid(120, 40)
	g.shows("api ○", "frontend ○", "sh ○", "reader ○", "ready")
	g.keys("C-b", ":")
	g.shows("PROMPT")
	g.text("touch " + file)
	g.keys("Tab")
	g.shows("─ to a new session ─")
	g.keys("Tab")
	g.shows("─ to the queue ─")
	g.keys("Tab")
	g.shows("─ to 2 idle agents: api, frontend ─")
	g.keys("Enter")
	g.shows("sent to 2 sessions")
	r.eventually("both agents have it", func() bool {
		for _, name := range []string{"api", "frontend"} {
			if !strings.Contains(strings.ReplaceAll(r.run("ccdir", "show", name), "\n", ""), file) {
				return false
			}
		}
		return true
	})
	// What is typed into the shell now comes after anything that went there before.
	ran := func(name string) bool { _, err := os.Stat(name); return err == nil }
	r.run("ccdir", "send", "sh", "touch "+file+".after")
	r.eventually("the shell runs what it is given", func() bool { return ran(file + ".after") })
	if ran(file) {
		t.Error("the shell ran what was sent to the idle agents")
	}
	if got, err := os.ReadFile(file + ".reader"); err != nil || len(got) > 0 {
		t.Errorf("the command got %q, %v", got, err)
	}
	// A shell that is named gets it, and the bar says what it is.
	g.keys("C-b", ":", "C-t")
	g.text("sh")
	g.keys("Enter")
	g.shows("─ to sh, a shell ─")
	g.text("touch " + file)
	g.keys("Enter")
	r.eventually("the shell runs it", func() bool { return ran(file) })
}

package tmux

import (
	"strings"
	"syscall"
	"testing"
)

// TestLossInEveryMode: whatever is open and half typed when the daemon dies, or is
// stopped and started, stays as it is; the banner comes and goes by itself.
func TestLossInEveryMode(t *testing.T) {
	r := newRig(t)
	r.agent("agent")
	r.session("lines", "sh", "-c", "seq 1 300; exec cat")
	g := r.grid(150, 45)
	g.shows("agent ○", "lines")
	for _, mode := range []struct {
		name  string
		open  []string
		typed string
		shows []string
		leave []string
	}{
		{"prompt bar", []string{"C-b", ":"}, "half-a-prompt", []string{"PROMPT", "❯ half-a-prompt"}, []string{"C-u", "Escape"}},
		{"list filter", []string{"C-b", "s", "/"}, "agen", []string{"sessions", "agen"}, []string{"Escape", "Escape", "Escape"}},
		{"finder", []string{"C-b", "f"}, "line", []string{"line"}, []string{"Escape", "Escape"}},
		{"help filter", []string{"C-b", "?"}, "zoom", []string{"/ zoom"}, []string{"Escape", "Escape", "Escape"}},
		{"new session", []string{"C-b", "n", "Tab", "Tab"}, "half-a-name", []string{"new session", "half-a-name"}, []string{"Escape"}},
		{"rename", []string{"C-b", ","}, "renamed", []string{"agentrenamed"}, []string{"Escape"}},
		{"history filter", []string{"C-b", "/", "/"}, "half-a-search", []string{"history", "half-a-search"}, []string{"Escape", "Escape", "Escape"}},
		{"queue, a new task", []string{"C-b", "T", "a"}, "half-a-task", []string{"half-a-task"}, []string{"Escape", "Escape"}},
		{"details", []string{"C-b", "i"}, "", []string{"evidence"}, []string{"Escape"}},
		{"borders", []string{"C-b", "b", "Right", "Right"}, "", []string{"Enter"}, []string{"Enter"}},
		{"copy mode's search", []string{"C-b", "2", "C-b", "[", "/"}, "half-a-word", []string{"half-a-word"}, []string{"Escape", "q"}},
	} {
		g.keys(mode.open...)
		if mode.typed != "" {
			g.text(mode.typed)
		}
		g.shows(mode.shows...)
		for _, stopped := range []bool{false, true} {
			if stopped {
				r.run("ccdir", "daemon", "stop")
				g.shows("the daemon does not answer")
				r.run("ccdir", "daemon", "start")
			} else {
				was := r.daemonPID()
				r.signal(was, syscall.SIGKILL)
				r.eventually("the next daemon", func() bool { return r.daemonPID() != was })
			}
			g.until(mode.name+" is as it was", func(s string) bool {
				for _, part := range mode.shows {
					if !strings.Contains(s, part) {
						return false
					}
				}
				return !strings.Contains(s, "does not answer")
			})
		}
		for _, key := range mode.leave {
			if was := g.screen(); !strings.Contains(was, "PANE") { // one by one: three of them in one read are other keys
				g.keys(key)
				g.until("something changes", func(s string) bool { return s != was })
			}
		}
		g.shows("PANE")
	}
	// The keys that were typed went nowhere else.
	if out := r.run("ccdir", "output", "lines"); strings.Contains(out, "half") {
		t.Errorf("typed into the pane: %q", out)
	}
}

// TestLossWhileAnswering: a request that is being answered when the daemon is lost is
// answered once, by what was chosen.
func TestLossWhileAnswering(t *testing.T) {
	r := newRig(t)
	r.agent("agent")
	g := r.grid(140, 40)
	g.shows("agent ○")
	g.keys("C-b", "1")
	for _, command := range []string{"make-one", "make-two"} {
		r.asks("agent", command)
		g.shows("C-b a to answer")
		g.keys("C-b", "a")
		g.shows(command, "[y]", "ANSWER") // the bar is open: it ignores what was typed before
		pid := r.daemonPID()
		r.signal(pid, syscall.SIGSTOP)
		g.keys("y")
		g.shows("answering…") // or the key came after the loss, and is refused
		r.signal(pid, syscall.SIGKILL)
		r.run("ccdir", "wait", "agent", "--state", "idle", "--timeout", "60s")
		g.lacks("does not answer")
		g.lacks("C-b a to answer")
		if n := strings.Count(r.run("ccdir", "decisions", "--json"), command); n == 0 {
			t.Errorf("%s: no decision is on record", command)
		}
	}
}

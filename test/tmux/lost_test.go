package tmux

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// daemonPID is the process of the rig's daemon.
func (r *rig) daemonPID() int {
	r.t.Helper()
	var status struct {
		PID int `json:"pid"`
	}
	r.eventually("a daemon answers", func() bool {
		out, err := r.try("ccdir", "daemon", "status", "--json")
		return err == nil && json.Unmarshal([]byte(out), &status) == nil && status.PID != 0
	})
	return status.PID
}

// signal sends a signal to the rig's daemon.
func (r *rig) signal(pid int, s syscall.Signal) {
	r.t.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		r.t.Fatal(err)
	}
}

// prompts counts the prompts with that text that an agent got.
func (r *rig) prompts(text string) int {
	r.t.Helper()
	n := 0
	for l := range strings.Lines(r.run("ccdir", "events", "--json")) {
		if strings.Contains(l, "UserPromptSubmit") && strings.Contains(l, text) {
			n++
		}
	}
	return n
}

// TestSubmitAroundTheLoss: a prompt in flight when its daemon dies returns to the bar;
// sent again, the agent has it once.
func TestSubmitAroundTheLoss(t *testing.T) {
	r := newRig(t)
	r.agent("agent")
	r.session("echo", echoing("echo-here")...)
	g := r.grid(140, 40)
	g.shows("agent ○", "echo-here")
	g.keys("C-b", "1")
	g.until("agent focused", focusedTitle("agent"))
	for round := range 3 {
		text := "around-the-loss-" + strconv.Itoa(round)
		g.keys("C-b", ":")
		g.shows("PROMPT")
		g.text(text)
		g.shows("❯ " + text)
		pid := r.daemonPID()
		r.signal(pid, syscall.SIGSTOP)
		g.keys("Enter")
		g.shows("sending to")
		r.signal(pid, syscall.SIGKILL)
		g.until("back, or sent", func(s string) bool {
			return !strings.Contains(s, "does not answer") && !strings.Contains(s, "sending to")
		})
		r.run("ccdir", "ls") // whoever asks first starts the next daemon
		if s := g.screen(); strings.Contains(s, "not sent to agent") || strings.Contains(s, "❯ "+text) {
			g.lacks("does not answer")
			g.keys("C-b", ":")
			g.shows("PROMPT", "❯ "+text)
			g.keys("Enter")
		}
		r.eventually("the agent has it", func() bool { return r.prompts(text) > 0 })
		r.run("ccdir", "wait", "agent", "--state", "idle", "--timeout", "60s")
		if n := r.prompts(text); n != 1 {
			t.Fatalf("%s: the agent got it %d times", text, n)
		}
		g.lacks("PROMPT")
	}
	// What is typed into a pane meanwhile arrives once.
	g.keys("C-b", "2")
	g.until("echo focused", focusedTitle("echo"))
	g.text("before-")
	r.signal(r.daemonPID(), syscall.SIGKILL)
	g.text("and-behind\n")
	r.eventually("echoed", func() bool { return strings.Count(r.run("ccdir", "output", "echo"), "before-and-behind") == 2 })
	g.lacks("does not answer")
	if n := strings.Count(r.run("ccdir", "output", "echo"), "before-and-behind"); n != 2 {
		t.Errorf("the terminal's echo and cat's: %d", n)
	}
}

// TestWithoutDaemon: without a daemon, the banner says so, prompts stay in the bar, and
// every action that needs it says why it is disabled.
func TestWithoutDaemon(t *testing.T) {
	r := newRig(t)
	r.agent("agent")
	g := r.grid(140, 40)
	g.shows("agent ○", "PANE")
	g.keys("C-b", ":")
	g.shows("PROMPT")
	g.text("written-before")
	r.run("ccdir", "daemon", "stop")
	g.shows("the daemon does not answer")
	g.keys("Enter")
	g.shows("not sent: ", "❯ written-before")
	g.keys("Escape")
	g.shows("PANE", "no daemon is running: start it with `ccdir daemon start`; the panes keep working")
	g.keys("C-b", "n")
	g.lacks("new session")
	r.run("ccdir", "daemon", "start")
	g.lacks("no daemon is running")
	g.keys("C-b", ":")
	g.shows("PROMPT", "❯ written-before")
	g.keys("Enter")
	r.eventually("the agent has it", func() bool { return r.prompts("written-before") == 1 })
}

// TestCancelHistorySearch: a search that takes long is seen, Escape ends it, and the
// daemon's late answer changes nothing.
func TestCancelHistorySearch(t *testing.T) {
	r := newRig(t)
	r.session("gone", "sh", "-c", "echo a-needle-in-it; read x")
	g := r.grid(120, 30)
	g.shows("a-needle-in-it")
	g.keys("Enter")
	g.shows("gone ▪")
	g.keys("C-b", "/")
	g.shows("history")
	r.eventually("its transcript is kept", func() bool { return strings.Contains(r.run("ccdir", "history"), "gone") })
	pid := r.daemonPID()
	g.keys("/")
	g.text("needle")
	r.signal(pid, syscall.SIGSTOP)
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) }) // it may be gone
	g.keys("Enter")
	g.shows("searching…", "Esc cancels")
	g.keys("Escape")
	g.shows("cancelled")
	g.lacks("searching…")
	r.signal(pid, syscall.SIGCONT)
	g.keys("/", "Enter")
	g.shows("places with needle")
}

// draft is what of the prompt bar is kept on disk.
func (r *rig) draft() string {
	data, _ := os.ReadFile(r.home + "/state/draft")
	return string(data)
}

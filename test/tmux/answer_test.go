package tmux

import (
	"strings"
	"testing"
	"time"
)

// agent starts a demo agent.
func (r *rig) agent(name string) {
	r.t.Helper()
	r.run("ccdir", "new", "-n", name, "-a", "demo")
	r.run("ccdir", "wait", name, "--state", "idle", "--timeout", "60s")
}

// asks lets a demo agent ask for permission, and waits for the request.
func (r *rig) asks(name, command string) {
	r.t.Helper()
	r.run("ccdir", "send", name, "permit Bash "+command)
	r.eventually(name+" asks", func() bool { return strings.Contains(r.run("ccdir", "approvals"), command) })
}

// attend goes to the session that has waited longest and opens its answer bar. A grid
// may show a session's state a moment before it knows the request: it then only goes
// there, and shows the key again when it does.
func (g *term) attend() {
	g.t.Helper()
	g.keys("C-b", "a")
	s := g.until("the answer bar, or its key", func(s string) bool { return strings.Contains(s, "ANSWER") || strings.Contains(s, "C-b a to answer") })
	if !strings.Contains(s, "ANSWER") {
		g.keys("C-b", "a")
	}
}

func TestAnswerFromTheGrid(t *testing.T) {
	r := newRig(t)
	r.session("typing", echoing("typing-here")...)
	r.agent("first")
	r.agent("second")
	g := r.grid(140, 45)
	g.shows("typing-here", "first ○", "second ○")
	g.keys("C-b", "1")
	g.until("typing focused", focusedTitle("typing"))
	r.asks("first", "make clean")
	r.asks("second", "make install")
	g.shows("first ✋", "second ✋")

	// The longest waiting comes first, though another session has the focus.
	g.attend()
	g.shows("first asks for permission: Bash", "make clean", "[y]es", "[n]o", "[a]lways", "ANSWER")
	g.until("first focused", focusedTitle("first"))
	g.keys("y")
	// The bar goes on to the other one, and takes no key before it can have been seen.
	g.shows("second asks for permission: Bash", "make install")
	g.shows("⏺ Bash(make clean)", "Done")
	answered := time.Now()
	g.until("keys to count again", func(string) bool { return time.Since(answered) > 2*time.Second })

	// No, with a message to the agent.
	g.keys("n")
	g.shows("no, because:")
	g.text("not before noon")
	g.keys("Enter")
	g.shows("second: Bash refused", "not before noon")
	g.lacks("asks for permission")
	r.run("ccdir", "wait", "second", "--state", "idle", "--timeout", "60s")
	if out := r.run("ccdir", "output", "typing"); strings.Contains(out, "y\n") || strings.Contains(out, "noon") {
		t.Errorf("an answer was typed into a pane:\n%s", out)
	}
}

func TestAnsweredElsewhere(t *testing.T) {
	r := newRig(t)
	r.agent("agent")
	g := r.grid(100, 40)
	g.shows("agent ○")
	r.asks("agent", "make one")
	g.shows("C-b a to answer")
	g.keys("C-b", "a")
	g.shows("agent asks for permission: Bash", "[y]es")
	// By the command line.
	id := strings.Fields(strings.Split(r.run("ccdir", "approvals"), "\n")[1])[0]
	r.run("ccdir", "approve", id)
	g.lacks("[y]es")
	g.lacks("asks for permission") // closes by itself
	g.shows("Done")

	// In the pane: the bar retires, and takes no answer for the request.
	r.run("ccdir", "wait", "agent", "--state", "idle", "--timeout", "60s")
	r.asks("agent", "make two")
	g.shows("C-b a to answer")
	g.keys("C-b", "a")
	g.shows("[y]es", "make two")
	r.run("ccdir", "keys", "agent", "1")
	g.lacks("[y]es")
	g.lacks("asks for permission")
	if out := r.run("ccdir", "events", "--type", "permission.ended", "--json"); strings.Contains(out, `"behavior":"deny"`) {
		t.Errorf("a refusal was sent:\n%s", out)
	}
}

func TestExplainPopup(t *testing.T) {
	r := newRig(t)
	r.agent("agent")
	g := r.grid(100, 40)
	g.shows("agent ○")
	r.asks("agent", "make one")
	g.shows("agent ✋")
	g.keys("C-b", "i")
	g.shows("last task", "evidence, command, processes")
	g.keys("Enter")
	g.shows("why it has its state", "waiting_for_permission", "evidence", "would change")
	g.keys("Escape")
	g.lacks("why it has its state")
}

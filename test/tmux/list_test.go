package tmux

import (
	"strings"
	"testing"

	"ccdir/api"
)

func TestSessionListAndPicker(t *testing.T) {
	r := four(t)
	g := r.grid(100, 30)
	g.shows("this-is-delta", "PANE")
	g.keys("C-b", "s")
	g.shows("sessions · 4 · by need", "LIST")
	g.text("/gam")
	g.shows("sessions · 1 of 4")
	g.keys("Enter", "Enter") // the first keeps the filter, the second goes there
	g.until("gamma focused", focusedTitle("gamma"))
	g.lacks("sessions · ")
	g.keys("C-b", "f")
	g.shows("find a session or a state")
	g.text("delt")
	g.keys("Enter")
	g.until("delta focused", focusedTitle("delta"))
	g.keys("C-b", "p")
	g.text("columns")
	g.shows("columns: all panes side by side")
	g.keys("Enter")
	g.shows("layout columns")
	g.keys("C-b", "?")
	g.text("palette")
	g.shows("command palette: every action")
	g.keys("Escape") // takes the filter away, the next one closes
	g.lacks("/ palette")
	g.keys("Escape")
	g.lacks("type to filter")
	// The column stays for the next attach, and so does the focus, with its page.
	g.keys("C-b", "S")
	g.shows("sessions · 4 · by need", "PANE")
	g.text("typed")
	g.shows("typed")
	g.detach()
	r.open("again", 100, 30, "exec ccdir").shows("sessions · 4 · by need", "this-is-delta", "page 2/2")
}

// TestSeveralAtOnce starts ten sessions, and ends all from the list.
func TestSeveralAtOnce(t *testing.T) {
	r := newRig(t)
	g := r.grid(120, 40)
	g.shows("No sessions yet")
	g.keys("n")
	g.shows("new session", "demo")
	g.keys("d", "Tab", "Tab")
	g.text("job")
	g.keys("Tab", "Tab", "Tab", "Tab", "Tab", "Tab")
	g.text("10")
	g.keys("Enter")
	g.shows("job-10")
	g.keys("C-b", "s", "a", "x")
	g.shows("Kill 10 sessions?")
	g.keys("y")
	r.eventually("all have ended", func() bool { return r.inState(api.StateExited) == 10 })
	g.lacks("C-c cancels") // the calls have returned too
	g.keys("C-b", "s", "a", "x")
	g.shows("Remove 10 sessions from the list?")
	g.keys("y")
	r.eventually("all are removed", func() bool { return !strings.Contains(r.run("ccdir", "ls"), "job") })
}

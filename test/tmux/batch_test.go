package tmux

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ccdir/api"
)

var (
	startingNow  = regexp.MustCompile(`starting [1-9]\d*/50 .*C-b C-c cancels`)
	startingOver = regexp.MustCompile(`starting: (\d+) of 50 sessions, the rest cancelled`)
	endingNow    = regexp.MustCompile(`ending \d/10 .*C-b C-c cancels`)
	endingOver   = regexp.MustCompile(`ending: \d of 10 sessions, the rest cancelled`)
)

// TestCancelStarting: starting fifty sessions is seen on its way and cancelled; what
// was not begun is not started.
func TestCancelStarting(t *testing.T) {
	r := newRig(t)
	g := r.grid(120, 40)
	g.shows("No sessions yet")
	g.keys("n")
	g.shows("new session", "demo")
	g.keys("d", "Tab", "Tab")
	g.text("job")
	g.keys("BTab", "BTab", "BTab") // the last field is before the first
	g.text("50")
	g.keys("Enter")
	g.until("progress", startingNow.MatchString)
	g.keys("C-b", "C-c")
	var begun int
	g.until("cancelled", func(s string) bool {
		m := startingOver.FindStringSubmatch(s)
		if m != nil {
			begun, _ = strconv.Atoi(m[1])
		}
		return m != nil
	})
	// The one that was under way is waited for and counted.
	if n := strings.Count(r.run("ccdir", "ls"), "job-"); n != begun || n >= 50 {
		t.Errorf("%d sessions, %d were said to be started", n, begun)
	}
	g.lacks("C-c cancels")
}

// TestCancelKillingAll: sessions that take their time to end are shown on their way,
// and those whose turn has not come go on when it is cancelled.
func TestCancelKillingAll(t *testing.T) {
	r := newRig(t)
	for i := range 10 {
		r.session("stubborn-"+strconv.Itoa(i), "sh", "-c", `trap '' HUP TERM INT; echo ready; while :; do read x; done`)
	}
	g := r.grid(120, 40)
	g.shows("stubborn-1")
	g.keys("C-b", "s", "a", "x")
	g.shows("Kill 10 sessions?")
	g.keys("y")
	g.until("progress", endingNow.MatchString)
	g.keys("C-b", "C-c")
	g.until("cancelled", endingOver.MatchString)
	g.lacks("C-c cancels")
	r.eventually("those under way have ended", func() bool { return r.inState(api.StateExiting) == 0 })
	if n := r.inState(api.StateIdle); n < 2 {
		t.Errorf("%d sessions go on", n)
	}
}

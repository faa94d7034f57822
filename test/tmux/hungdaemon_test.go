package tmux

import (
	"regexp"
	"strings"
	"syscall"
	"testing"
)

var killingNow = regexp.MustCompile(`killing one… [1-9]\d*s .*C-b C-c cancels`)

// TestHungDaemonShows: a call that a stopped daemon does not answer is shown with its
// duration, can be cancelled, and meanwhile keys reach the pane.
func TestHungDaemonShows(t *testing.T) {
	r := newRig(t)
	r.session("one", echoing("typing-here")...)
	g := r.grid(120, 30)
	g.shows("typing-here", "one ○")
	pid := r.daemonPID()
	r.signal(pid, syscall.SIGSTOP)
	defer r.signal(pid, syscall.SIGCONT)
	g.keys("C-b", "x")
	g.shows("Kill one?")
	g.keys("y")
	g.until("that it takes long", killingNow.MatchString)
	g.text("still-here")
	g.shows("still-here")
	g.keys("C-b", "C-c")
	g.shows("killing one: whether it was done is not known (cancelled): see `ccdir ls`")
	g.until("nothing under way", func(s string) bool { return !strings.Contains(s, "C-c cancels") })
}

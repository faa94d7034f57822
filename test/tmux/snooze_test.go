package tmux

import (
	"strings"
	"testing"
)

// TestSnoozeInAllGrids: a wait that was put off in one grid is put off in the other
// one, after a detach and under the next daemon; the same key takes it back.
func TestSnoozeInAllGrids(t *testing.T) {
	r := newRig(t)
	r.session("typing", echoing("typing-here")...)
	r.agent("agent")
	g, other := r.grid(140, 40), r.open("other", 120, 30, "ccdir")
	g.shows("agent ○")
	other.shows("agent ○")
	r.asks("agent", "make clean")
	g.shows("needs you")
	g.keys("C-b", "Z")
	g.shows("agent asks again in", "[2] 15 minutes")
	g.keys("2")
	for _, g := range []*term{g, other} {
		g.shows("1 snoozed", "put off ")
		g.lacks("needs you")
	}
	other.keys("C-b", "d")
	r.run("ccdir", "daemon", "restart")
	again := r.open("again", 120, 30, "ccdir")
	for _, g := range []*term{g, again} {
		g.shows("1 snoozed", "agent ☾")
		g.lacks("needs you")
	}
	if out := r.run("ccdir", "ls"); !strings.Contains(out, "snoozed until") {
		t.Errorf("ls:\n%s", out)
	}
	again.keys("C-b", "2")
	again.until("agent focused", focusedTitle("agent"))
	again.keys("C-b", "Z")
	for _, g := range []*term{g, again} {
		g.shows("needs you")
		g.lacks("1 snoozed")
	}
	again.keys("C-b", "Z", "4")
	g.shows("1 snoozed")
	again.keys("C-b", "a")
	again.shows("agent asks for permission", "nooze no longer")
	again.keys("y")
	for _, g := range []*term{g, again} {
		g.shows("Done")
		g.lacks("1 snoozed")
	}
}

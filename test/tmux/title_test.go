package tmux

import (
	"strings"
	"testing"
)

// TestTitle: the terminal's title says who needs the person; it is the old one again after
// a detach, and never touched where the configuration says so.
func TestTitle(t *testing.T) {
	r := newRig(t)
	r.session("still", echoing("still-here")...)
	g := r.open("grid", 100, 30, `printf '\033]2;the old one\033\\'; ccdir; exec cat`)
	title := func() string {
		return strings.TrimSpace(g.tmux("display-message", "-p", "-t", "grid", "#{pane_title}"))
	}
	g.shows("still-here", "PANE")
	r.eventually("the grid's title", func() bool { return title() == "ccdir" })
	r.agent("first")
	r.asks("first", "make one")
	r.eventually("who needs somebody in the title", func() bool { return title() == "ccdir: first needs you" })
	g.keys("C-b", "d")
	r.eventually("the old title", func() bool { return title() == "the old one" })

	r.configure(false, "terminal_title = false\n")
	g = r.open("again", 100, 30, `printf '\033]2;the old one\033\\'; exec ccdir`)
	g.shows("needs you")
	if got := strings.TrimSpace(g.tmux("display-message", "-p", "-t", "again", "#{pane_title}")); got != "the old one" {
		t.Errorf("switched off: the title is %q", got)
	}
}

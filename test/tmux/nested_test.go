package tmux

import (
	"fmt"
	"strings"
	"testing"
)

// TestTmuxInAPane: a tmux inside a pane works with its own prefix, its mouse and
// its size.
func TestTmuxInAPane(t *testing.T) {
	r := newRig(t)
	inner := r.socket + "-inner"
	t.Cleanup(func() { _, _ = r.try("tmux", "-L", inner, "kill-server") })
	r.session("inner", "tmux", "-L", inner, "-f", "/dev/null", "-u", "new-session", "-s", "in", "sh", ";", "set", "-g", "mouse", "on")
	g := r.grid(100, 30)
	g.shows("[in] 0:sh*", "┃$")
	ask := func(what, want string) {
		t.Helper()
		r.eventually(what+" is "+want, func() bool {
			return strings.TrimSpace(r.run("tmux", "-L", inner, "display-message", "-p", "-t", "in", what)) == want
		})
	}
	// The prefix twice is the prefix for the program.
	g.keys("C-b", "C-b", `"`)
	ask("#{window_panes}", "2")
	ask("#{pane_index}", "1")
	g.text("echo in-the-$((20+22))\n")
	g.shows("in-the-42")
	// A click goes through both.
	g.click(50, 4)
	ask("#{pane_index}", "0")
	// So does a wide character, and the cursor stands behind it.
	g.text("日本x")
	x, y := g.find("$ 日本x")
	g.cursor(x+7, y)
	// The prefix once is ours.
	g.keys("C-b", "z")
	g.shows("zoomed", "$ 日本x")
	g.keys("C-b", "z")
	g.lacks("zoomed")
	g.tmux("resize-window", "-t", g.name, "-x", "70", "-y", "20")
	ask("#{client_width}x#{client_height}", "70x17")
	// Its detach ends its client, and nothing else.
	g.keys("C-b", "C-b", "d")
	g.shows("inner ▪ exit 0")
}

// cursor waits until the terminal's cursor is at a cell, one-based.
func (t *term) cursor(x, y int) {
	t.t.Helper()
	want := fmt.Sprintf("%d,%d,1", x-1, y-1)
	last := ""
	t.eventually("the cursor at "+want, func() bool {
		last = strings.TrimSpace(t.tmux("display-message", "-p", "-t", t.name, "#{cursor_x},#{cursor_y},#{cursor_flag}"))
		return last == want
	})
}

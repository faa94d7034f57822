package tmux

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// TestSidebarKeys: each key of the events, with events of real sessions.
func TestSidebarKeys(t *testing.T) {
	r := newRig(t)
	r.session("alpha", echoing("this-is-alpha")...)
	r.session("beta", echoing("this-is-beta")...)
	g := r.grid(140, 30)
	g.shows("this-is-alpha", "this-is-beta", " since ")
	g.until("alpha focused", focusedTitle("alpha"))
	side := func(s string) string { // the sidebar's part of the screen
		var b strings.Builder
		for l := range strings.Lines(s) {
			cells := []rune(l)
			if len(cells) < 40 || !strings.ContainsRune("╭┏│┃├┣┤┫", cells[39]) {
				continue // the bars below it
			}
			b.WriteString(string(cells[:39]) + "\n")
		}
		return b.String()
	}
	sees := func(what string, has, lacks []string) {
		t.Helper()
		g.until(what, func(s string) bool {
			part := side(s)
			for _, h := range has {
				if !strings.Contains(part, h) {
					return false
				}
			}
			for _, l := range lacks {
				if strings.Contains(part, l) {
					return false
				}
			}
			return part != ""
		})
	}
	g.keys("C-b", "E")
	g.shows("EVENTS")
	sees("both", []string{"alpha", "beta", "started"}, nil) // beside the panes, one's own doings are left out
	// Filter by text.
	g.text("/beta")
	sees("beta only", []string{"beta"}, []string{"alpha"})
	g.keys("Enter")
	// Its detail as JSON.
	g.text("i")
	g.shows(`"session"`, `"type"`)
	g.keys("Escape")
	g.lacks(`"session"`)
	// Go to its session.
	g.keys("Enter")
	g.until("beta focused", focusedTitle("beta"))
	g.shows("PANE")
	// The filter stays until Escape drops it.
	g.keys("C-b", "E")
	g.shows("EVENTS")
	g.keys("Escape")
	sees("all again", []string{"alpha", "beta"}, nil)
	// Pause: counted and not shown, then shown.
	g.text("p")
	sees("paused", []string{"paused"}, nil)
	r.session("gamma", echoing("this-is-gamma")...)
	g.shows("this-is-gamma")
	sees("counted", []string{"paused"}, []string{"gamma"})
	g.text("p")
	sees("gamma", []string{"gamma"}, []string{"paused"})
	// Clear.
	g.text("c")
	sees("empty", nil, []string{"alpha", "beta", "gamma"})
	r.run("ccdir", "rename", "gamma", "omega")
	sees("what comes after", []string{"omega"}, []string{"alpha", "beta"})
	g.keys("Escape")
	g.shows("PANE")
	g.text("typed")
	g.shows("typed")
}

// TestSidebarWidth: keys and the mouse move the border of the events, programs are told
// of their new size, and the next attach has it.
func TestSidebarWidth(t *testing.T) {
	r := newRig(t)
	r.session("sizer", "sh", "-c", `trap 'echo "size $(stty size)"' WINCH; echo ready; while :; do read x; done`)
	g := r.grid(140, 30)
	g.shows("ready", " since ")
	border := func() int {
		t.Helper()
		x, _ := g.find("━ 1 sizer")
		return x - 1 // the columns before the pane
	}
	was := border()
	g.keys("C-b", "E")
	g.shows("EVENTS")
	g.keys("C-Right", "C-Right", ">")
	g.until("wider", func(string) bool { return border() == was+12 })
	g.keys("C-Left")
	g.until("a step back", func(string) bool { return border() == was+8 })
	g.shows(fmt.Sprintf("size 27 %d", 140-(was+8)))
	g.keys("Escape")
	g.shows("PANE")
	g.drag(was+8, 10, was+2, 10)
	g.until("dragged", func(string) bool { return border() == was+2 })
	g.shows(fmt.Sprintf("size 27 %d", 140-(was+2)))
	g.keys("C-b", "e")
	g.lacks(" since ")
	g.keys("C-b", "e")
	g.until("as wide as before", func(string) bool { return border() == was+2 })
	g.detach()
	again := r.open("again", 140, 30, "exec ccdir")
	again.shows(" since ")
	again.until("as wide as before", func(string) bool { x, _ := again.find("━ 1 sizer"); return x-1 == was+2 })
}

// TestCursorInBoxes: the terminal's cursor is where the next character goes, which is
// where input methods open their windows.
func TestCursorInBoxes(t *testing.T) {
	r := newRig(t)
	r.session("alpha", echoing("this-is-alpha")...)
	g := r.grid(140, 30)
	g.shows("this-is-alpha", " since ")
	for _, c := range []struct {
		name string
		open []string
		shut []string
	}{
		{"events", []string{"C-b", "E", "/"}, []string{"Escape", "Escape"}},
		{"list", []string{"C-b", "s", "/"}, []string{"Escape", "Escape"}},
		{"palette", []string{"C-b", "p"}, []string{"Escape"}},
		{"help", []string{"C-b", "?"}, []string{"Escape", "Escape"}},
		{"prompt", []string{"C-b", ":"}, []string{"C-e", "C-u", "Escape"}},
		{"history of prompts", []string{"C-b", ":", "C-r"}, []string{"Escape", "Escape"}},
		{"rename", []string{"C-b", ",", "C-u"}, []string{"Escape"}},
		{"history", []string{"C-b", "/", "/"}, []string{"Escape", "Escape"}},
		{"copy mode", []string{"C-b", "[", "/"}, []string{"Escape", "Escape"}},
	} {
		t.Log(c.name)
		g.keys(c.open...)
		g.text("語x語y")
		x, y := g.find("語x語y")
		g.keys("Left")
		g.cursor(x+5, y)
		g.keys(c.shut...)
		g.shows("PANE")
		g.lacks("語x語y")
	}
	g.text("語x語y")
	x, y := g.find("語x語y")
	g.cursor(x+6, y)
}

// TestDoubleClickAndShift: a double click on the title zooms; a drag with Shift
// is the grid's own in a pane whose program takes the mouse.
func TestDoubleClickAndShift(t *testing.T) {
	r := newRig(t)
	r.session("mouse", "sh", "-c", `stty raw -echo; printf '\033[?1002h\033[?1006hmouse-ready\r\n'; exec cat -v`)
	r.session("other", echoing("other-here")...)
	g := r.grid(120, 30)
	g.tmux("set", "-g", "set-clipboard", "on")
	g.shows("mouse-ready", "other-here")
	x, y := g.find("other ○")
	g.doubleClick(x+5, y)
	g.lacks("mouse-ready")
	g.shows("zoomed", "other-here")
	x, y = g.find("other ○")
	g.doubleClick(x+5, y)
	g.shows("mouse-ready", "other-here")
	g.lacks("zoomed")
	x, y = g.find("mouse-ready")
	for _, step := range []struct {
		button, x int
		end       string
	}{{4, x, "M"}, {36, x + 4, "M"}, {4, x + 4, "m"}} {
		g.text(fmt.Sprintf("\x1b[<%d;%d;%d%s", step.button, step.x, y, step.end))
	}
	g.buffer("mouse")
	if s := g.screen(); strings.Contains(s, "^[[<") {
		t.Errorf("the program got the mouse in spite of Shift:\n%s", s)
	}
	g.keys("Escape")
	g.shows("PANE")
	g.click(x, y)
	g.shows("^[[<0;1;1M", "^[[<0;1;1m")
}

// TestEventsFollow: the events go on with the newest after somebody has looked at older
// ones, and after the daemon has died; where the wheel has left them they say so.
func TestEventsFollow(t *testing.T) {
	r := newRig(t)
	id := r.session("alpha", echoing("this-is-alpha")...)
	g := r.grid(120, 16)
	g.shows("this-is-alpha", " since ")
	texts := 0
	happen := func(n int) (last string) {
		t.Helper()
		for range n {
			texts++
			last = fmt.Sprint("news-", texts)
			r.run("ccdir", "messages", "send", id, last) // is news, other than what a person does to sessions
		}
		return last
	}
	g.shows(happen(14))
	for _, look := range [][]string{{"k"}, {"k", "k", "Escape"}, {"g", "Enter"}} {
		g.keys("C-b", "E")
		g.shows("EVENTS")
		g.keys(look...)
		if look[len(look)-1] == "k" {
			g.keys("C-b", "Escape")
		}
		g.shows("PANE")
		r.signal(r.daemonPID(), syscall.SIGKILL)
		g.shows(happen(2))
		g.lacks("newer")
	}
	x, y := g.find(" since ")
	for range 4 {
		g.text(fmt.Sprintf("\x1b[<64;%d;%dM", x, y+3))
	}
	g.shows("newer ↓")
	r.signal(r.daemonPID(), syscall.SIGKILL)
	last := happen(2)
	x, y = g.find("newer ↓")
	g.lacks(last)
	g.click(x+1, y)
	g.shows(last)
	g.lacks("newer ↓")
}

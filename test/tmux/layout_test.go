package tmux

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// drag presses the left button, moves through the cells and lets it go,
// one-based.
func (t *term) drag(x0, y0, x1, y1 int) {
	t.t.Helper()
	t.text(fmt.Sprintf("\x1b[<0;%d;%dM", x0, y0))
	for i := 1; i <= 8; i++ {
		t.text(fmt.Sprintf("\x1b[<32;%d;%dM", x0+(x1-x0)*i/8, y0+(y1-y0)*i/8))
	}
	t.text(fmt.Sprintf("\x1b[<0;%d;%dm", x1, y1))
}

// TestLayoutsSurviveDetach: layout, order, hidden panes, borders and zoom are
// the same for another terminal of another size and after a detach.
func TestLayoutsSurviveDetach(t *testing.T) {
	r := four(t)
	g := r.grid(160, 45)
	g.shows("this-is-delta", "PANE")
	g.keys("C-b", "M-7")
	g.shows("layout main + stack")
	g.keys("C-b", "}")
	g.shows("1 beta ○", "2 alpha ○")
	g.keys("C-b", "4")
	g.until("delta focused", focusedTitle("delta"))
	g.keys("C-b", "-")
	g.shows("delta is hidden and goes on")
	g.lacks("this-is-delta")
	x, _ := g.find("2 alpha ○")
	g.drag(x-3, 10, x-3+16, 10)
	g.until("the border moved", func(string) bool { now, _ := g.find("2 alpha ○"); return now == x+16 })
	other := r.open("other", 120, 30, "exec ccdir")
	other.shows("1 beta ○", "2 alpha ○", "3 gamma ○", "1 hidden")
	// What one terminal does the other shows.
	other.keys("C-b", "M-6")
	other.shows("layout rows")
	g.until("rows", func(s string) bool { return len(paneTitle.FindAllString(s, -1)) == 3 })
	g.keys("C-b", "M-7", "C-b", "z")
	g.shows("zoomed")
	other.lacks("zoomed")
	g.detach()
	again := r.open("again", 160, 45, "exec ccdir")
	again.shows("zoomed")
	again.keys("C-b", "z")
	again.shows("1 beta ○", "3 gamma ○")
	if now, _ := again.find("2 alpha ○"); now != x+16 {
		t.Errorf("the border is at %d, want %d", now, x+16)
	}
	again.keys("C-b", "+")
	again.shows("this-is-delta")
	// A restarted daemon has it too.
	r.run("ccdir", "daemon", "restart")
	last := r.open("last", 160, 45, "exec ccdir")
	last.shows("1 beta ○", "4 delta ○")
}

// TestBorderDragTellsHostsOnce: a program sees the size of the end, not those on
// the way.
func TestBorderDragTellsHostsOnce(t *testing.T) {
	r := newRig(t)
	r.session("sizer", "sh", "-c", `trap 'n=$((n+1)); echo "resize $n: $(stty size)"' WINCH; n=0; echo ready; while :; do read x; done`)
	r.session("other", echoing("other-here")...)
	g := r.grid(200, 40)
	g.shows("ready", "other-here")
	g.keys("C-b", "M-2", "C-b", "e")
	s := g.shows("37 99", "other-here") // the size without the events: the keys have been heeded
	before := strings.Count(s, "resize ")
	g.drag(100, 20, 124, 20)
	g.shows("37 123")
	s = g.screen()
	if n := strings.Count(s, "resize ") - before; n > 2 {
		t.Errorf("%d resizes for one drag:\n%s", n, s)
	}
}

func TestPagesAndNarrowTerminal(t *testing.T) {
	r := four(t)
	r.session("epsilon", echoing("this-is-epsilon")...)
	g := r.grid(100, 30)
	g.shows("this-is-alpha")
	g.keys("C-b", "M-3")
	g.shows("layout 2x2, page 1 of 2", "this-is-delta")
	g.lacks("this-is-epsilon")
	g.keys("C-b", ">")
	g.shows("this-is-epsilon")
	g.lacks("this-is-alpha")
	g.keys("C-b", "h")
	g.until("back over the edge", focusedTitle("delta"))
	for _, size := range []string{"45 12", "40 10", "3 2", "300 100", "80 24", "20 5", "100 30"} {
		cols, rows, _ := strings.Cut(size, " ")
		g.tmux("resize-window", "-t", "grid", "-x", cols, "-y", rows)
	}
	g.shows("this-is-alpha", "this-is-delta", "page 1/2")
	g.tmux("resize-window", "-t", "grid", "-x", "45", "-y", "12")
	g.shows("this-is-delta", "○gamma")
	g.lacks("this-is-alpha")
}

// paneTitle is the beginning of a pane's title.
var paneTitle = regexp.MustCompile(`[━─] \d `)

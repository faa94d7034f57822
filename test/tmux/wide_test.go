package tmux

import (
	"strings"
	"testing"
)

// cellsOf is the cells of a line: a wide character is itself and 0.
func cellsOf(line string) (cells []rune) {
	for _, c := range line {
		cells = append(cells, c)
		if c >= 0x3000 && c <= 0x9fff || c >= 0x1f300 && c <= 0x1faff {
			cells = append(cells, 0)
		}
	}
	return cells
}

// TestWideAtBorders: rows of wide characters, one cell further each time, are
// cut at both borders of a pane; its frame and its neighbours stay whole while
// it is drawn, scrolled and resized.
func TestWideAtBorders(t *testing.T) {
	r := newRig(t)
	wide := `i=0; while [ $i -lt 60 ]; do i=$((i+1)); p=; [ $((i%2)) = 0 ] || p=x; echo "$p日本語の長い行がペインの端を越えて続きます👍日本語の長い行がペインの端を越えて続きます👍$i"; done; echo done-$p; exec cat`
	r.session("left", "sh", "-c", `printf '\033[?7l'; `+wide)
	r.session("right", "sh", "-c", wide)
	g := r.grid(90, 30)
	g.keys("C-b", "M-2", "C-b", "e")
	for _, size := range []string{"91 30", "90 24", "77 24", "62 30"} {
		cols, rows, _ := strings.Cut(size, " ")
		g.tmux("resize-window", "-t", g.name, "-x", cols, "-y", rows)
		g.until("whole frames at "+size, func(s string) bool { return framed(s, "left", "right") })
	}
	g.keys("C-b", "[", "PPage", "PPage")
	g.until("whole frames in copy mode", func(s string) bool { return strings.Contains(s, "COPY") && framed(s, "left", "right") })
	g.keys("q")
	g.text("語語語x")
	g.shows("語語語x", "PANE")
	x, y := g.find("語語語x")
	g.cursor(x+7, y) // where an input method puts its window
}

// framed reports whether the rules of two panes side by side are whole: below each crossing
// in the first line there is a line down to the bars below the panes.
func framed(s string, names ...string) bool {
	lines := strings.Split(s, "\n")
	for _, n := range names {
		if !strings.Contains(lines[0], n) {
			return false
		}
	}
	rules := 0
	for x, c := range cellsOf(lines[0]) {
		if c == 0 || !strings.ContainsRune("┬┳┓┌┏╭╮", c) {
			continue
		}
		rules++
		for y := 1; y < len(strings.Split(strings.TrimRight(s, "\n"), "\n"))-2; y++ {
			if cells := cellsOf(lines[y]); x >= len(cells) || cells[x] == 0 || !strings.ContainsRune("┃│", cells[x]) {
				return false
			}
		}
	}
	return rules == len(names)-1
}

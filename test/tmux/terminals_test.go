package tmux

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// logged runs a command in a new terminal and returns also the file that gets
// every byte that it writes there, from the first on. set is what the
// environment has beside or instead of what tmux says ("" keeps it).
func (r *rig) logged(name string, cols, rows int, set, command string) (*term, string) {
	r.t.Helper()
	log := filepath.Join(r.home, name+".log")
	t := r.open(name, cols, rows, "read go; exec env "+set+" "+command+" 2>"+filepath.Join(r.home, "stderr"))
	t.tmux("pipe-pane", "-t", name, "-O", "cat >"+log)
	r.eventually("the log of "+name, func() bool { _, err := os.Stat(log); return err == nil })
	t.keys("Enter")
	return t, log
}

// colourful is a command that prints words in 16, 256 and true colours.
func colourful() []string {
	return []string{"sh", "-c", `printf '\033[31mfrom-16\033[m \033[38;5;208mfrom-256\033[m \033[38;2;1;200;90mfrom-16m\033[m \033[1;4mattrs\033[m\r\n'; exec cat`}
}

var (
	anyColour  = regexp.MustCompile(`\x1b\[[0-9;:]*\b(3[0-8]|4[0-8]|9[0-7]|10[0-7])\b[0-9;:]*m`)
	manyColour = regexp.MustCompile(`\x1b\[[0-9;:]*\b[345]8[;:][25][;:][0-9;:]*m`)
	trueColour = regexp.MustCompile(`\x1b\[[0-9;:]*\b[345]8[;:]2[;:][0-9;:]*m`)
)

// TestTerminals: what a terminal cannot do is not sent to it, and the screen is
// the same but for that. The bytes count: tmux would drop or translate many.
func TestTerminals(t *testing.T) {
	r := newRig(t)
	r.session("colours", colourful()...)
	for _, c := range []struct {
		name, set string
		must      []string         // in the bytes
		never     []*regexp.Regexp // and what is not
		frame     string           // the title of the focused pane
	}{
		{"true", "-u TMUX TERM=xterm-256color COLORTERM=truecolor", []string{"38;2;1;200;90", "\x1b]11;?", "\x1b[>5u", "\x1b[?1002h"},
			[]*regexp.Regexp{regexp.MustCompile(`\x1b\[>[0-9]*s`)}, "━ 1 colours ○"}, // Shift stays the terminal's own
		{"c256", "-u TMUX TERM=xterm-256color", []string{"38;5;208"}, []*regexp.Regexp{trueColour}, "━ 1 colours ○"},
		{"c16", "-u TMUX TERM=xterm-16color", []string{"31m", "\x1b[?1002h"}, []*regexp.Regexp{manyColour}, "━ 1 colours ○"},
		{"tmux", "TERM=tmux-256color", []string{"38;5;208"}, []*regexp.Regexp{trueColour}, "━ 1 colours ○"},
		{"screen", "-u TMUX TERM=screen COLORTERM=truecolor", []string{"31m"}, []*regexp.Regexp{trueColour, regexp.MustCompile(`\x1b\]8;`), regexp.MustCompile(`\x1b\[\d+ q`)}, "━ 1 colours ○"},
		{"console", "-u TMUX TERM=linux COLORTERM=truecolor", []string{"31m"},
			[]*regexp.Regexp{manyColour, regexp.MustCompile(`\x1b\]`), regexp.MustCompile(`\x1b\[>`), regexp.MustCompile(`[━┃┏╭…❯]`)}, "═ 1 colours [ ]"},
		{"none", "-u TMUX TERM=xterm-256color COLORTERM=truecolor NO_COLOR=yes", []string{"1;4m"}, []*regexp.Regexp{anyColour, regexp.MustCompile(`\x1b\]11;`)}, "━ 1 colours ○"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := *r
			r.t = t
			g, log := r.logged(c.name, 100, 30, c.set, "ccdir attach colours")
			g.shows("from-16 from-256 from-16m attrs", c.frame, "PANE")
			g.keys("C-b", "?") // chrome with all of its styles
			g.shows("type to find one")
			g.keys("Escape")
			g.lacks("type to find one")
			g.keys("C-b", "d")
			var data []byte
			r.eventually("the log's end", func() bool {
				data, _ = os.ReadFile(log)
				return strings.Contains(string(data), "\x1b[?1049l")
			})
			for _, want := range c.must {
				if !strings.Contains(string(data), want) {
					t.Errorf("%q was never sent", want)
				}
			}
			for _, bad := range c.never {
				if found := bad.Find(data); found != nil {
					t.Errorf("%q was sent (%v)", found, bad)
				}
			}
			for _, mode := range []string{"1049", "2004", "1004", "1002", "1006"} {
				if strings.LastIndex(string(data), "\x1b[?"+mode+"h") > strings.LastIndex(string(data), "\x1b[?"+mode+"l") {
					t.Errorf("mode %s is left on", mode)
				}
			}
		})
	}
}

// TestLightBackground: the answer to the question about the background gives the
// palette, whenever it comes.
func TestLightBackground(t *testing.T) {
	r := newRig(t)
	r.session("alpha", echoing("this-is-alpha")...)
	g, log := r.logged("grid", 80, 24, "-u TMUX TERM=xterm-256color", "ccdir")
	g.shows("this-is-alpha", "alpha ○")
	r.eventually("the question", func() bool {
		data, _ := os.ReadFile(log)
		return strings.Contains(string(data), "\x1b]11;?")
	})
	accent := func(colour int) {
		t.Helper()
		r.eventually(fmt.Sprintf("a frame in colour %d", colour), func() bool {
			return regexp.MustCompile(fmt.Sprintf(`38;5;%dm[━┏]`, colour)).MatchString(g.styled())
		})
	}
	accent(75)
	g.text("\x1b]11;rgb:ffff/fdfd/f6f6\x1b\\")
	accent(25)
	g.text("\x1b]11;rgb:0000/0000/0000\a")
	accent(75)
	g.text("typed-after")
	if s := g.shows("typed-after"); strings.Contains(s, "rgb:") {
		t.Errorf("an answer was typed into the pane:\n%s", s)
	}
}

// TestResizeStorm: after a hundred sizes the program has the last one, and what
// is on the screen is what a fresh drawing shows.
func TestResizeStorm(t *testing.T) {
	r := newRig(t)
	r.session("sizer", "sh", "-c", `trap 's=$(stty size)' WINCH; while :; do [ "$s" = "$o" ] || echo "size $s"; o=$s; read x <>/dev/null; sleep 0.05; done`)
	r.session("rows", "sh", "-c", `i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo "row $i 日本語 of many"; done; exec cat`)
	g := r.grid(120, 40)
	g.shows("row 200", "sizer")
	g.keys("C-b", "e") // the events have times, which go on
	storm := []string{}
	for i := range 100 {
		storm = append(storm, "resize-window", "-t", g.name, "-x", fmt.Sprint(20+(i*37)%180), "-y", fmt.Sprint(3+(i*13)%60), ";")
	}
	g.tmux(append(storm, "resize-window", "-t", g.name, "-x", "110", "-y", "34")...)
	g.keys("C-b", "M-6") // rows: one below the other
	g.shows("layout rows", "row 200")
	g.shows("size 15 110")
	// All but the titles, which have times, and the status line, which has notices.
	fixed := func(s string) string {
		lines := strings.Split(s, "\n")
		return titles.ReplaceAllString(strings.Join(lines[:33], "\n"), "")
	}
	before, same := "", 0
	g.until("quiet", func(s string) bool {
		if s = fixed(s); s != before {
			before, same = s, 0
		}
		same++
		return same > 5
	})
	g.keys("C-b", "r")
	g.until("as a fresh drawing", func(s string) bool { return fixed(s) == before })
}

var titles = regexp.MustCompile(`(?m)^.*\[\*\].*$`)

package tmux

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"ccdir/test/vconsole"
)

// console is a console of the Linux kernel with a shell on it.
type console struct {
	*vconsole.Console
	r *rig
}

func (r *rig) console(cols, rows int) *console {
	r.t.Helper()
	c := &console{vconsole.Open(r.t, cols, rows), r}
	sh := exec.Command("sh")
	sh.Env = append(append([]string(nil), r.env...), "TERM=linux")
	sh.Dir = r.home
	c.Start(sh)
	r.t.Cleanup(func() {
		_ = sh.Process.Kill()
		_ = sh.Wait()
	})
	c.until("the shell", func(s vconsole.Screen) bool { return strings.HasPrefix(s.Text(), "$ ") })
	return c
}

func (c *console) until(what string, ok func(vconsole.Screen) bool) vconsole.Screen {
	c.r.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		s := c.Screen()
		if ok(s) {
			return s
		}
		if time.Now().After(deadline) {
			c.r.t.Fatalf("never on the console: %s\n%s", what, s.Text())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (c *console) shows(parts ...string) vconsole.Screen {
	c.r.t.Helper()
	return c.until(fmt.Sprintf("%q", parts), func(s vconsole.Screen) bool {
		text := s.Text()
		for _, p := range parts {
			if !strings.Contains(text, p) {
				return false
			}
		}
		return true
	})
}

// consoleTitle is the beginning of a pane's title on a console.
var consoleTitle = regexp.MustCompile(`[═━─] \d `)

// ruled counts the panes by their titles, and names the first place where a rule beside one
// has a hole: below each crossing in the first row there is a line until a rule ends it or
// the bars below the panes begin.
func ruled(s vconsole.Screen) (n int, broken string) {
	for y := range s.Rows {
		n += len(consoleTitle.FindAllString(s.Row(y), -1))
	}
	for x := range s.Cols {
		if !strings.ContainsRune("┬╦┳┌╔╗", s.Cells[x].Char) {
			continue
		}
		for y := 1; y < s.Rows-3; y++ {
			switch c := s.Cells[y*s.Cols+x].Char; {
			case strings.ContainsRune("┴╩┻", c):
				y = s.Rows
			case !strings.ContainsRune("│║┃├┤┼╠╣╬┣┫╋", c):
				return n, fmt.Sprintf("%q in the rule at column %d row %d", c, x, y)
			}
		}
	}
	return n, ""
}

// framed waits until so many panes have titles, and whole rules between them.
func (c *console) framed(panes int) vconsole.Screen {
	c.r.t.Helper()
	return c.until(fmt.Sprintf("%d panes with whole rules", panes), func(s vconsole.Screen) bool {
		n, broken := ruled(s)
		return n == panes && broken == ""
	})
}

// TestLinuxConsole: the grid on a console of the Linux kernel, by what the kernel made
// of it: its rules beside wide characters and emoji in every size, its sixteen
// colours, the keys as its keyboard sends them, and what is left after a detach.
func TestLinuxConsole(t *testing.T) {
	r := newRig(t)
	wide := `i=0; while [ $i -lt 60 ]; do i=$((i+1)); p=; [ $((i%2)) = 0 ] || p=x; echo "${p}日本語の長い行がペインの端を越えて👍続きます👩‍🚀日本語の長い行がペインの端を越えて続きます$i"; done; exec cat`
	r.session("wide", "sh", "-c", wide)
	r.session("clipped", "sh", "-c", `printf '\033[?7l'; `+wide)
	r.session("keys", "sh", "-c", `stty raw -echo; printf '\033[1;31mred\033[m \033[7minverse\033[m keys-ready\r\n'; exec cat -v`)
	c := r.console(80, 25)
	c.Type("ccdir\n")
	c.shows("═ 1 wide [ ]", "clipped [ ]", "keys [ ]", "keys-ready", "PANE")
	c.Resize(132, 43)
	c.shows(" since ")
	c.Type("\x02e") // without the events, which are in view from 96 columns on
	c.until("no events", func(s vconsole.Screen) bool { return !strings.Contains(s.Text(), " since ") })
	for _, size := range [][2]int{{80, 25}, {81, 25}, {100, 37}, {160, 50}, {500, 150}, {132, 43}} {
		c.Resize(size[0], size[1])
		c.framed(3)
	}
	c.Resize(40, 10) // one pane and a line of the others
	c.framed(1)
	c.Resize(160, 50)
	c.framed(3)

	// What the keyboard sends reaches the program as xterm sends it.
	c.Type("\x023")
	c.shows("═ 3 keys [ ]")
	c.Type("\x1b[[A\x1b[[E\x1b[17~\x1b[24~\x1b[A\x1b[D\x1b[1~\x1b[4~\x1b[2~\x1b[5~\x1bx\x7f\x1b[26~|")
	c.shows("^[OP", "^[[15~", "^[[17~", "^[[24~", "^[[A^[[D", "^[x^?")
	c.Type("ä日|")
	c.shows("M-CM-$") // whole characters

	s := c.shows("red inverse keys-ready")
	for text, attr := range map[string]uint8{"red inverse": 0x0c, "inverse keys": 0x70, "keys-ready": 0x07, "PANE": 0x70} {
		for y := range s.Rows {
			if before, _, ok := strings.Cut(s.Row(y), text); ok {
				at := c.column(s, y, before)
				if got := s.Cells[y*s.Cols+at].Attr; got != attr {
					t.Errorf("%q has attributes %#x, want %#x", text, got, attr)
				}
			}
		}
	}

	// Nothing of the grid is left, and the shell has its console back.
	c.Type("\x02d")
	c.until("the shell's prompt", func(s vconsole.Screen) bool { return strings.HasSuffix(strings.TrimSpace(s.Text()), "\n$") })
	c.Type("stty -a | tr ' ' '\\n' | grep -c -e '^icanon$' -e '^echo$' -e '^opost$'; echo done-$((40+2))\n")
	s = c.shows("done-42")
	if text := s.Text(); !strings.Contains(text, "detached: 3 sessions go on") || strings.ContainsAny(text, "│║═") || !strings.Contains(strings.ReplaceAll(text, " ", ""), "\n3\ndone-42") {
		t.Errorf("what a detach leaves:\n%s", text)
	}
	for i, cell := range s.Cells {
		if cell.Attr != 0x07 {
			t.Fatalf("column %d row %d is left with attributes %#x", i%s.Cols, i/s.Cols, cell.Attr)
		}
	}
}

// column is the column after the text before, which row y begins with.
func (c *console) column(s vconsole.Screen, y int, before string) int {
	x := 0
	for n := len([]rune(before)); n > 0; x++ {
		if s.Cells[y*s.Cols+x].Char != 0 {
			n--
		}
	}
	return x
}

// TestTmuxOnLinuxConsole: joined emoji break no frame where the terminal around tmux
// gives each of their parts its own columns.
func TestTmuxOnLinuxConsole(t *testing.T) {
	r := newRig(t)
	probe := vconsole.Open(t, 80, 25)
	probe.Write("👩x")
	if s := probe.Screen(); s.X != 3 {
		t.Skip("this kernel gives emoji one column, and tmux two, whatever is in the panes")
	}
	joined := `i=0; while [ $i -lt 30 ]; do i=$((i+1)); echo "$i 日本👩‍🚀語👨‍👩‍👧x👍🏽y❤️z🇩🇪 family"; done; echo all-there; exec cat`
	r.session("left", "sh", "-c", joined)
	r.session("right", "sh", "-c", joined)
	c := r.console(120, 35)
	c.Type("tmux -u -L " + r.socket + " -f /dev/null new-session ccdir\n")
	c.shows("━ 1 left ○", "right ○", "all-there", "PANE")
	c.Type("\x02\x02e") // without the events; tmux takes the first one
	c.framed(2)
	c.Resize(100, 30)
	c.framed(2)
}

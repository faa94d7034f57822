package tmux

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// many is a command that prints numbered lines, one longer than any pane, and
// then what is typed.
func many(n int) []string {
	return []string{"sh", "-c", fmt.Sprintf(`i=0; while [ $i -lt %d ]; do i=$((i+1)); echo "row $i of many"; done; printf 'word%%.0s' $(seq 60); echo; echo bottom-line; exec cat`, n)}
}

// buffer waits until the outer tmux has taken a copied text by OSC 52.
func (t *term) buffer(want string) {
	t.t.Helper()
	t.eventually(fmt.Sprintf("%q in tmux's buffer", want), func() bool {
		got, _ := t.try("tmux", "-L", t.socket, "show-buffer")
		return got == want
	})
}

func TestCopyMode(t *testing.T) {
	r := newRig(t)
	r.session("many", many(3000)...)
	g := r.grid(100, 30)
	g.tmux("set", "-g", "set-clipboard", "on")
	g.shows("bottom-line", "PANE")
	g.keys("C-b", "[")
	g.shows("COPY", "↑ 0/")
	// Search to older lines, through all of the history.
	g.keys("?")
	g.shows("FIND")
	g.text("ROW 17 OF")
	g.shows("none")
	g.keys("C-u")
	g.text("row 17 of")
	g.shows("1/1", "row 17 of many")
	g.keys("Enter")
	g.shows("COPY")
	g.keys("V", "j", "y")
	g.buffer("row 17 of many\nrow 18 of many\n")
	g.shows("PANE", "bottom-line", "copied 2 lines")
	// A wrapped line is one line, and what the program prints moves nothing.
	g.keys("C-b", "[", "?")
	g.text("wordword")
	g.keys("Enter")
	g.shows("COPY")
	r.run("ccdir", "keys", "many", "x", "Enter")
	g.shows("new output")
	g.keys("V", "Enter")
	g.buffer(strings.Repeat("word", 60) + "\n")
	g.shows("PANE")
}

// TestCopyResized: when the terminal gets another size, the lines in copy mode are
// wrapped anew by themselves, and the selection stays on its text.
func TestCopyResized(t *testing.T) {
	r := newRig(t)
	r.session("many", many(300)...)
	g := r.grid(100, 30)
	g.tmux("set", "-g", "set-clipboard", "on")
	g.shows("bottom-line", "PANE")
	g.keys("C-b", "[", "?")
	g.text("row 299 of")
	g.shows("1/1", "row 299 of many")
	g.keys("Enter", "V", "j", "j")
	g.shows("COPY")
	word := strings.Repeat("word", 60)
	for _, cols := range []int{60, 90, 40} {
		g.tmux("resize-window", "-t", g.name, "-x", fmt.Sprint(cols), "-y", "30")
		whole := "\n" + word[:cols] + "\n"
		g.until("the long line as wide as the pane", func(s string) bool {
			return strings.Contains(s, "COPY") && strings.Contains(s, whole) && strings.Contains(s, "row 299 of many")
		})
	}
	g.keys("y")
	g.buffer("row 299 of many\nrow 300 of many\n" + word + "\n")
}

// TestCopyKinds: characters, lines and a block, as they were selected by keys.
func TestCopyKinds(t *testing.T) {
	r := newRig(t)
	r.session("table", "sh", "-c", `printf 'one   two   three\r\n日本  四    five\r\nsix   seven eight\r\n'; exec cat`)
	g := r.grid(100, 30)
	g.tmux("set", "-g", "set-clipboard", "on")
	for _, c := range []struct {
		keys []string
		says string
		want string
	}{
		{[]string{"v", "l", "l"}, "selecting ", "one"},
		{[]string{"v", "j", "$"}, "selecting ", "one   two   three\n日本  四    five"},
		{[]string{"V", "j"}, "selecting lines", "one   two   three\n日本  四    five\n"},
		{[]string{"w", "C-v", "j", "j", "l", "l"}, "selecting a block", "two\n四\nsev"},
		{[]string{"C-v", "j", "j", "l"}, "selecting a block", "on\n日\nsi"},
		// Another key of a kind changes it, the same one ends it.
		{[]string{"v", "V", "C-v", "j", "j"}, "selecting a block", "o\n日\ns"},
		{[]string{"v", "j", "v", "g", "V"}, "selecting lines", "one   two   three\n"},
	} {
		g.shows("six   seven", "PANE")
		g.keys("C-b", "[", "g", "0")
		g.shows("COPY")
		g.keys(c.keys...)
		g.shows(c.says)
		g.keys("y")
		g.buffer(c.want)
		g.shows("copied ", "PANE")
	}
}

func TestCopyFromEndedSession(t *testing.T) {
	r := newRig(t)
	r.session("gone", "sh", "-c", `i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo "row $i of gone"; done; read x`)
	g := r.grid(100, 30)
	g.tmux("set", "-g", "set-clipboard", "on")
	g.shows("row 200 of gone")
	g.keys("Enter")
	g.shows("gone ▪")
	g.keys("C-b", "[", "g")
	g.shows("row 1 of gone")
	g.keys("v", "$", "y")
	g.buffer("row 1 of gone")
}

func TestMouseSelectsAndScrolls(t *testing.T) {
	r := newRig(t)
	r.session("many", many(500)...)
	r.session("other", echoing("other-here")...)
	g := r.grid(120, 40)
	g.tmux("set", "-g", "set-clipboard", "on")
	x, y := g.find("bottom-line")
	mouse := func(button, x, y int, end string) { g.text(fmt.Sprintf("\x1b[<%d;%d;%d%s", button, x, y, end)) }
	// A drag ends at the pane's border, wherever the pointer goes.
	mouse(0, x, y, "M")
	mouse(32, x+5, y, "M")
	g.shows("SCROLL")
	mouse(0, x+5, y, "m")
	g.buffer("bottom")
	mouse(0, x+2, y, "M")
	mouse(32, 200, y, "M")
	mouse(0, 200, y, "m")
	g.buffer("ttom-line")
	g.keys("Escape")
	g.shows("PANE")
	// Double click: the word.
	x, y = g.find("bottom-line")
	g.doubleClick(x+8, y)
	g.buffer("line")
	g.keys("Escape")
	g.shows("PANE")
	// The wheel scrolls the history below it; typing goes to the program.
	for range 20 {
		mouse(64, x, y, "M")
	}
	g.lacks("bottom-line")
	g.shows("↑ 60/")
	g.text("typed-now\n")
	g.shows("bottom-line", "typed-now", "PANE")
}

func TestScrollbackInEditor(t *testing.T) {
	r := newRig(t)
	r.session("many", many(500)...)
	editor := filepath.Join(r.home, "editor")
	script := "#!/bin/sh\ncd " + r.home + `
ls -l "$1" | cut -c1-10 >mode
grep -c 'of many' "$1" >lines
echo "$1" >name
stty -a | tr ' ' '\n' | grep -c -e '^icanon$' -e '^echo$'
echo in-the-editor
read answer
echo "$answer" >answer
`
	if err := os.WriteFile(editor, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	r.env = append(r.env, "EDITOR="+editor)
	g := r.grid(100, 30)
	g.shows("bottom-line")
	g.keys("C-b", "[", "e")
	if s := g.shows("in-the-editor"); strings.Contains(s, "COPY") || !strings.Contains(s, "2\nin-the") {
		t.Errorf("the terminal is not in order for the editor:\n%s", s)
	}
	g.text("typed-there\n")
	g.shows("bottom-line", "COPY")
	for name, want := range map[string]string{"mode": "-rw-------\n", "lines": "500\n", "answer": "typed-there\n"} {
		if got, err := os.ReadFile(filepath.Join(r.home, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q (%v), want %q", name, got, err, want)
		}
	}
	name, _ := os.ReadFile(filepath.Join(r.home, "name"))
	if _, err := os.Stat(strings.TrimSpace(string(name))); !os.IsNotExist(err) {
		t.Errorf("the editor's file %s is still there (%v)", name, err)
	}
	// The grid has its terminal again: keys, mouse, modes.
	g.keys("q")
	g.shows("PANE")
	g.text("back-again\n")
	g.shows("back-again")
	if flags := g.tmux("display-message", "-p", "-t", "grid", "#{alternate_on}#{mouse_any_flag}"); flags != "11\n" {
		t.Errorf("alternate screen, mouse: %q", flags)
	}
}

// TestSearchFindsPanes: a word in the scrollback of a running session, which is on another
// page, is found from the grid, and Enter shows its line in copy mode.
func TestSearchFindsPanes(t *testing.T) {
	r := newRig(t)
	r.session("front", echoing("this-is-front")...)
	r.session("long", "sh", "-c", "i=0; while [ $i -lt 400 ]; do i=$((i+1)); echo wader $i of many; done; exec sleep 1000")
	g := r.grid(50, 20)
	g.keys("C-b", "1")
	g.shows("this-is-front")
	if out := r.run("ccdir", "search", "wader", "250"); !strings.Contains(out, "wader 250 of many") {
		t.Errorf("the verb finds\n%s", out)
	}
	g.keys("C-b", "/", "/")
	g.text("wader 250")
	g.keys("Enter")
	g.shows("1 place with wader 250")
	g.keys("Enter")
	g.shows("COPY", "wader 250 of many")
	g.keys("q")
	g.shows("wader 400 of many", "PANE")
}

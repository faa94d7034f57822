package tmux

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// echoing is a command that shows a greeting and then what is typed.
func echoing(greeting string) []string {
	return []string{"sh", "-c", "echo " + greeting + "; exec cat"}
}

// four starts four sessions.
func four(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	for _, n := range []string{"alpha", "beta", "gamma", "delta"} {
		r.session(n, echoing("this-is-"+n)...)
	}
	return r
}

func TestFourPanesAndFocus(t *testing.T) {
	r := four(t)
	g := r.grid(160, 45)
	g.shows("1 alpha ○", "2 beta ○", "3 gamma ○", "4 delta ○",
		"this-is-alpha", "this-is-beta", "this-is-gamma", "this-is-delta", " since ", "PANE")
	g.until("alpha focused", focusedTitle("alpha"))
	g.text("to-alpha")
	g.keys("Enter")
	g.shows("to-alpha")
	g.keys("C-b")
	g.shows("CCDIR")
	g.keys("l")
	g.until("beta focused", focusedTitle("beta"))
	g.keys("C-b", "j")
	g.until("delta focused", focusedTitle("delta"))
	g.keys("C-b", "Tab")
	g.until("alpha focused", focusedTitle("alpha"))
	g.keys("C-b", "3")
	g.until("gamma focused", focusedTitle("gamma"))
	g.text("to-gamma")
	g.keys("Enter")
	r.eventually("gamma got what was typed", func() bool {
		out := r.run("ccdir", "output", "gamma")
		return strings.Contains(out, "to-gamma") && !strings.Contains(out, "to-alpha")
	})
	// From outside.
	r.run("ccdir", "focus", "beta")
	g.until("beta focused", focusedTitle("beta"))
	// A new session does not take the focus.
	r.session("epsilon", echoing("this-is-epsilon")...)
	g.shows("epsilon", "4 more") // from five on there is one large pane
	g.until("beta focused", focusedTitle("beta"))
}

func TestZoomAndResize(t *testing.T) {
	r := newRig(t)
	// sh keeps asking for its size; the answers tell what the program knows.
	r.session("sizer", "sh", "-c", `while :; do s=$(stty size); [ "$s" = "$o" ] || echo "size $s"; o=$s; sleep 0.05; done`)
	r.session("other", echoing("other-here")...)
	g := r.grid(100, 40)
	g.shows("other-here", "size ")
	g.keys("C-b", "z")
	g.lacks("other-here")
	g.shows("zoomed")
	// Alone it has everything but title, events, prompt bar and status line.
	g.until("the zoomed size", func(s string) bool { return strings.Contains(s, "size 37 ") })
	g.tmux("resize-window", "-t", "grid", "-x", "90", "-y", "30")
	g.shows("size 27 90")
	g.keys("C-b", "z")
	g.shows("other-here", "sizer")
	g.tmux("resize-window", "-t", "grid", "-x", "40", "-y", "10")
	g.shows("○sizer", "○other")
	g.lacks("other-here")
	g.keys("C-b", "Tab")
	g.shows("other-here")
	g.tmux("resize-window", "-t", "grid", "-x", "200", "-y", "60")
	g.shows("other-here", "size ", " since ")
}

func TestDetachAndAttach(t *testing.T) {
	r := newRig(t)
	r.session("alpha", echoing("this-is-alpha")...)
	sh := r.open("login", 100, 30, "exec sh")
	sh.text("ccdir\n")
	sh.shows("this-is-alpha", "PANE")
	sh.text("before\n")
	sh.shows("before")
	sh.keys("C-b", "d")
	sh.lacks("PANE")
	sh.until("the shell's prompt", func(s string) bool { return strings.HasSuffix(strings.TrimSpace(s), "\n$") })
	// The terminal is as it was: echo, lines, cursor, no alternate screen.
	sh.text("stty -a | tr ' ' '\\n' | grep -c -e '^icanon$' -e '^echo$'; echo done-$((40+2))\n")
	if s := sh.shows("done-42"); !strings.Contains(s, "\n2\n") {
		t.Errorf("the terminal is not in order:\n%s", s)
	}
	if flags := sh.tmux("display-message", "-p", "-t", "login", "#{alternate_on}#{mouse_any_flag}#{cursor_flag}"); flags != "001\n" {
		t.Errorf("alternate screen, mouse, cursor: %q", flags)
	}
	sh.text("ccdir attach alpha\n")
	sh.shows("this-is-alpha", "before", "zoomed")
	// The terminal goes away: the session doesn't.
	sh.tmux("kill-session", "-t", "login")
	sh2 := r.open("again", 80, 24, "ccdir")
	sh2.shows("alpha ○", "this-is-alpha", "before")
}

func TestKill(t *testing.T) {
	r := four(t)
	g := r.grid(120, 40)
	g.shows("this-is-delta")
	g.until("alpha focused", focusedTitle("alpha"))
	g.keys("C-b", "x")
	g.shows("Kill alpha?", "y yes")
	g.keys("Enter")
	g.lacks("Kill alpha?")
	g.shows("alpha ○")
	g.keys("C-b", "x")
	g.shows("Kill alpha?")
	g.keys("y")
	g.shows("alpha ▪ exit")
	// Its last screen stays; another x removes it.
	g.shows("this-is-alpha")
	g.keys("C-b", "x")
	g.shows("Remove alpha")
	g.keys("y")
	g.lacks("alpha ▪")
	if out := r.run("ccdir", "ls"); strings.Contains(out, "alpha") || !strings.Contains(out, "beta") {
		t.Errorf("ccdir ls: %s", out)
	}
}

func TestExitShowsCodeAndLastScreen(t *testing.T) {
	r := newRig(t)
	r.session("short", "sh", "-c", "printf '\\033[1;31mlast-words\\033[m\\n'; read x; exit 7")
	g := r.grid(80, 24)
	g.shows("last-words")
	g.keys("Enter")
	g.shows("short × exit 7", "last-words") // its end was seen
	g.detach()
	// A client that never saw it running shows it too.
	again := r.open("again", 80, 24, "ccdir")
	again.shows("short × exit 7", "last-words")
}

func TestNewDialog(t *testing.T) {
	r := newRig(t)
	dir := filepath.Join(r.home, "project")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	g := r.grid(100, 30)
	g.shows("No sessions yet", "to start one")
	g.keys("n")
	g.shows("new session", "shell")
	g.keys("s")
	g.shows("‹shell›")
	g.keys("Tab", "C-u")
	g.text(filepath.Join(r.home, "nowhere"))
	g.keys("Tab", "Tab") // the first one looks for directories of such a name
	g.text("mine")
	g.keys("Enter")
	g.shows("does not", "create it", "new session") // the reason, in the dialog, where it wraps
	g.keys("BTab", "C-u")
	g.text(dir)
	g.keys("Enter")
	g.lacks("new session")
	g.shows("mine")
	g.text("pwd\n")
	g.shows("/project")
	if out := r.run("ccdir", "ls", "--json"); !strings.Contains(out, `"mine"`) {
		t.Errorf("ccdir ls: %s", out)
	}
}

func TestPromptBarReachesTheDemoAgent(t *testing.T) {
	r := newRig(t)
	g := r.grid(120, 40)
	g.shows("No sessions yet")
	g.keys("n")
	g.shows("demo")
	g.keys("d")
	g.shows("‹demo›")
	g.keys("Enter")
	g.lacks("new session")
	g.shows("demo-1 ○")
	g.keys("C-b", ":")
	g.shows("PROMPT")
	g.text("say hello-from-the-prompt-bar")
	g.keys("Enter")
	g.shows("> say hello", "done: hello-from")
}

func TestPaste(t *testing.T) {
	r := newRig(t)
	// The program asks for bracketed paste and shows the bytes that it gets.
	r.session("bytes", "sh", "-c", `stty raw -echo; printf '\033[?2004hready\r\n'; exec od -An -c -w8`)
	r.session("plain", echoing("plain-ready")...)
	g := r.grid(100, 40)
	g.shows("ready", "plain-ready")
	file := filepath.Join(r.home, "paste")
	if err := os.WriteFile(file, []byte("two\nlines of it"), 0o600); err != nil {
		t.Fatal(err)
	}
	g.tmux("load-buffer", file)
	g.tmux("paste-buffer", "-p", "-t", "grid")
	g.shows(`033   [   2   0   0   ~   t   w`, `033   [   2   0`)
	g.keys("C-b", "Tab")
	g.until("plain focused", focusedTitle("plain"))
	g.tmux("paste-buffer", "-p", "-t", "grid")
	g.keys("Enter")
	s := g.shows("lines of it")
	if strings.Contains(s, "200~two") {
		t.Errorf("a program without bracketed paste got brackets:\n%s", s)
	}
}

func TestMouse(t *testing.T) {
	r := newRig(t)
	r.session("beta", echoing("this-is-beta")...)
	r.session("gamma", echoing("this-is-gamma")...)
	r.session("mouse", "sh", "-c", `stty raw -echo; printf '\033[?1000h\033[?1006hmouse-ready\r\n'; exec cat -v`)
	g := r.grid(200, 60)
	x, y := g.find("this-is-gamma")
	g.click(x, y)
	g.until("gamma focused", focusedTitle("gamma"))
	// The program that wants the mouse gets it in its own cells.
	x, y = g.find("mouse-ready")
	g.click(x+2, y+3)
	g.until("mouse focused", focusedTitle("mouse"))
	g.shows("^[[<0;3;4M", "^[[<0;3;4m")
	// The wheel goes to what is below it.
	g.text(fmt.Sprintf("\x1b[<64;%d;%dM", x, y))
	g.shows("^[[<64;1;1M")
}

func TestClientsOfDifferentSizes(t *testing.T) {
	r := newRig(t)
	r.session("shared", echoing("this-is-shared")...)
	big := r.grid(120, 40)
	big.shows("this-is-shared")
	small := r.open("small", 60, 15, "ccdir --help >/dev/null; exec ccdir attach --read-only")
	small.shows("this-is-shared", "clipped", "LOOK")
	small.text("not-typed\n")
	small.shows("read-only")
	big.text("typed\n")
	small.shows("typed")
	if out := r.run("ccdir", "output", "shared"); strings.Contains(out, "not-typed") {
		t.Errorf("read-only typed: %s", out)
	}
	// Who types last owns the size.
	third := r.open("third", 80, 20, "exec ccdir")
	third.shows("this-is-shared", "clipped")
	third.text("mine\n")
	third.lacks("clipped")
	big.until("smaller than its room", func(s string) bool { return strings.Contains(s, "80x17") })
}

func TestWithoutColours(t *testing.T) {
	r := four(t)
	r.env = append(r.env, "NO_COLOR=1")
	g := r.grid(120, 40)
	g.shows("alpha ○", "this-is-delta")
	if c := regexp.MustCompile(`\x1b\[[0-9;]*\b(3[0-8]|4[0-8]|9[0-7]|10[0-7])\b[0-9;]*m`).FindString(g.styled()); c != "" {
		t.Errorf("a colour: %q", c)
	}
	g.until("focus without colour", focusedTitle("alpha"))
}

func TestTerminatedGridRestoresTheTerminal(t *testing.T) {
	r := newRig(t)
	r.session("alpha", echoing("this-is-alpha")...)
	sh := r.open("login", 100, 30, "exec sh")
	sh.text("ccdir; echo status-$?\n")
	sh.shows("this-is-alpha")
	pid := strings.TrimSpace(sh.tmux("display-message", "-p", "-t", "login", "#{pane_pid}"))
	child := strings.TrimSpace(r.run("pgrep", "-P", pid, "ccdir"))
	r.run("kill", "-TERM", child)
	sh.until("its exit status", regexp.MustCompile(`status-\d`).MatchString)
	sh.text("echo still-$((1+1))\n")
	sh.shows("still-2")
	if flags := sh.tmux("display-message", "-p", "-t", "login", "#{alternate_on}#{mouse_any_flag}#{cursor_flag}"); flags != "001\n" {
		t.Errorf("alternate screen, mouse, cursor: %q", flags)
	}
}

func TestDaemonRestartsBelowTheGrid(t *testing.T) {
	r := newRig(t)
	r.session("alpha", echoing("this-is-alpha")...)
	g := r.grid(120, 40)
	g.shows("this-is-alpha", "PANE")
	r.run("ccdir", "daemon", "stop")
	g.shows("the daemon does not answer")
	g.text("while-it-is-away\n")
	g.shows("while-it-is-away")
	r.run("ccdir", "daemon", "start")
	g.lacks("does not answer")
	g.shows("alpha ○", "while-it-is-away", "daemon restarted, 1")
}

package tmux

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shell opens a shell with job control and something on its screen.
func (r *rig) shell(name string) *term {
	r.t.Helper()
	sh := r.open(name, 100, 30, "exec sh -i")
	sh.text("echo of-the-shell-$((40+2))\n")
	sh.shows("of-the-shell-42")
	return sh
}

// inOrder checks that the shell has its terminal as it was: what it showed, echo and
// lines, no alternate screen, no mouse, a cursor.
func (t *term) inOrder() {
	t.t.Helper()
	t.shows("of-the-shell-42")
	t.prompts()
	t.text("stty -a | tr ' ' '\\n' | grep -c -e '^icanon$' -e '^echo$' -e '^isig$'; echo asked-$((40+3))\n")
	if s := t.shows("asked-43"); !strings.Contains(s, "\n3\nasked-43") {
		t.t.Errorf("the terminal is not in order:\n%s", s)
	}
	t.prompts()
	t.text("clear; echo of-the-shell-$((40+2))\n")
	t.lacks("asked-43")
	if flags := t.tmux("display-message", "-p", "-t", t.name, "#{alternate_on}#{mouse_any_flag}#{cursor_flag}"); flags != "001\n" {
		t.t.Errorf("alternate screen, mouse, cursor: %q", flags)
	}
}

// prompts waits until the shell has its terminal, and shows its prompt.
func (t *term) prompts() {
	t.t.Helper()
	t.until("the shell's prompt", func(s string) bool { return strings.HasSuffix(strings.TrimSpace(s), "$") })
}

// process is the pid of the grid in a terminal.
func (t *term) process() string {
	t.t.Helper()
	shell := strings.TrimSpace(t.tmux("display-message", "-p", "-t", t.name, "#{pane_pid}"))
	return strings.TrimSpace(t.run("pgrep", "-P", shell, "ccdir"))
}

// gone waits until a process has ended.
func (r *rig) gone(pid string) {
	r.t.Helper()
	r.eventually("the end of "+pid, func() bool {
		_, err := os.Stat("/proc/" + pid)
		if err == nil {
			_, err = r.try("kill", "-0", pid)
		}
		return err != nil
	})
}

// TestSuspend: the grid returns the terminal to the shell and takes it again, by its
// key and by the signal that a shell's own key sends to other programs.
func TestSuspend(t *testing.T) {
	r := newRig(t)
	r.session("alpha", echoing("this-is-alpha")...)
	editor := filepath.Join(r.home, "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\necho in-the-editor; kill -TSTP 0; echo editing-again; read x\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.env = append(r.env, "EDITOR="+editor)
	sh := r.shell("login")
	sh.text("ccdir\n")
	sh.shows("this-is-alpha", "PANE")
	sh.text("before\n")
	sh.shows("before")
	for _, suspend := range []func(){
		func() { sh.keys("C-b", "C-z") },
		func() { r.run("kill", "-TSTP", sh.process()) },
	} {
		suspend()
		sh.shows("of-the-shell-42")
		sh.lacks("PANE")
		sh.inOrder()
		sh.text("jobs\n")
		sh.shows("ccdir", "of-the-shell-42")
		sh.text("fg\n")
		sh.shows("this-is-alpha", "before", "PANE")
		if flags := sh.tmux("display-message", "-p", "-t", "login", "#{alternate_on}#{mouse_any_flag}"); flags != "11\n" {
			t.Errorf("alternate screen, mouse: %q", flags)
		}
	}
	sh.text("after\n")
	sh.shows("after", "before")
	// An editor that the grid runs is stopped with it, and goes on with it.
	sh.keys("C-b", "[", "E")
	sh.until("the shell's prompt", func(s string) bool {
		return strings.Contains(s, "in-the-editor") && strings.HasSuffix(strings.TrimSpace(s), "\n$")
	})
	sh.inOrder()
	sh.text("fg\n")
	sh.shows("editing-again")
	sh.keys("Enter")
	sh.shows("before", "COPY")
	sh.keys("q")
	sh.shows("PANE")
	sh.keys("C-b", "d")
	sh.inOrder()
	// Without a shell that could continue it, it says so and stays.
	g := r.grid(100, 30)
	g.shows("this-is-alpha", "PANE")
	g.keys("C-b", "C-z")
	g.shows("suspending failed: no shell", "this-is-alpha")
	g.text("still-here\n")
	g.shows("still-here")
}

// TestTerminalLost: the grid ends with its terminal, in whatever way, and its sessions
// continue; the last typed text is not lost.
func TestTerminalLost(t *testing.T) {
	r := newRig(t)
	r.session("alpha", echoing("this-is-alpha")...)
	for name, lose := range map[string]func(*term){
		"window": func(g *term) { g.tmux("kill-session", "-t", g.name) },
		"hangup": func(g *term) { r.run("kill", "-HUP", g.process()) },
		"killed": func(g *term) { r.run("kill", "-KILL", g.process()) },
	} {
		t.Run(name, func(t *testing.T) {
			r := *r
			r.t = t
			sh := r.shell(name)
			sh.text("ccdir\n")
			sh.shows("this-is-alpha", "PANE")
			sh.text("typed-in-" + name + "\n")
			sh.shows("typed-in-" + name)
			pid := sh.process()
			lose(sh)
			r.gone(pid)
			r.eventually("the session has what was typed", func() bool {
				return strings.Contains(r.run("ccdir", "output", "alpha"), "typed-in-"+name)
			})
			if out := r.run("ccdir", "ls"); !strings.Contains(out, "○ command") {
				t.Errorf("ccdir ls: %s", out)
			}
		})
	}
}

// logOf starts the grid and returns a function that waits for what it sends.
func (r *rig) logOf(set, command string) (*term, func(parts ...string)) {
	r.t.Helper()
	g, log := r.logged("grid", 100, 30, set, command)
	return g, func(parts ...string) {
		r.t.Helper()
		var data []byte
		for _, p := range parts {
			r.eventually("sent: "+p, func() bool {
				data, _ = os.ReadFile(log)
				return strings.Contains(string(data), p)
			})
		}
	}
}

// TestCursorShape: the terminal's cursor has the shape that the focused pane's program
// wants, another pane's when that is focused, and the terminal's own at the end.
func TestCursorShape(t *testing.T) {
	r := newRig(t)
	r.session("bar", "sh", "-c", `printf '\033[5 qbar-here'; exec cat`)
	r.session("line", "sh", "-c", `printf '\033[4 qline-here'; exec cat`)
	g, sent := r.logOf("-u TMUX TERM=xterm-256color", "ccdir")
	g.shows("bar-here", "line-here", "PANE")
	sent("\x1b[5 q")
	g.keys("C-b", "Tab")
	sent("\x1b[4 q")
	g.keys("C-b", ":")
	g.shows("PROMPT")
	g.keys("Escape", "C-b", "d")
	sent("\x1b[0 q")
}

// TestKittyKeys: keys that only kitty's protocol distinguishes reach a program that
// uses it unchanged, and any other program as legacy keys.
func TestKittyKeys(t *testing.T) {
	r := newRig(t)
	r.session("kitty", "sh", "-c", `stty raw -echo; printf '\033[>1ukitty-ready\r\n'; exec cat -v`)
	r.session("plain", "sh", "-c", `stty raw -echo; printf 'plain-ready\r\n'; exec cat -v`)
	g, sent := r.logOf("-u TMUX TERM=xterm-256color", "ccdir")
	g.shows("kitty-ready", "plain-ready", "PANE")
	sent("\x1b[>5u")
	all := "\x1b[13;2u\x1b[27u\x1b[105;5ux" // Shift-Enter, Escape, Ctrl-i
	g.text(all)
	g.shows("^[[13;2u^[[27u^[[105;5ux")
	g.keys("C-b", "Tab")
	g.until("plain focused", focusedTitle("plain"))
	g.text(all)
	g.until("the same as other keys", regexp.MustCompile(`\^M\^\[ +x`).MatchString) // cat -v leaves tabs
	g.keys("C-b", "d")
	sent("\x1b[<u")
}

// TestSynchronizedUpdates: from the answer on that the terminal has mode 2026 large
// frames are wrapped in it, and none is left open.
func TestSynchronizedUpdates(t *testing.T) {
	r := newRig(t)
	r.session("alpha", echoing("this-is-alpha")...)
	g, log := r.logged("grid", 100, 30, "-u TMUX TERM=xterm-256color", "ccdir")
	g.shows("this-is-alpha", "PANE")
	read := func() string { data, _ := os.ReadFile(log); return string(data) }
	r.eventually("the question", func() bool { return strings.Contains(read(), "\x1b[?2026$p") })
	if strings.Contains(read(), "\x1b[?2026h") {
		t.Error("frames are wrapped before the terminal has answered")
	}
	g.text("\x1b[?2026;2$y")
	g.keys("C-b", "r")
	r.eventually("a wrapped frame", func() bool { return strings.Contains(read(), "\x1b[?2026h") })
	g.keys("C-b", "d")
	r.eventually("the end", func() bool { return strings.Contains(read(), "\x1b[?1049l") })
	if s := read(); strings.LastIndex(s, "\x1b[?2026h") > strings.LastIndex(s, "\x1b[?2026l") {
		t.Error("an update is left open")
	}
}

// TestFocusReports: a program that wants to know is told when its pane gets and loses
// the focus, and when the terminal does.
func TestFocusReports(t *testing.T) {
	r := newRig(t)
	r.session("asks", "sh", "-c", `stty raw -echo; printf '\033[?1004hasks-ready\r\n'; exec cat -v`)
	r.session("other", echoing("other-here")...)
	g := r.grid(120, 30)
	g.shows("asks-ready", "other-here", "PANE")
	g.until("asks focused", focusedTitle("asks"))
	g.keys("C-b", "Tab")
	g.shows("^[[O")
	g.keys("C-b", "Tab")
	g.until("the focus is back", regexp.MustCompile(`\^\[\[O\^\[\[I`).MatchString)
	g.text("\x1b[O")
	g.until("the terminal lost the focus", regexp.MustCompile(`\^\[\[O\^\[\[I\^\[\[O`).MatchString)
	g.text("\x1b[I")
	g.until("and got it", regexp.MustCompile(`\^\[\[O\^\[\[I\^\[\[O\^\[\[I`).MatchString)
}

// TestNotificationWays: each way that the configuration names, and no other, once,
// through tmux and without it.
func TestNotificationWays(t *testing.T) {
	for _, c := range []struct {
		name, set, ways string
		want            []string
		never           []string
	}{
		{"osc777", "-u TMUX TERM=xterm-256color", `["osc777"]`, []string{"\x1b]777;notify;"}, []string{"\x1b]9;", "first asks: \a\a"}},
		{"tmux", "TERM=tmux-256color", `["osc9"]`, []string{"\x1bPtmux;\x1b\x1b]9;"}, []string{"\x1b]777;"}},
		{"command", "-u TMUX TERM=xterm-256color", `["command"]`, nil, []string{"\x1b]9;", "\x1b]777;"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			told := filepath.Join(r.home, "told")
			script := filepath.Join(r.home, "tell")
			if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"$@\" >>"+told+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			r.configure(false, "[notify]\npermission = "+c.ways+"\ncommand = [\""+script+"\"]\n")
			r.session("typing", echoing("typing-here")...)
			r.agent("first")
			g, log := r.logged("grid", 100, 30, c.set, "ccdir attach typing")
			g.shows("typing-here", "zoomed")
			r.asks("first", "make it")
			read := func() string { data, _ := os.ReadFile(log); return string(data) }
			for _, want := range c.want {
				r.eventually("sent: "+want, func() bool { return strings.Contains(read(), want) })
				if n := strings.Count(read(), want); n != 1 {
					t.Errorf("told %d times", n)
				}
			}
			if c.want == nil {
				r.eventually("the command ran", func() bool { data, _ := os.ReadFile(told); return strings.Contains(string(data), "first") })
			} else if data, err := os.ReadFile(told); err == nil {
				t.Errorf("the command ran: %q", data)
			}
			for _, bad := range c.never {
				if strings.Contains(read(), bad) {
					t.Errorf("%q was sent", bad)
				}
			}
		})
	}
}

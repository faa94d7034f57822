package tmux

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// paste puts text into the terminal as a bracketed paste.
func (t *term) paste(text string) {
	t.t.Helper()
	file := filepath.Join(t.home, "paste")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.t.Fatal(err)
	}
	t.tmux("load-buffer", "-b", "p", file)
	t.tmux("paste-buffer", "-p", "-r", "-b", "p", "-t", t.name)
}

// TestPromptEditor: several lines with wide characters, the terminal's cursor
// where the next character goes, and the history after a new attach.
func TestPromptEditor(t *testing.T) {
	r := newRig(t)
	r.agent("agent")
	g := r.grid(100, 30)
	g.shows("agent ○")
	g.keys("C-b", ":")
	g.shows("to agent", "PROMPT")
	g.text("日本語 ok")
	g.keys("C-j")
	g.text("é👍x")
	g.shows("❯ 日本語 ok", "  é👍x")
	cursor := func(want string) {
		t.Helper()
		r.eventually("the cursor is at "+want, func() bool {
			return strings.TrimSpace(g.tmux("display-message", "-p", "-t", g.name, "#{cursor_x},#{cursor_y}")) == want
		})
	}
	cursor("6,28") // sign 2, é 1, thumb 2, x 1; the row above the status line
	g.keys("Left", "Left")
	cursor("3,28")
	g.keys("Up")
	cursor("2,27") // in the middle of a wide character there is no place
	g.keys("C-End", "Enter")
	g.shows("日本語 ok")
	g.lacks("to agent")
	g.keys("C-b", "d")
	r.eventually("the grid is gone", g.dead)
	info, err := os.Stat(filepath.Join(r.home, "state", "prompts"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the history: %v %v", info, err)
	}
	g = r.open("again", 100, 30, "exec ccdir")
	g.shows("agent ✓ done") // opening a grid is no look at it
	g.keys("C-b", ":", "C-r")
	g.text("ok")
	g.shows("▸ 日本語 ok⏎é👍x")
}

// TestPasteOfAMegabyte: into the bar, where it is folded and sent whole, and
// into a pane.
func TestPasteOfAMegabyte(t *testing.T) {
	r := newRig(t)
	got := filepath.Join(r.home, "got")
	r.session("sink", "sh", "-c", "stty -echo -icanon; printf '\\033[?2004h'; echo ready; exec cat > "+got)
	big := strings.Repeat("01234日本\tb\n😀e\n", 1<<16) // more than 1 MiB
	const count = "131072 lines, 1.2 MB"
	g := r.grid(100, 30)
	g.shows("ready")
	g.paste(big)
	var data []byte
	r.eventually("the pane has all of it", func() bool {
		data, _ = os.ReadFile(got)
		return strings.HasSuffix(string(data), "\x1b[201~")
	})
	if string(data) != "\x1b[200~"+big+"\x1b[201~" {
		t.Errorf("the pane got other bytes: %d, begin %.40q, end %q", len(data), data, data[max(0, len(data)-20):])
	}
	g.keys("C-b", ":")
	g.shows("to sink")
	g.paste(big)
	g.shows("❯ [paste: " + count + "]")
	g.text("and more")
	g.shows(count + "]and more")
}

// TestPasteWithoutBrackets: a terminal that sends pasted text as keys. A pane gets all
// of it; in the bar it is a paste, and none of its line breaks sends anything.
func TestPasteWithoutBrackets(t *testing.T) {
	r := newRig(t)
	got := filepath.Join(r.home, "got")
	r.session("sink", "sh", "-c", "stty -echo -icanon; echo ready; exec cat > "+got)
	big := strings.Repeat("01234日本\tb\n😀e\n", 1<<16) // more than 1 MiB
	file := filepath.Join(r.home, "paste")
	if err := os.WriteFile(file, []byte(big), 0o600); err != nil {
		t.Fatal(err)
	}
	g := r.grid(100, 30)
	g.shows("ready")
	g.tmux("load-buffer", "-b", "p", file)
	g.tmux("paste-buffer", "-b", "p", "-t", g.name)
	var data []byte
	r.eventually("the pane has all of it", func() bool {
		data, _ = os.ReadFile(got)
		return len(data) >= len(big)
	})
	if string(data) != big {
		t.Errorf("the pane got other bytes: %d of %d, begin %.40q, end %q", len(data), len(big), data, data[max(0, len(data)-20):])
	}
	g.keys("C-b", ":")
	g.shows("to sink")
	g.tmux("paste-buffer", "-b", "p", "-t", g.name)
	r.eventually("the bar has all of it", func() bool { return r.draft() == big })
	g.shows("PROMPT", "[paste: ")
	if data, _ := os.ReadFile(got); string(data) != big {
		t.Errorf("the pane got %d bytes more", len(data)-len(big))
	}
}

// TestNotificationsCrossTheTerminal: a session out of view that asks rings the
// bell of the outer terminal.
func TestNotificationsCrossTheTerminal(t *testing.T) {
	r := newRig(t)
	r.session("typing", echoing("typing-here")...)
	r.agent("first")
	r.agent("second")
	g := r.grid(100, 30, "attach", "typing") // zoomed: the other is out of view
	g.shows("typing-here", "zoomed")
	log := filepath.Join(r.home, "log")
	g.tmux("pipe-pane", "-t", g.name, "-O", "cat > "+log)
	r.asks("first", "make it")
	r.eventually("bell and OSC 9", func() bool {
		data, _ := os.ReadFile(log)
		return strings.Contains(string(data), "\a\x1b]9;ccdir: first asks: ") || strings.Contains(string(data), "\a\x1bPtmux;\x1b\x1b]9;ccdir: first asks: ")
	})
	// Nor is it told again by another daemon, which has the same to say of it.
	pid := r.daemonPID()
	r.signal(pid, syscall.SIGKILL)
	r.eventually("another daemon", func() bool { return r.daemonPID() != pid })
	r.asks("second", "make other")
	r.eventually("the second one is told", func() bool {
		data, _ := os.ReadFile(log)
		return strings.Contains(string(data), "]9;ccdir: second asks")
	})
	data, _ := os.ReadFile(log)
	if n := strings.Count(string(data), "]9;ccdir: first"); n != 1 {
		t.Errorf("told %d times", n)
	}
}

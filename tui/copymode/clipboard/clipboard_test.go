package clipboard

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// copies copies text and returns what the terminal was sent and what was said.
func copies(t *testing.T, s *State, env ui.Env, way Way, text string) (sent, said string) {
	t.Helper()
	var all func([]ui.Effect)
	all = func(effects []ui.Effect) {
		for _, e := range effects {
			switch e := e.(type) {
			case ui.Emit:
				sent += string(e.Bytes)
			case ui.Say:
				said += e.Text
			case ui.Warn:
				said += e.Text
			case ui.Call:
				if res, err := e.Run(context.Background(), nil); err != nil {
					all(e.Failed(env, err))
				} else {
					all(res.Effects)
				}
			default:
				t.Errorf("unexpected effect %T", e)
			}
		}
	}
	all(s.Copy(env, way, ui.Copy{Text: text}))
	return sent, said
}

func TestWays(t *testing.T) {
	env := uitest.Env(80, 24)
	for _, tt := range []struct {
		via  paint.Clipboard
		text string
		sent bool
		said string
	}{
		{paint.ClipboardSure, "日本", true, "copied 4 characters"},
		{paint.ClipboardSure, "a\nb\n", true, "copied 2 lines"},
		{paint.ClipboardNone, "x", false, "this terminal has no clipboard"},
		{paint.ClipboardMaybe, "x", true, "sent 1 character to the terminal (OSC 52); if it did not arrive"},
		{paint.ClipboardMaybe, strings.Repeat("x", smallOSC52), true, "which may be too much for it"},
		{paint.ClipboardSure, strings.Repeat("x", maxOSC52), false, "is too much for the terminal's clipboard"},
	} {
		sent, said := copies(t, &State{}, env, Way{Via: tt.via}, tt.text)
		if (sent != "") != tt.sent || !strings.Contains(said, tt.said) {
			t.Errorf("%d bytes by %v: sent %v, said %q", len(tt.text), tt.via, sent != "", said)
		}
	}
}

// TestDoubtIsSaidOnce: a terminal that does not tell whether it took a copy is doubted
// once, not at each copy.
func TestDoubtIsSaidOnce(t *testing.T) {
	var s State
	env := uitest.Env(80, 24)
	for i, want := range []string{"if it did not arrive", "copied 1 character", "copied 1 character"} {
		if _, said := copies(t, &s, env, Way{Via: paint.ClipboardMaybe}, "x"); !strings.Contains(said, want) {
			t.Errorf("copy %d: %q", i+1, said)
		}
	}
}

// TestTmuxIsAsked: inside of tmux nothing is doubted: tmux says whether it takes copies.
// One that cannot be asked, at the other end of an ssh for example, is doubted once.
func TestTmuxIsAsked(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	tmux := func(script string) {
		if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	env := uitest.Env(80, 24)
	env.Environ = []string{"TMUX=/tmp/tmux-1000/default,1,0"}
	var s State
	for _, tt := range []struct{ script, said string }{
		{"echo on", "copied 1 character"},
		{"echo external", "tmux dropped the copy (set-clipboard is external)"},
		{"echo off", "tmux dropped the copy (set-clipboard is off)"},
		{"echo on", "copied 1 character"},
		{"exit 1", "sent 1 character to tmux (OSC 52); if it did not arrive"},
		{"exit 1", "copied 1 character"},
	} {
		tmux(tt.script)
		if sent, said := copies(t, &s, env, Way{Via: paint.ClipboardTmux}, "x"); sent == "" || !strings.Contains(said, tt.said) {
			t.Errorf("%s: %q", tt.script, said)
		}
	}
	tmux("echo off") // somebody else's server
	env.Environ = nil
	if _, said := copies(t, &State{}, env, Way{Via: paint.ClipboardTmux}, "x"); !strings.Contains(said, "if it did not arrive") {
		t.Errorf("without $TMUX: %q", said)
	}
}

func TestOSC52ForScreen(t *testing.T) {
	seq := string(OSC52(strings.Repeat("x", 2000), paint.ClipboardScreen))
	var inner strings.Builder
	for _, part := range strings.SplitAfter(seq, "\x1b\\") {
		if part == "" {
			continue
		}
		body, ok := strings.CutPrefix(strings.TrimSuffix(part, "\x1b\\"), "\x1bP")
		if !ok || len(part) > 768 {
			t.Fatalf("a part of %d bytes: %.20q", len(part), part)
		}
		inner.WriteString(body)
	}
	if inner.String() != string(OSC52(strings.Repeat("x", 2000), paint.ClipboardMaybe)) {
		t.Error("the parts are not the whole")
	}
}

func TestCommand(t *testing.T) {
	file := t.TempDir() + "/copied"
	env := uitest.Env(80, 24)
	env.Environ = []string{"PATH=/usr/bin:/bin"}
	if _, said := copies(t, &State{}, env, Way{Command: "cat >" + file}, "text\n"); said != "copied 4 characters" {
		t.Errorf("said %q", said)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "text\n" {
		t.Errorf("%q, %v", data, err)
	}
	if _, said := copies(t, &State{}, env, Way{Command: "echo no display >&2; exit 3"}, "x"); !strings.Contains(said, "copying with copy_command failed") || !strings.Contains(said, "no display") {
		t.Errorf("said %q", said)
	}
}

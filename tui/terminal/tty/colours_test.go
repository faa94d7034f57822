package tty

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
)

// TestColoursInTmux: what tmux says counts if it comes in time; one that hangs, fails
// or never ends its answer keeps nobody waiting.
func TestColoursInTmux(t *testing.T) {
	const yes = "echo ' 221: Tc: (flag) true'"
	for name, tt := range map[string]struct {
		script string
		within time.Duration
		want   colorprofile.Profile
	}{
		"true colour":       {yes, time.Minute, colorprofile.TrueColor},
		"RGB":               {"echo '  5: RGB: [missing]'; echo ' 193: RGB: (flag) true'", time.Minute, colorprofile.TrueColor},
		"none":              {"echo ' 221: Tc: [missing]'", time.Minute, colorprofile.ANSI256},
		"it fails":          {"exit 1", time.Minute, colorprofile.ANSI256},
		"it hangs":          {"exec sleep 100", 50 * time.Millisecond, colorprofile.ANSI256},
		"its child hangs":   {"sleep 100 & sleep 100", 50 * time.Millisecond, colorprofile.ANSI256},
		"hangs after it":    {yes + "; exec sleep 100", time.Minute, colorprofile.TrueColor},
		"it has no end":     {"exec yes", time.Minute, colorprofile.ANSI256},
		"one line, no end":  {"exec tr '\\0' x </dev/zero", time.Minute, colorprofile.ANSI256},
		"it is not started": {"", time.Minute, colorprofile.ANSI256},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if tt.script != "" {
				if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte("#!/bin/sh\n"+tt.script+"\n"), 0o700); err != nil {
					t.Fatal(err)
				}
				t.Setenv("PATH", dir+":/usr/bin:/bin")
			} else {
				t.Setenv("PATH", dir)
			}
			env := []string{"TERM=tmux-256color", "TMUX=/tmp/s,1,0", "TTY_FORCE=1", "PATH=" + os.Getenv("PATH")}
			began := time.Now()
			if got := Colours(os.Stderr, env, tt.within); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
	// Where nothing depends on it, it is not asked: it would hang.
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte("#!/bin/sh\necho asked > "+filepath.Join(dir, "asked")+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	for _, env := range [][]string{
		{"TERM=tmux-256color", "TTY_FORCE=1"}, {"TERM=tmux-256color", "TMUX=", "TTY_FORCE=1"},
		{"TERM=tmux-256color", "TMUX=/tmp/s,1,0", "NO_COLOR=1", "TTY_FORCE=1"}, {"TERM=xterm-kitty", "TMUX=/tmp/s,1,0", "TTY_FORCE=1"},
	} {
		Colours(os.Stderr, env, time.Minute)
		if _, err := os.Stat(filepath.Join(dir, "asked")); err == nil {
			t.Fatalf("tmux was asked with %v", env)
		}
	}
}

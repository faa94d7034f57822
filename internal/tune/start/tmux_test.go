package start_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	_ "charm.land/lipgloss/v2"

	"ccdir/internal/tune/start"
)

// TestMain is, for TestHidden, a program that links lipgloss.
func TestMain(m *testing.M) {
	if os.Getenv("CCDIR_TEST_START") == "" {
		os.Exit(m.Run())
	}
	if os.Getenv("TMUX") != "" {
		os.Exit(3)
	}
	start.ShowTmux()
	start.ShowTmux()
	if os.Getenv("TMUX") != "/tmp/s,1,0" {
		os.Exit(4)
	}
}

// TestHidden: no package asks tmux before main, and afterwards the environment is as
// it was.
func TestHidden(t *testing.T) {
	dir := t.TempDir()
	asked := filepath.Join(dir, "asked")
	if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte("#!/bin/sh\necho \"$@\" > "+asked+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	// TTY_FORCE has the library take any output for a terminal.
	cmd.Env = []string{"CCDIR_TEST_START=1", "TMUX=/tmp/s,1,0", "TERM=tmux-256color", "TTY_FORCE=1", "PATH=" + dir + ":/usr/bin:/bin"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v %s", err, out)
	}
	if args, err := os.ReadFile(asked); err == nil {
		t.Errorf("tmux %s was run", args)
	}
}

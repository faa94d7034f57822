package tmux

import (
	"os"
	"path/filepath"
	"testing"
)

// TestHungTmux: a tmux that does not answer questions does not keep the grid from
// opening.
func TestHungTmux(t *testing.T) {
	r := newRig(t)
	r.session("one", echoing("typing-here")...)
	bin := filepath.Join(r.home, "hung")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	asked := filepath.Join(r.home, "asked")
	if err := os.WriteFile(filepath.Join(bin, "tmux"), []byte("#!/bin/sh\necho \"$@\" > "+asked+"\nexec sleep 1000\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	g := r.open("hung", 100, 30, "PATH="+bin+":$PATH exec ccdir")
	g.shows("typing-here", "one ○")
	r.eventually("the test's tmux was asked", func() bool { _, err := os.Stat(asked); return err == nil })
}

package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestProgramOfItsPath: the program is that of the command's PATH, whatever this
// process has in its own.
func TestProgramOfItsPath(t *testing.T) {
	bin, own := t.TempDir(), t.TempDir()
	for dir, text := range map[string]string{bin: "theirs", own: "ours"} {
		if err := os.WriteFile(filepath.Join(dir, "ccdir-test-tool"), []byte("#!/bin/sh\necho "+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", own+":"+os.Getenv("PATH"))
	s := spec(t, "")
	s.Argv, s.Env = []string{"ccdir-test-tool"}, append(os.Environ(), "PATH=relative:"+bin+":/usr/bin:/bin")
	if res := run(t, t.Context(), s); res.Status != OK || res.Output != "theirs\n" {
		t.Errorf("got %+v", res)
	}
	s.Env = []string{"PATH=/usr/bin:/bin"}
	if res := run(t, t.Context(), s); res.Status != Error || !strings.Contains(res.Message, "not installed or not in PATH") {
		t.Errorf("got %+v", res)
	}
	s.Argv, s.Env = []string{"true"}, nil
	if res := run(t, t.Context(), s); res.Status != OK {
		t.Errorf("without a PATH: %+v", res)
	}
	s.Argv, s.Dir = []string{"./ccdir-test-tool"}, bin
	if res := run(t, t.Context(), s); res.Status != OK || res.Output != "theirs\n" {
		t.Errorf("by its place: %+v", res)
	}
}

// TestNoTimeLeft: a time limit that is over is not taken for none.
func TestNoTimeLeft(t *testing.T) {
	s := spec(t, "sleep 600")
	s.Timeout = -time.Second
	if res := run(t, t.Context(), s); res.Status != Timeout {
		t.Errorf("got %+v", res)
	}
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/agents/claude"
)

// TestAlone: a ccdir that was built alone, as `go install` does, is its own daemon and shim:
// sessions, hooks and the bridge work, and nothing is written beside the program.
func TestAlone(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "ccdir")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", bin, "../..").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	home, err := os.MkdirTemp("", "cc") // its sockets' names are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	ccdir := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(bin, args...)
		cmd.Env = append(os.Environ(), "CCDIR_HOME="+home, "PATH=/usr/bin:/bin")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("ccdir %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	t.Cleanup(func() { ccdir("daemon", "stop", "--kill-sessions") })
	ccdir("new", "-a", "demo", "-n", "one", "--prompt", "run ls")
	ccdir("wait", "one", "--state", "idle", "--timeout", "60s")
	// The hooks' own evidence: without them there is no such event.
	if events := ccdir("events", "--session", "one"); !strings.Contains(events, claude.HookUserPromptSubmit) {
		t.Errorf("no hook has called:\n%s", events)
	}
	ccdir("daemon", "restart")
	if list := ccdir("ls"); !strings.Contains(list, "one") {
		t.Errorf("the session is gone after a restart of the daemon:\n%s", list)
	}
	if doctor := ccdir("doctor"); !strings.Contains(doctor, "links to "+bin) {
		t.Errorf("doctor does not say that the shim is a link:\n%s", doctor)
	}
	if files, err := os.ReadDir(filepath.Dir(bin)); err != nil || len(files) != 1 {
		t.Errorf("beside ccdir lie %v, %v", files, err)
	}
}

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlainBuild proves that what `go build` makes without tags is its own daemon:
// there is no ccdir-daemon beside it.
func TestPlainBuild(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	// With -trimpath, as everything else is built: its packages are compiled already.
	build := exec.Command("go", "build", "-trimpath", "-o", dir+string(filepath.Separator), "ccdir", "ccdir/cmd/ccdir-shim")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(filepath.Join(dir, "ccdir"), args...)
		cmd.Env = append(os.Environ(), "CCDIR_HOME="+home)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("ccdir %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("new", "-n", "one", "--", "sleep", "1000")
	t.Cleanup(func() { run("daemon", "stop", "--kill-sessions") })
	run("daemon", "restart")
	if got := run("ls"); !strings.Contains(got, "one") || !strings.Contains(got, "○ command") {
		t.Errorf("after a restart ls prints\n%s", got)
	}
	if got := run("doctor"); !strings.Contains(got, "the daemon is part of") {
		t.Errorf("doctor prints\n%s", got)
	}
}

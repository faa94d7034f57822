package daemon

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// shimPath is the ccdir-shim built for the tests.
var shimPath string

// TestMain builds the real shim, and serves as a daemon of its own process for
// the tests that kill one.
func TestMain(m *testing.M) {
	if os.Getenv("CCDIR_TEST_DAEMON") != "" {
		os.Exit(daemonMain())
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "ccdir-daemon-test")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		shimPath = filepath.Join(dir, "ccdir-shim")
		build := exec.Command("go", "build", "-o", shimPath, "ccdir/cmd/ccdir-shim")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			fmt.Fprintln(os.Stderr, "cannot build the shim:", err)
			return 1
		}
		return m.Run()
	}())
}

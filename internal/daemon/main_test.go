package daemon

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"ccdir/internal/testbin"
)

// shimPath is the ccdir-shim built for the tests.
var shimPath string

// TestMain builds the real shim, and serves as a daemon of its own process for
// the tests that kill one.
func TestMain(m *testing.M) {
	if os.Getenv("CCDIR_TEST_CALL") != "" {
		os.Exit(callMain())
	}
	if os.Getenv("CCDIR_TEST_DAEMON") != "" {
		os.Exit(daemonMain())
	}
	// They wait for the most part. Those that measure run alone: they are not parallel.
	testbin.Parallel(2 * runtime.GOMAXPROCS(0))
	os.Exit(testbin.Main(func(dir string) { shimPath = filepath.Join(dir, testbin.Shim) }, m.Run, testbin.Shim))
}

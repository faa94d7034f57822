package daemon

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"ccdir/test/programs"
)

// shimPath and mortalPath are the ccdir-shim built for the tests, and the daemon for
// those that kill one.
var shimPath, mortalPath string

// TestMain builds the real shim and the daemon that can be killed.
func TestMain(m *testing.M) {
	if os.Getenv("CCDIR_TEST_CALL") != "" {
		os.Exit(callMain())
	}
	// They wait for the most part. Those that measure run alone: they are not parallel.
	programs.Parallel(2 * runtime.GOMAXPROCS(0))
	os.Exit(programs.Main(func(dir string) {
		shimPath, mortalPath = filepath.Join(dir, programs.Shim), filepath.Join(dir, programs.Mortal)
	}, m.Run, programs.Shim, programs.Mortal))
}

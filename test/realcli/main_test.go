package realcli

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"ccdir/hooks/call"
	"ccdir/test/fakeapi"
	"ccdir/test/programs"
)

// TestMain makes the test's executable a shim too, so that the hooks of a pane need no
// build.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "hook" {
		os.Exit(call.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
	}
	if spec := os.Getenv(envDaemon); spec != "" {
		os.Exit(daemonMain(spec))
	}
	if len(os.Args) > 1 && os.Args[1] == "asker" {
		os.Exit(asker(os.Stdin, os.Stdout))
	}
	// Under the race detector a process sleeps a second at its end otherwise.
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	programs.Parallel(2 * runtime.GOMAXPROCS(0)) // the scenarios mostly wait
	os.Exit(programs.Main(func(dir string) { programsDir = dir }, m.Run))
}

// shipped is the shim as it ships: the hooks of a pane are many processes, and the
// test's executable, which is a shim as well, starts ten times slower under the race
// detector.
func shipped() string { return filepath.Join(programsDir, programs.Shim) }

// self is the test's executable.
func self(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// limit is a context that ends with the test, or after a time that only a failing step
// takes.
func limit(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// product installs ccdir with the newest CLI, whose API follows the script (nil: Echo).
// The test runs in parallel with others; the installation ends with it.
func product(t *testing.T, script fakeapi.Script) (context.Context, *Product) {
	t.Helper()
	t.Parallel()
	Claude(t)
	fake := fakeapi.New(script)
	t.Cleanup(fake.Close)
	return limit(t), Install(t, Home(t, fake.URL()))
}

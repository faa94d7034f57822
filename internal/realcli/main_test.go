package realcli

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"ccdir/internal/hookcall"
	"ccdir/internal/testbin"
)

// TestMain makes the test's executable a shim as well, so that the hooks of a
// pane need nothing to be built.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "hook" {
		os.Exit(hookcall.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
	}
	if spec := os.Getenv(envDaemon); spec != "" {
		os.Exit(daemonMain(spec))
	}
	if len(os.Args) > 1 && os.Args[1] == "asker" {
		os.Exit(asker(os.Stdin, os.Stdout))
	}
	// Under the race detector a process sleeps a second at its end otherwise.
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	testbin.Parallel(runtime.GOMAXPROCS(0) + 1) // the scenarios wait for the most part
	os.Exit(testbin.Main(func(dir string) { programs = dir }, m.Run))
}

// self is the test's executable.
func self(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// limit is a context that ends with the test or after a time that no step
// takes unless something is wrong.
func limit(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// Mortal is the daemon for tests that kill it: it ends itself at a point that the
// environment names. It is a program of its own, and not the test's executable, because
// tests start hundreds of them and one with the race detector takes six times as long
// to start; the tests' daemons in the test's own process have the detector.
//
// It takes from the environment, beside what a daemon takes:
//
//	CCDIR_TEST_SHIM     the path of ccdir-shim
//	CCDIR_TEST_DIE      the point, "" for none; "point:3" is the third time
//	CCDIR_TEST_ARMED    "ready": the point counts only once the daemon is ready
//	CCDIR_TEST_RESERVE  Options.Reserve in bytes
//	CCDIR_TEST_SETTLE   how long a turn's end settles and a task backs off
//	CCDIR_TEST_FSIZE    no file can be larger: as a quota
//	CCDIR_TEST_UMASK    its umask, octal
//
// It prints "ready" when it is, and logs to standard error.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"ccdir/api"
	"ccdir/daemon"
	"ccdir/internal/disk/paths"
	"ccdir/orchestrator"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	if n := number("CCDIR_TEST_FSIZE", 10); n > 0 {
		signal.Ignore(syscall.SIGXFSZ) // a write beyond it fails
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(n), Max: uint64(n)}); err != nil {
			return err
		}
	}
	if os.Getenv("CCDIR_TEST_UMASK") != "" {
		syscall.Umask(int(number("CCDIR_TEST_UMASK", 8)))
	}
	p, err := paths.New(os.Getenv, os.Getuid())
	if err != nil {
		return err
	}
	var armed atomic.Bool
	armed.Store(os.Getenv("CCDIR_TEST_ARMED") != "ready")
	ready := func(api.Server) {
		armed.Store(true)
		fmt.Println("ready")
	}
	return daemon.Run(context.Background(), daemon.Options{
		Paths: p, UID: os.Getuid(), Env: os.Environ(), Shim: os.Getenv("CCDIR_TEST_SHIM"),
		Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)), Ready: ready,
		Reserve: number("CCDIR_TEST_RESERVE", 10), Pause: dieAt(os.Getenv("CCDIR_TEST_DIE"), &armed), TaskTimes: taskTimes(), PullEvery: settle(),
	})
}

// number is that of a variable, 0 without one.
func number(key string, base int) int64 {
	n, _ := strconv.ParseInt(os.Getenv(key), base, 64)
	return n
}

// taskTimes are the queue's times.
func taskTimes() *orchestrator.Times {
	times := orchestrator.DefaultTimes()
	if d := settle(); d > 0 {
		times.Settle, times.Backoff = d, d
	}
	return &times
}

// settle is CCDIR_TEST_SETTLE, 0 without one.
func settle() time.Duration {
	d, _ := time.ParseDuration(os.Getenv("CCDIR_TEST_SETTLE"))
	return d
}

// dieAt kills the process at a point, once armed.
func dieAt(spec string, armed *atomic.Bool) func(string) {
	point, count, _ := strings.Cut(spec, ":")
	nth, err := strconv.ParseInt(count, 10, 64)
	if err != nil {
		nth = 1
	}
	var seen atomic.Int64
	return func(at string) {
		if at == point && armed.Load() && seen.Add(1) == nth {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}

package daemon

import (
	"log/slog"
	"os"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/paths"
	"ccdir/orchestrator"
)

// Options configure a daemon.
type Options struct {
	Paths paths.Paths
	// UID is the user whose processes may connect.
	UID int
	// Home replaces "~" in the configuration.
	Home string
	// Env is the daemon's environment: that of hosts, and the PATH for callers that send
	// none.
	Env []string
	// Shim is the absolute path of ccdir-shim.
	Shim string
	// Scope is the command by which hosts get scopes of their own; nil: none
	// (launch.Scope).
	Scope []string
	// Self is the pid of the daemon's process, whose descendants are nobody unless they belong to
	// a session; 0: this process. A test in whose process both the daemon and the person run sets
	// one that no process has.
	Self int
	// Logger takes the daemon's log; nil discards it.
	Logger *slog.Logger
	// Signals replaces the process's signals, for tests.
	Signals <-chan os.Signal
	// Ready is called once the socket accepts connections. It may be nil.
	Ready func(api.Server)
	// TaskTimes replaces the queue's times, for tests; nil: the defaults.
	TaskTimes *orchestrator.Times
	// PullEvery replaces the interval at which pull requests of tasks are looked at, for tests; 0: the default.
	PullEvery time.Duration
	// Reserve is the size of the journal's overflow file, in bytes; 0: the default.
	Reserve int64
	// Boot replaces the machine's boot id, for tests; "": the machine's.
	Boot string
	// Pause is called at named points (Pause… of sessions, delivery and queue), for tests; nil:
	// never.
	Pause func(point string)
}

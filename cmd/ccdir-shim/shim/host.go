package shim

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"

	"ccdir/api"
	"ccdir/sessions/host"
	"ccdir/wire"

	"golang.org/x/sys/unix"
)

const (
	// maxSpec bounds the HostSpec: an environment is at most a few megabytes.
	maxSpec = 16 << 20
	// gcPercent keeps the heap near its live size: a host's garbage is small and
	// short-lived, so frequent collections cost little.
	gcPercent = 25
)

// hostMain hosts the session whose HostSpec is on standard input. When the session's process
// runs, it writes a line to standard output; by then it has a session of its own and has
// closed all inherited files.
func hostMain() int {
	// With one processor reader, engine and writers do not wake other threads. A second one
	// was not faster in measurements, even in a flood of output: the PTY is the limit.
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(gcPercent)
	// Caught and dropped, because the started process would inherit an ignored signal. The
	// other signals end the session's process politely.
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP, syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	rebind := make(chan struct{}, 1)
	usr1 := make(chan os.Signal, 1)
	signal.Notify(usr1, syscall.SIGUSR1)
	go func() {
		for range usr1 {
			select {
			case rebind <- struct{}{}:
			default:
			}
		}
	}()

	if err := detach(); err != nil {
		answer(wire.HostReady{Error: err.Error()})
		return 1
	}
	spec, err := readSpec(os.Stdin)
	if err != nil {
		answer(wire.HostReady{Error: err.Error()})
		return 1
	}
	err = host.Run(ctx, spec, host.Options{
		Version: api.Version,
		Rebind:  rebind,
		Orphans: true,
		Ready: func(r wire.HostReady) {
			answer(r)
			dropStandardFiles()
		},
	})
	if err != nil {
		return 1
	}
	return 0
}

func readSpec(r io.Reader) (spec wire.HostSpec, err error) {
	b, err := io.ReadAll(io.LimitReader(r, maxSpec+1))
	if err != nil {
		return spec, fmt.Errorf("host spec cannot be read: %w", err)
	}
	if len(b) > maxSpec {
		return spec, fmt.Errorf("host spec is larger than %d bytes", maxSpec)
	}
	if err := json.Unmarshal(b, &spec); err != nil {
		return spec, fmt.Errorf("host spec is malformed: %w", err)
	}
	return spec, nil
}

// answer writes the line to standard output. The parent may be gone.
func answer(r wire.HostReady) {
	if b, err := json.Marshal(r); err == nil {
		_, _ = os.Stdout.Write(append(b, '\n'))
	}
}

// detach makes this process the leader of a new session and closes inherited descriptors
// except the standard ones. It tells them from the runtime's own by close-on-exec, which
// inherited ones lack.
func detach() error {
	if _, err := unix.Setsid(); err != nil && err != unix.EPERM { // EPERM: it is a leader
		return fmt.Errorf("no session of its own: %w", err)
	}
	for _, fd := range openFiles() {
		if fd <= 2 {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd)
		}
	}
	return nil
}

// openFiles lists this process's open descriptors.
func openFiles() []int {
	dir := "/dev/fd"
	if runtime.GOOS == "linux" {
		dir = "/proc/self/fd"
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var fds []int
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil {
			fds = append(fds, n)
		}
	}
	return fds
}

// dropStandardFiles redirects the standard files to /dev/null, so that the parent gets EOF
// and no terminal stays open. Standard error stays if it is a regular file: the log, for
// the trace of a crash.
func dropStandardFiles() {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	for fd := range 3 {
		if info, err := os.Stderr.Stat(); fd == 2 && err == nil && info.Mode().IsRegular() {
			continue
		}
		_ = dup2(null, fd)
	}
	_ = unix.Close(null)
}

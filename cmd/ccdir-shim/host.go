package main

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
	// gcPercent keeps the resident size near what is live: a host's garbage is
	// small and short-lived, so collecting often costs little.
	gcPercent = 25
)

// hostMain hosts the session whose HostSpec is on standard input. Once the
// process runs it has told so on standard output, belongs to a session of its
// own and has no file of its parent open.
func hostMain() int {
	// One processor: reader, engine and writers hand over without waking another
	// thread. A second one was measured to be no faster in a flood either: the
	// PTY is the limit.
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(gcPercent)
	// Caught and dropped, not ignored: what is ignored stays so in the process
	// that is started. The other signals end the process politely.
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

// answer writes the one line of standard output. The parent may be gone.
func answer(r wire.HostReady) {
	if b, err := json.Marshal(r); err == nil {
		_, _ = os.Stdout.Write(append(b, '\n'))
	}
}

// detach makes this process the leader of a session of its own and closes what
// it inherited beside the standard files. The runtime's own descriptors are
// close-on-exec, inherited ones are not: that tells them apart.
func detach() error {
	if _, err := unix.Setsid(); err != nil && err != unix.EPERM { // EPERM: it leads one already
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

// dropStandardFiles points the standard files at /dev/null, so that the parent
// sees their end and nobody's terminal is held open. Standard error stays when
// it is a regular file: a log that a crash's trace belongs into.
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

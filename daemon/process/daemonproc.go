// Package process is the daemon as a process: it finds the daemon's places in
// an environment and runs it in the foreground. Two programs use it, ccdir-daemon
// and a ccdir into which the daemon is linked; everything heavy hangs below it.
package process

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strings"

	"ccdir/client"
	"ccdir/daemon"
	"ccdir/internal/disk/paths"
)

// Run runs the daemon until ctx ends, it is told to stop, or it cannot go on; the
// signals that end it are its own matter. exe is the absolute path of the running
// program (the shim lies beside it), env its environment; the log goes to log.
// CCDIR_BOOT_ID stands for another start of the machine, to try out what a reboot
// brings.
func Run(ctx context.Context, exe string, env []string, log io.Writer) error {
	getenv := func(key string) string { return lookup(env, key) }
	p, err := paths.New(getenv, os.Getuid())
	if err != nil {
		return err
	}
	if err := client.CheckState(p.State, os.Getuid()); err != nil {
		return err
	}
	return daemon.Run(ctx, daemon.Options{
		Paths: p, UID: os.Getuid(), Home: getenv("HOME"), Env: env, Shim: client.ShimPath(exe),
		Logger: slog.New(slog.NewTextHandler(log, nil)), Boot: getenv("CCDIR_BOOT_ID"),
	})
}

// lookup is the last value of key, as exec takes it.
func lookup(env []string, key string) (value string) {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, key+"="); ok {
			value = v
		}
	}
	return value
}

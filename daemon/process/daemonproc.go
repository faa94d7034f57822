// Package process runs the daemon in the foreground, with paths from an environment. Two
// programs use it: ccdir-daemon, and a ccdir with the daemon linked in. All heavy
// dependencies are below it.
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

// Run runs the daemon until ctx ends, a signal or a call stops it, or it fails. exe is
// the absolute path of the running program (the shim is in the same directory), env its
// environment. CCDIR_BOOT_ID replaces the boot id, to simulate a reboot.
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

// lookup is the last value of key, as exec uses it.
func lookup(env []string, key string) (value string) {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, key+"="); ok {
			value = v
		}
	}
	return value
}

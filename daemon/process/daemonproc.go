// Package process runs the daemon in the foreground, with paths from an environment. Two
// programs use it: ccdir-daemon, and a ccdir with the daemon linked in. All heavy
// dependencies are below it.
package process

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"ccdir/api"
	"ccdir/client"
	"ccdir/daemon"
	"ccdir/daemon/store"
	"ccdir/internal/disk/logfile"
	"ccdir/internal/disk/paths"
	"ccdir/sessions/launch"
	"ccdir/wire/ancestry"
)

// Run runs the daemon until ctx ends, a signal or a call stops it, or it fails. exe is
// the absolute path of the running program (client.Shim finds the shim by it), env its
// environment. CCDIR_BOOT_ID replaces the boot id, to simulate a reboot. A log that is the
// file in the state directory is rotated.
func Run(ctx context.Context, exe string, env []string, log io.Writer) error {
	linked := filepath.Base(exe) != client.DaemonName
	getenv := func(key string) string { return lookup(env, key) }
	p, err := paths.New(getenv, os.Getuid())
	if err != nil {
		return err
	}
	if err := client.CheckState(p.State, os.Getuid()); err != nil {
		return err
	}
	if where, inside := ancestry.Inside(os.Getpid(), filepath.Dir(p.SessionDir("x"))); inside {
		return fmt.Errorf("this process runs inside a session of ccdir (%s), which starts no daemon: run it in a terminal of your own", where)
	}
	shim, err := client.Shim(exe, linked, p.State)
	if err != nil {
		return err
	}
	if f, ok := log.(*os.File); ok {
		log = logfile.Rotate(f, p.DaemonLog(), logfile.MaxSize, os.Stdout)
	}
	handler := newRepeats(slog.NewTextHandler(log, nil))
	defer func() { _ = handler.close() }() // nobody can be told that the log cannot be written
	logger := slog.New(handler)
	slog.SetDefault(logger) // for what is contained where no logger is
	defer notify(env, "STOPPING=1")
	return daemon.Run(ctx, daemon.Options{
		Paths: p, UID: os.Getuid(), Home: getenv("HOME"), Env: ownEnv(env), Shim: shim, Scope: launch.Scope(os.Getuid()),
		Logger: logger, Boot: getenv("CCDIR_BOOT_ID"),
		Ready: func(api.Server) { notify(env, "READY=1") },
	})
}

// Check fails if a daemon of this version cannot use the database, because a later version
// has written it. It may run beside a daemon, and changes nothing.
func Check(env []string) error {
	p, err := paths.New(func(key string) string { return lookup(env, key) }, os.Getuid())
	if err != nil {
		return err
	}
	if err := store.CheckSchema(p.Database()); err != nil {
		return fmt.Errorf("cannot open the database %s: %w", p.Database(), err)
	}
	return nil
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

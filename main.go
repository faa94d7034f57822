// Command ccdir runs coding agents side by side in one terminal.
package main

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"ccdir/cli"
	"ccdir/client"
	"ccdir/internal/tune/start"
)

// runDaemon runs the daemon, checkDatabase checks that it can, and runShim runs a verb of
// ccdir-shim, if they are linked into this program; nil otherwise.
var (
	runDaemon     func(ctx context.Context, exe string, env []string, log io.Writer) error
	checkDatabase func(env []string) error
	runShim       func(args []string) int
)

// computes are the verbs that need more than one processor; the grid and those that only
// call the daemon do not.
var computes = map[string]bool{"daemon": true, "screen": true}

func main() {
	if runShim != nil && filepath.Base(os.Args[0]) == client.ShimName {
		os.Exit(runShim(os.Args[1:]))
	}
	start.ShowTmux()
	p := cli.ThisProcess()
	if len(p.Args) > 0 && computes[p.Args[0]] {
		start.AllProcessors()
	}
	p.Daemon, p.CheckDatabase = runDaemon, checkDatabase
	os.Exit(cli.Main(p))
}

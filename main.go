// Command ccdir runs coding agents side by side in one terminal.
package main

import (
	"context"
	"io"
	"os"

	"ccdir/cli"
	"ccdir/internal/tune/start"
)

// runDaemon runs the daemon if it is linked into this program; nil otherwise.
var runDaemon func(ctx context.Context, exe string, env []string, log io.Writer) error

// computes are the verbs that need more than one processor; the grid and those that only
// call the daemon do not.
var computes = map[string]bool{"daemon": true, "screen": true}

func main() {
	start.ShowTmux()
	p := cli.ThisProcess()
	if len(p.Args) > 0 && computes[p.Args[0]] {
		start.AllProcessors()
	}
	p.Daemon = runDaemon
	os.Exit(cli.Main(p))
}

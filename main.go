// Command ccdir runs coding agents side by side in one terminal.
package main

import (
	"context"
	"io"
	"os"

	"ccdir/internal/cli"
)

// runDaemon is the daemon if it is linked into this program, else nil.
var runDaemon func(ctx context.Context, exe string, env []string, log io.Writer) error

func main() {
	p := cli.ThisProcess()
	p.Daemon = runDaemon
	os.Exit(cli.Main(p))
}

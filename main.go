// Command ccdir runs coding agents side by side in one terminal.
package main

import (
	"os"

	"ccdir/internal/cli"
)

func main() { os.Exit(cli.Main(cli.ThisProcess())) }

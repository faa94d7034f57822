// Command ccdir-daemon is the daemon of ccdir: the registry of sessions, the event log, the
// queue, the policy and the tools. It is a separate program so that the grid and the verbs,
// which scripts call often, start without the database, the tool server and the shell
// parser.
//
//	ccdir-daemon run       runs the daemon in the foreground, its log on standard error
//	ccdir-daemon check     fails if the state directory is of a later version
//	ccdir-daemon version   prints the version
//
// ccdir starts it; `ccdir daemon run` is the way to do so by hand.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"ccdir/api"
	"ccdir/daemon/process"
	"ccdir/internal/text/textsafe"
)

func main() {
	verb := strings.Join(os.Args[1:], " ")
	switch verb {
	case "run":
		exit(run())
	case "check":
		exit(process.Check(os.Environ()))
	case "version", "--version":
		fmt.Println("ccdir-daemon " + api.Version)
	default:
		fmt.Fprintf(os.Stderr, "ccdir-daemon: unknown verb %q; it is started by ccdir (`ccdir daemon run` does it by hand)\n", verb)
		os.Exit(2)
	}
}

// exit prints an error in one line and ends the program, if there is one.
func exit(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "ccdir: %s\n", textsafe.Line(strings.ReplaceAll(err.Error(), "\n", "; ")))
		os.Exit(1)
	}
}

// run runs the daemon with the directories of the environment.
func run() error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("the place of ccdir-daemon cannot be found: %w", err)
	}
	return process.Run(context.Background(), exe, os.Environ(), os.Stderr)
}

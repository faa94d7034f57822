// Package shim has the verbs of ccdir-shim:
//
//	ccdir-shim host             hosts one session (HostSpec on standard input)
//	ccdir-shim hook NAME        passes an agent's hook call to the daemon
//	ccdir-shim statusline NAME  passes an agent's status line on, and runs the person's own
//	ccdir-shim mcp              joins an agent's MCP client to the daemon
//	ccdir-shim print DIR        runs an agent's one-shot mode in a session
//	ccdir-shim link NODE        connects this machine with a node (JSON, link.Node)
//	ccdir-shim bridge           the other end of a link, run by ssh
//	ccdir-shim wall PLAN -- …   becomes a program behind a sandbox (wall-inner: its second step)
//	ccdir-shim demo-agent …     plays an agent, for demonstrations and tests
//	ccdir-shim version          prints the version
//
// Without arguments it does nothing and exits 0: agents that do not know the args form of
// hook entries run the bare command. A ccdir that was built alone runs these verbs itself
// when it is started by the shim's name (client.Shim).
package shim

import (
	"fmt"
	"os"

	"ccdir/agents/demo"
	"ccdir/agents/oneshot"
	"ccdir/api"
	"ccdir/hooks/call"
	"ccdir/mcpserver/bridge"
	"ccdir/nodes/link"
	"ccdir/sandbox/wall"
)

// Run runs a verb with the process's environment and standard files, and returns the exit
// code. It blocks as long as the verb does: a host as long as its session.
func Run(args []string) int {
	if len(args) == 0 {
		return 0
	}
	if socket, ok := link.AsAskpass(args); ok {
		return link.Askpass(args, os.Stdout, socket)
	}
	verb, rest := args[0], args[1:]
	switch verb {
	case "hook":
		return call.Main(rest, os.Stdin, os.Stdout, os.Stderr, os.Environ())
	case "statusline":
		return statusLineMain(rest, os.Stdin, os.Stdout, os.Environ())
	case "host":
		return hostMain()
	case "mcp":
		return bridge.Main(os.Stdin, os.Stdout, os.Stderr, os.Environ())
	case "link":
		return linkMain(rest)
	case "bridge":
		return link.Bridge(rest, os.Stdin, os.Stdout, os.Environ())
	case "print":
		return oneshot.Main(rest, os.Stdout, os.Stderr, os.Environ())
	case wall.Verb, wall.InnerVerb:
		return wallMain(verb, rest)
	case "demo-agent":
		return demo.Main(rest, os.Stdin, os.Stdout, os.Stderr, os.Environ())
	case "version", "--version":
		fmt.Println("ccdir-shim " + api.Version)
		return 0
	}
	fmt.Fprintf(os.Stderr, "ccdir-shim: unknown verb %q; it is started by ccdir, not by hand\n", verb)
	return 2
}

package shim

import (
	"encoding/json"
	"fmt"
	"os"

	"ccdir/internal/disk/paths"
	"ccdir/nodes/link"
)

// linkMain runs the link with the node that its argument describes (link.Node).
func linkMain(args []string) int {
	var c link.Config
	if len(args) != 1 || json.Unmarshal([]byte(args[0]), &c.Node) != nil || c.Node.Name == "" || c.Node.Target == "" {
		fmt.Fprintln(os.Stderr, "ccdir-shim: link is started by ccdir, not by hand")
		return 2
	}
	if err := detach(); err != nil {
		fmt.Fprintln(os.Stderr, "ccdir-shim: "+err.Error())
		return 1
	}
	p, err := paths.New(os.Getenv, os.Getuid())
	if err == nil {
		c.Paths, c.UID, c.Environ, c.Exe = p, os.Getuid(), os.Environ(), os.Args[0]
		err = link.Run(c)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ccdir-shim: "+err.Error())
		return 1
	}
	return 0
}

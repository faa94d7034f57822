package shim

import (
	"fmt"
	"os"

	"ccdir/sandbox/wall"
)

// wallExit is the exit status when a program did not begin, because its wall could not be made.
const wallExit = 126

// wallMain is `ccdir-shim wall PLAN -- PROGRAM ARG…`, which becomes the program behind the plan in
// that file, and the second step of that, wall-inner.
func wallMain(verb string, args []string) int {
	self, err := os.Executable()
	switch {
	case err != nil:
	case verb == wall.InnerVerb:
		err = wall.Inner(args, os.Environ())
	default:
		err = wall.Exec(self, args, os.Environ())
	}
	fmt.Fprintln(os.Stderr, "ccdir-shim:", err)
	return wallExit
}

// Command ccdir-shim has the processes of ccdir that are started often or live long, and so
// have to start fast and stay small. Package shim says which. It is not meant to be called
// by hand. It links the standard library and leaf packages only; a test checks the list.
package main

import (
	"os"

	"ccdir/cmd/ccdir-shim/shim"
)

func main() {
	os.Exit(shim.Run(os.Args[1:]))
}

//go:build !split

package main

import "ccdir/daemon/process"

// A plain `go build` or `go install` gives a ccdir that is its own daemon. `make
// build` sets the tag split and builds ccdir-daemon beside it: then what only the
// daemon needs is not initialised at every start of a verb and of the grid.
func init() { runDaemon = process.Run }

//go:build !split

package main

import (
	"ccdir/cmd/ccdir-shim/shim"
	"ccdir/daemon/process"
)

// A plain `go build` or `go install` gives a ccdir that is its own daemon and its own shim.
// `make build` sets the tag split and builds ccdir-daemon and ccdir-shim beside it: then
// what only these need is not initialised at every start of a verb, of the grid, of a host
// and of a hook call.
func init() { runDaemon, checkDatabase, runShim = process.Run, process.Check, shim.Run }

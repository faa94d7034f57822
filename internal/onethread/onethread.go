// Package onethread has a program that imports it begin with one processor
// (GOMAXPROCS), before nearly all other packages are initialised: it imports
// runtime alone.
//
// The grid stays with one (see tui.Run). To begin with several and go down to one
// later starts threads that it does not need and gives back what they have cached:
// a seventh of the page faults and a third of the context switches of attaching.
// What computes calls Leave.
package onethread

import "runtime"

// before is how many the program began with: those that there are for it, or what
// GOMAXPROCS in the environment says.
var before = runtime.GOMAXPROCS(1)

// Leave gives the program the processors that it would have had.
func Leave() {
	runtime.SetDefaultGOMAXPROCS() // follows the system's limits, and not the environment
	if runtime.GOMAXPROCS(0) != before {
		runtime.GOMAXPROCS(before)
	}
}

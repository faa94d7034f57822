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

func init() { runtime.GOMAXPROCS(1) }

// Leave gives the program the processors that it would have had.
func Leave() { runtime.SetDefaultGOMAXPROCS() }

package start

import "runtime"

// processors is the GOMAXPROCS that the program was started with: the number of
// processors it may use, or what the environment says.
var processors = runtime.GOMAXPROCS(1)

// AllProcessors sets GOMAXPROCS to what it would be without this package.
func AllProcessors() {
	runtime.SetDefaultGOMAXPROCS() // follows the system's limits, and not the environment
	if runtime.GOMAXPROCS(0) != processors {
		runtime.GOMAXPROCS(processors)
	}
}

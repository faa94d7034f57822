package proc

import "time"

// Orphans reaps the processes that this one adopted (AdoptOrphans) once they have ended. Those
// that it started are left to whoever waits for them: a child is reaped only if it ended a grace
// ago, which nobody lets pass who waits. Not for concurrent use.
type Orphans struct {
	// Grace is how long a child that has ended is left alone.
	Grace time.Duration
	// ended has when a child was first seen to have ended.
	ended map[child]time.Time
}

// child is a process by pid and start time.
type child struct {
	pid   int
	start string
}

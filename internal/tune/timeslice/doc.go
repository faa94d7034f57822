// Package timeslice asks the system's scheduler for short time slices, for processes that
// sleep most of the time and that a user waits for when they run: the grid and the hosts.
//
// Linux (from 6.12) lets a thread with a short slice run before threads with a long one,
// and for a shorter time. The echo of a key then waits less for a processor while agents
// keep all of them busy. This is no priority: every process's share stays the same, and it
// needs no privilege. On other systems nothing happens.
//
// Children inherit the slice. A host asks for it after it has started its agent; other
// children that must not have it are started by Normal.
package timeslice

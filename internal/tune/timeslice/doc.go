// Package timeslice asks the system's scheduler for short time slices, for processes that
// sleep most of the time and are waited for by a person when they run: the grid and
// the hosts.
//
// Linux (from 6.12 on) lets who has a short slice run before others that have a long
// one, and for a shorter time. A key's echo then waits less for the processors while
// agents keep them busy. No priority is taken: everybody's share stays the same, and
// it needs no privilege. Elsewhere nothing happens.
//
// Children inherit the slice. A host asks for it when its agent has been started; what
// else shall not have it is started by Normal.
package timeslice

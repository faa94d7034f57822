// Package faults holds tests of ccdir in a world that breaks: a full disk, a
// locked or damaged database, a socket directory that is gone, too few files or
// pseudo-terminals, agents that flood or never read, processes that are stopped or
// killed while they write. Each asks the same of the programs as they ship: a
// message that says what happened and what to do, no effect on others, and nothing
// lost that was acknowledged.
//
// What needs no whole program is tested where it lies: slow and stuck clients of a
// host in sessions/host, watchers that fall behind in daemon/journal, clocks
// that jump in daemon and sessions.
package faults

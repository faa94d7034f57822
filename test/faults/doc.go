// Package faults tests ccdir while its environment fails: a full disk, a locked or damaged
// database, a socket directory that is gone, too few files or pseudo-terminals, agents that
// flood or never read, processes that are stopped or killed while they write. Each test
// expects the same of the real programs: a message that says what happened and what to do,
// no effect on other sessions, and no loss of anything that was acknowledged.
//
// Tests that need no whole program are beside the code: slow and stuck clients of a host in
// sessions/host, watchers that fall behind in daemon/journal, clocks that jump in daemon
// and sessions.
package faults
